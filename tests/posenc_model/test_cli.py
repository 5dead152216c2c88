"""The command line, read."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from posenc_model import __version__, cli
from posenc_model.cli import ManyTexts
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters import DATA_EXPORTERS, Export
from posenc_model.exporters.files import DRAWN_FILES, Wish
from posenc_model.exporters.look import LOOK_OPTIONS, Look
from posenc_model.exporters.spec import PICTURES, Spec
from posenc_model.request import MEAN_HEAD
from posenc_model.run import encode
from posenc_model.settings import SETTINGS, Settings

ROOT = Path(__file__).resolve().parents[2]
# The command of the programme's first issue, word for word.
EXAMPLE = [
    "--text",
    "The program shows what each word looks at.",
    "--positional_encoding",
    "rel",
    *["--num_layers", "12", "--num_heads", "8", "--nlp_pipeline", "spacy", "--unk_ignore", "true"],
    *["--layer", "1", "--head", "3", "--export"],
]
TEXT = ["--text", "dog bites man"]


def wishes(line: str) -> tuple[Wish, ...]:
    """The files that a text and ``line`` ask for."""
    return cli.parse([*TEXT, *line.split()]).wishes


def spec(line: str) -> Spec:
    (wish,) = wishes(line)
    return wish.spec


def main(*argv: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "main.py", *argv],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_example_is_understood():
    arguments = cli.parse([*EXAMPLE, "out.png"])
    assert arguments.text == "The program shows what each word looks at."
    assert arguments.settings == Settings(
        positional_encoding="rel",
        num_layers=12,
        num_heads=8,
        nlp_pipeline="spacy",
        unk_ignore=True,
    )
    assert arguments.wishes == (Wish(Path("out.png"), Spec(layers=(0,), heads=(2,))),)
    assert set(arguments.given) == {
        "positional_encoding",
        "num_layers",
        "num_heads",
        "nlp_pipeline",
        "unk_ignore",
    }


def test_the_example_runs_and_writes_its_weights(tmp_path):
    done = main(*EXAMPLE, str(tmp_path / "out.csv"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Number of blocks: 12\n" in done.stdout
    assert "Positional encoding: rel\n" in done.stdout
    assert "Last hidden states [9, 512]:\n" in done.stdout
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        _, _, *rows = csv.reader(file)
    written = np.array([row[1:] for row in rows], dtype=np.float32)
    expected = encode("The program shows what each word looks at.", positional_encoding="rel")
    np.testing.assert_allclose(written, expected.weights(0, 2), atol=1e-6)


def test_a_mistake_is_one_sentence_and_exit_code_2():
    done = main("--text", "a b", "--num_heads", "none")
    assert done.returncode == 2
    assert done.stdout == ""
    expected = "num_heads is “none”, but has to be a whole number from 1 to 64."
    assert done.stderr.splitlines() == [expected]


def test_nothing_given_means_the_window_with_defaults():
    arguments = cli.parse([])
    assert arguments.text is None
    assert arguments.given == {}
    assert arguments.settings == Settings()


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True),
        ("yes", True),
        ("1", True),
        ("false", False),
        ("no", False),
        ("0", False),
        ("False", False),
    ],
)
def test_unk_ignore_is_a_real_boolean(word, value):
    assert cli.parse(["--unk_ignore", word]).settings.unk_ignore is value


def test_names_may_be_spelled_with_hyphens():
    arguments = cli.parse(
        [
            "--positional-encoding",
            "rel",
            "--clip-distance",
            "3",
            "--relative-values",
            "no",
            "--num-layers",
            "2",
            "--unk-ignore=0",
        ]
    )
    assert arguments.settings == Settings(
        positional_encoding="rel",
        encoding_options=(("clip_distance", 3), ("relative_values", False)),
        num_layers=2,
        unk_ignore=False,
    )


def test_the_head_may_be_the_mean():
    (wish,) = cli.parse([*TEXT, "--head", "mean", "--export", "a.svg"]).wishes
    assert wish.spec.heads == (MEAN_HEAD,)


def test_text_may_come_from_a_file_in_any_encoding(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes("她们 naïve\r\n".encode("utf-16"))
    assert cli.parse(["--text_file", str(path)]).text == "她们 naïve\n"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("--num_layers 0", "num_layers is 0, but has to be a whole number from 1 to 48."),
        ("--seed -1", "seed is -1, but has to be a whole number from 0 to 2,147,483,647."),
        (
            "--positional_encoding sine",
            "positional_encoding is “sine”, but has to be one of t5, rel, abs, none.",
        ),
        (
            "--unk_ignore maybe",
            "unk_ignore is “maybe”, but has to be true or false (also yes/no, on/off, 1/0).",
        ),
        ("--text a --export a.csv --layer 13", "layer is 13, but has to be from 1 to 12."),
        (
            "--text a --export a.csv --layer 3 --num_layers 2",
            "layer is 3, but has to be from 1 to 2.",
        ),
        (
            "--text a --export a.csv --width 8 --num_heads 3 --head 3",
            "head is 3, but has to be from 1 to 2, or mean.",
        ),
        (
            "--layer first",
            "layers is “first”, but has to be all, or numbers from 1 to 1,000, such as 3 or 1-4,7.",
        ),
        (
            "--head 0",
            "heads is “0”, but has to be all, mean, or numbers from 1 to 1,000, such as 3 or "
            "1-4,7.",
        ),
        (
            "--clip_distance 4",
            "clip_distance belongs to the encoding rel; add “--positional_encoding rel”.",
        ),
        (
            "--positional_encoding abs --num_buckets 8",
            "num_buckets belongs to the encoding t5; add “--positional_encoding t5”.",
        ),
        (
            "--max_distance 8",
            "The maximum distance is 8, but with 32 buckets it has to be more than 8 "
            "(a quarter of the buckets).",
        ),
        ("--no_such 1", "Unrecognized arguments: --no_such 1; see --help."),
        ("--num_hea 4", "Unrecognized arguments: --num_hea 4; see --help."),
        ("--num_heads", "Argument --num_heads: expected one argument; see --help."),
        ("--export a.csv", "--export needs a text: give --text, --text_file or --input."),
        ("--text a --text_file b", "Give either --text or --text_file, not both."),
        ("--text a --input b", "Give either --text or --input, not both."),
        ("--input b", "--input needs files to write: add --export FILE."),
        ("--column a", "--column is for many texts: add --input FILE."),
        ("--text a --jobs 2", "--jobs is for many texts: add --input FILE."),
        (
            "--input b.csv --export a.svg --jobs 0",
            "jobs is 0, but has to be a whole number from 1 to 256.",
        ),
        (
            "--input b.txt --column c --export a.svg",
            "--column has no effect with “b.txt”, which has a text a line; it is for tables "
            "(.csv, .tsv) and JSON lines (.jsonl, .ndjson).",
        ),
        (
            "--input b.txt --export {line}.svg",
            "The file name has the field {line}, but takes these only: {number}, {encoding}, "
            "{layer}, {head}, {text}, {stem}.",
        ),
        ("--from no-such.svg", "“no-such.svg” could not be read: no such file or directory."),
        (
            "--text a --export a.svg --size 85",
            "size is “85”, but has to be single, double, slide, square, or a width with or without "
            "a height, such as 85mm, 85x60mm or 3.5x2.5in.",
        ),
        (
            "--text a --export a.svg --dpi 3",
            "dpi is 3, but has to be a whole number from 36 to 2,400.",
        ),
        (
            "--text a --export a.svg --view all",
            f"view is “all”, but has to be one of {', '.join(PICTURES)}.",
        ),
        (
            "--text a --export a.svg --all_heads --head 2",
            "Give either --heads or --all_heads, not both.",
        ),
        (
            "--text a --export a --format gif",
            "format is “gif”, but has to be one of "
            f"{', '.join(sorted(e[1:] for e in (*DRAWN_FILES, *DATA_EXPORTERS)))}.",
        ),
        (
            "--text_file no-such-file.txt",
            "“no-such-file.txt” could not be read: no such file or directory.",
        ),
    ],
)
def test_a_wrong_line_is_refused_in_a_sentence(line, sentence):
    with pytest.raises(PosencError) as refusal:
        cli.parse(line.split())
    assert refusal.value.sentence == sentence


IDLE = [
    ("--matrix scores", "--matrix is about what --export writes: add --export FILE."),
    ("--dpi 100", "--dpi is about what --export writes: add --export FILE."),
    ("--layer 1", "--layers is about what --export writes: add --export FILE."),
    ("--all-heads", "--all_heads is about what --export writes: add --export FILE."),
    ("--force", "--force is about what --export writes: add --export FILE."),
    ("--format png", "--format gives endings to file names without one: add --export NAME."),
    (
        "--export a.svg --format png",
        "--format gives endings to file names without one: add --export NAME.",
    ),
    (
        "--export a.svg --cell 2,1",
        "cell belongs to the pictures why, encoding; add “--view why”.",
    ),
    (
        "--export a.svg --threshold 0.2",
        "threshold belongs to the picture lines; add “--view lines”.",
    ),
    ("--export a.svg --view overview --arrange files", "arrange belongs to the pictures "),
    ("--export a.svg --view matrix --compare abs", "compare belongs to the picture compare; "),
    ("--export a.csv --view lines", "--view is about pictures: add --export FILE.svg, "),
    ("--export a.csv --reach 3", "--reach is about pictures: add --export FILE.svg, "),
    ("--export a.csv --theme dark", "--theme is about pictures: add --export FILE.svg, "),
    ("--export a.csv --size single", "--size is about pictures: add --export FILE.svg, "),
    ("--export a.svg --table long", "--table is about tables: add --export FILE.csv."),
]


@pytest.mark.parametrize(("line", "sentence"), IDLE)
def test_what_would_have_no_effect_is_refused_by_name(line, sentence):
    with pytest.raises(PosencError) as refusal:
        wishes(line)
    assert refusal.value.sentence.startswith(sentence)


@pytest.mark.parametrize(
    "line",
    [
        "--export a.csv --export a.svg --table long --theme dark",
        "--export a.csv --export a.svg --view why --cell 2,1 --matrix scores",
        "--export a.svg --dpi 100",
    ],
)
def test_one_file_that_heeds_an_option_is_enough(line):
    assert wishes(line)


def test_what_is_exported_is_the_first_head_unless_something_else_is_named():
    assert spec("--export a.png") == Spec()
    assert spec("--export a.csv") == Spec()
    named = spec("--export a.svg --layers 1-2,7 --heads all --matrix scores --tokens 2-3")
    assert named == Spec(layers=(0, 1, 6), heads=None, matrix="scores", tokens=(1, 2))
    assert spec("--export a.svg --all_heads") == Spec(layers=None, heads=None)
    assert spec("--export a.svg --all-heads --layer 2") == Spec(layers=(1,), heads=None)
    assert spec("--export a.svg --view why --cell 3,1") == Spec(view="why", cell=(2, 0))


@pytest.mark.parametrize("name", ["a.npz", "a.html", "a.svg --view overview"])
def test_files_that_take_all_heads_have_them_unless_some_are_named(name):
    given = spec(f"--export {name}")
    assert (given.layers, given.heads) == (None, None)
    assert spec(f"--export {name} --layer 2").layers == (1,)
    assert spec(f"--export {name} --layer 2").heads is None


def test_a_comparison_is_its_own_picture_unless_another_is_named():
    assert spec("--export a.svg --compare abs,rel") == Spec(view="compare", compare=("abs", "rel"))
    picture, data = wishes("--export a.svg --export a.json --compare abs --view matrix")
    assert picture.spec.view == "matrix"
    assert data.spec.compare == ("abs",)


def test_how_pictures_look_is_read():
    arguments = cli.parse(
        [
            *TEXT,
            *["--export", "a.svg", "--size", "slide", "--font-size", "12", "--title", ""],
            *["--color-range", "-1,1", "--color_bar", "no", "--caption=auto"],
        ]
    )
    assert arguments.look == Look(
        width_mm=338.6667,
        height_mm=190.5,
        dpi=144,
        font_size=12,
        title="",
        caption="auto",
        color_range="-1,1",
        color_bar=False,
    )


def test_formats_are_given_to_names_without_a_known_ending():
    names = [str(wish.path) for wish in wishes("--export a --export b.v2 --format .png,SVG,png")]
    assert names == ["a.png", "a.svg", "b.v2.png", "b.v2.svg"]
    mixed = wishes("--export a --export b.csv --format pdf")
    assert [str(wish.path) for wish in mixed] == ["a.pdf", "b.csv"]


def test_a_file_that_nobody_can_write_is_refused_at_once():
    with pytest.raises(PosencError, match=r"“out.gif” has to end in one of \.csv, .*\.tiff\."):
        wishes("--export out.gif")
    with pytest.raises(PosencError, match="“out/” is a folder; give a file name"):
        wishes("--export out/ --format png")


def test_many_texts(tmp_path):
    line = ["--input", "texts.csv", "--column", "words", "--jobs", "3", "--export", "out/a.svg"]
    arguments = cli.parse(line)
    assert arguments.many == ManyTexts(Path("texts.csv"), "words", 3)
    assert arguments.text is None
    assert [wish.path for wish in arguments.wishes] == [Path("out/a-{number}.svg")]


def test_a_text_in_another_encoding_than_the_terminals_is_read_all_the_same():
    typed = os.fsdecode("naïve".encode("latin-1"))
    assert cli.parse(["--text", typed]).text == "naïve"


@pytest.fixture
def saved(tmp_path) -> Path:
    """A data file with a state of its own."""
    settings = {"positional_encoding": "rel", "clip_distance": 3, "num_layers": 2, "width": 16}
    result = encode("one two three", nlp_pipeline="whitespace", num_heads=2, **settings)
    export = Export((result,), Spec(layers=(1,), heads=None, matrix="scores"), Look(), "a.json")
    path = tmp_path / "a.json"
    path.write_bytes(DATA_EXPORTERS[".json"].render(export).content)
    return path


def test_a_saved_file_opens_the_window_in_its_state(saved):
    arguments = cli.parse(["--from", str(saved), "--seed", "4"])
    assert arguments.text is None
    assert arguments.given == {"seed": 4}
    assert arguments.state is not None
    assert arguments.state.text == "one two three"
    assert arguments.settings == arguments.state.settings
    assert dict(arguments.settings.encoding_options)["clip_distance"] == 3
    assert (arguments.settings.num_layers, arguments.settings.seed) == (2, 4)


def test_a_saved_file_is_exported_again_with_what_is_given_in_its_place(saved):
    line = ["--from", str(saved), "--export", "b.svg", "--theme", "dark", "--head", "2"]
    arguments = cli.parse(line)
    assert arguments.text == "one two three"
    (wish,) = arguments.wishes
    assert wish.spec == Spec(layers=(1,), heads=(1,), matrix="scores")
    assert arguments.look == Look(theme="dark")
    assert cli.parse([*line, "--text", "four"]).text == "four"
    changed = cli.parse([*line, "--positional_encoding", "t5"]).settings
    assert changed.positional_encoding == "t5"
    assert (changed.num_layers, changed.width) == (2, 16)


def test_what_a_saved_file_leaves_no_room_for_is_refused(saved):
    line = ["--from", str(saved), "--export", "b.svg"]
    with pytest.raises(PosencError, match="layer is 3, but has to be from 1 to 2"):
        cli.parse([*line, "--layer", "3"])
    with pytest.raises(PosencError, match="num_buckets belongs to the encoding t5"):
        cli.parse([*line, "--num_buckets", "8"])


def test_an_overview_of_a_saved_picture_of_one_head_has_all_heads(saved):
    line = ["--from", str(saved), "--view", "overview", "--export", "b.svg"]
    (wish,) = cli.parse(line).wishes
    assert (wish.spec.layers, wish.spec.heads) == (None, None)


def test_help_explains_every_option(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        cli.parse(["--help"])
    assert end.value.code == 0
    words = capsys.readouterr().out
    own = [option for info in ENCODINGS.values() for option in info.options]
    looks = [option for option in LOOK_OPTIONS if option.name not in ("width_mm", "height_mm")]
    for option in [*SETTINGS, *own, *looks]:
        assert f"--{option.name} " in words
    for name in (*Spec().flat(), "all_heads", "size", "export", "format", "force", "from", "input"):
        assert f"--{name} " in words
    for info in [*ENCODINGS.values(), *PICTURES.values()]:
        assert info.summary[:30] in words
    assert max(len(line) for line in words.splitlines()) <= 80


def test_version(capsys):
    with pytest.raises(SystemExit):
        cli.parse(["--version"])
    assert capsys.readouterr().out == f"posenc {__version__}\n"
