"""The command line."""

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from posenc_model import __version__, cli
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters import Exporter
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
SMALL = ["--width", "16", "--num_layers", "2", "--num_heads", "2", "--nlp_pipeline", "whitespace"]


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
    assert (arguments.layer, arguments.head) == (0, 2)
    assert arguments.exports == (Path("out.png"),)
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
        _, *rows = csv.reader(file)
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
    assert cli.parse(["--head", "mean"]).head == MEAN_HEAD
    assert cli.parse(["--head", "8", "--layer", "12"]).head == 7


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
        ("--layer 13", "layer is 13, but has to be a whole number from 1 to 12."),
        ("--layer 3 --num_layers 2", "layer is 3, but has to be a whole number from 1 to 2."),
        ("--layer first", "layer is “first”, but has to be a whole number from 1 to 12."),
        ("--head 0", "head is 0, but has to be a whole number from 1 to 64."),
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
        ("--export a.csv", "--export needs a text: give --text or --text_file."),
        ("--text a --text_file b", "Give either --text or --text_file, not both."),
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


def test_help_explains_every_setting_and_encoding(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        cli.parse(["--help"])
    assert end.value.code == 0
    words = capsys.readouterr().out
    own = [option for info in ENCODINGS.values() for option in info.options]
    for option in [*SETTINGS, *own]:
        assert f"--{option.name} " in words
    for info in ENCODINGS.values():
        assert info.summary[:30] in words
    assert max(len(line) for line in words.splitlines()) <= 80


def test_version(capsys):
    with pytest.raises(SystemExit):
        cli.parse(["--version"])
    assert capsys.readouterr().out == f"posenc {__version__}\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_text_prints_blocks_encoding_tokens_and_the_last_hidden_states(capsys, encoding):
    arguments = cli.parse(["--text", "dog bites man", "--positional_encoding", encoding, *SMALL])
    assert cli.run_text(arguments, {}) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[:5] == [
        "Number of blocks: 2",
        f"Positional encoding: {encoding}",
        "Weights: random, seed 0",
        "Tokens (3): dog | bites | man",
        "Last hidden states [3, 16]:",
    ]
    printed = [float(number) for number in re.findall(r"-?\d+\.\d*", "\n".join(lines[5:]))]
    settings = {"width": 16, "num_layers": 2, "num_heads": 2, "nlp_pipeline": "whitespace"}
    expected = encode("dog bites man", positional_encoding=encoding, **settings)
    np.testing.assert_allclose(printed, expected.last_hidden_state.ravel(), atol=1e-4)
    assert err == ""


def test_a_terminal_that_lacks_a_character_gets_an_escape(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert cli.run_text(cli.parse(["--text", "naïve 她", *SMALL]), {}) == 0
    sys.stdout.flush()
    assert b"Tokens (2): na\\xefve | \\u5979" in written.getvalue()


def test_warnings_and_unknown_words_are_printed(capsys, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("dog bites man", encoding="utf-8")
    line = ["--text", "dog eats the man", "--embedding", "one-hot", "--vocabulary", str(words)]
    assert cli.run_text(cli.parse([*line, *SMALL]), {}) == 0
    out, err = capsys.readouterr()
    assert "Unknown, so zero vectors: eats, the\n" in out
    assert err == (
        "Warning: 2 heads do not divide the width 3; the nearest number that does is used: 1.\n"
    )


def test_every_unknown_word_is_named_where_they_are_not_ignored():
    line = ["--embedding", "one-hot", "--vocabulary", "sample", "--unk_ignore", "no", "--text"]
    with pytest.raises(PosencError, match="“zebra”, “quagga”"):
        cli.run_text(cli.parse([*line, "zebra quagga zebra", *SMALL]), {})


def test_the_chosen_head_is_handed_to_the_exporter_and_the_file_named(capsys, tmp_path):
    asked = []

    def render(result, layer, head, kind):
        asked.append((len(result.tokens), layer, head, kind))
        return b"picture"

    target = tmp_path / "out.PNG"
    line = ["--text", "a b c", "--layer", "2", "--head", "1", "--export", str(target), *SMALL]
    line += ["--matrix", "scores"]
    assert cli.run_text(cli.parse(line), {".png": Exporter(".png", "", render)}) == 0
    assert asked == [(3, 1, 0, "scores")]
    assert target.read_bytes() == b"picture"
    assert capsys.readouterr().out.splitlines()[-1] == f"Written: {target}"


def test_a_file_that_nobody_can_write_is_refused_before_the_run(monkeypatch):
    monkeypatch.setattr("posenc_model.run.run", None)
    arguments = cli.parse(["--text", "a", "--export", "out.gif", *SMALL])
    with pytest.raises(PosencError, match=r"“out.gif” has to end in one of \.csv"):
        cli.run_text(arguments, {})


def test_a_head_that_the_width_leaves_no_room_for_is_refused():
    arguments = cli.parse(["--text", "a b", "--head", "3", *SMALL])
    with pytest.raises(PosencError, match="head is 3, but has to be from 1 to 2, or mean"):
        cli.run_text(arguments, {})


def test_an_empty_text_is_refused_and_does_not_open_the_window():
    arguments = cli.parse(["--text", ""])
    assert arguments.text == ""
    with pytest.raises(PosencError, match="Type a sentence"):
        cli.run_text(arguments, {})


@pytest.mark.parametrize(
    ("export", "sentence"),
    [("", "is a folder"), ("nowhere/out.csv", "There is no folder"), ("out.doc", "has to end in")],
)
def test_an_impossible_target_is_refused_before_anything_runs(
    monkeypatch, tmp_path, export, sentence
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("posenc_model.run.run", None)
    arguments = cli.parse(["--text", "one", "--export", export])
    with pytest.raises(PosencError, match=sentence):
        cli.run_text(arguments, {})


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (["--mask", "1"], "--mask needs a text"),
        (["--text", "a", "--matrix", "scores"], "add --export"),
    ],
)
def test_wishes_that_would_be_ignored_are_refused(line, sentence):
    with pytest.raises(PosencError, match=sentence):
        cli.parse(line)


def test_a_token_cannot_steer_the_terminal(capsys):
    cli.run_text(cli.parse(["--text", "a\x1b[31m b\u202ec", *SMALL]), {})
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert r"a\x1b[31m | b\u202ec" in out
