"""What files say of how they were made: complete, exact, and read back from any kind of file."""

import io
import json
import os
import re
import shlex
import struct
import zipfile
import zlib
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from posenc_gui.figures.exporters import PICTURE_EXPORTERS
from posenc_model import cli
from posenc_model.cli_run import run_text
from posenc_model.errors import PosencError
from posenc_model.exporters import DATA_EXPORTERS, Export
from posenc_model.exporters.files import PICTURE_FILES
from posenc_model.exporters.look import Look
from posenc_model.exporters.provenance import (
    command_line,
    provenance,
    provenance_json,
    read_state,
)
from posenc_model.exporters.results import with_compared
from posenc_model.exporters.spec import PICTURES, Spec
from posenc_model.request import MEAN_HEAD, RunRequest
from posenc_model.run import run
from posenc_model.settings import Settings

SMALL = {"width": 16, "num_layers": 2, "num_heads": 2, "nlp_pipeline": "whitespace"}
EXPORTERS = {**DATA_EXPORTERS, **PICTURE_EXPORTERS}


def make_export(name, text="dog bites man", spec=None, look=None, masked=(), **values):
    request = RunRequest(0, text, Settings.of({**SMALL, **values}), masked=masked)
    spec = spec or Spec()
    view = spec.view if Path(name).suffix in PICTURE_FILES else ""
    return Export(with_compared(run(request), spec, view), spec, look or Look(), name)


def content_of(export):
    return EXPORTERS[Path(export.file_name).suffix].render(export).content


def assert_made_again(export, folder, monkeypatch):
    """Runs the command line that a file carries, as a shell would."""
    monkeypatch.chdir(folder)
    program, *argv = shlex.split(command_line(export))
    assert program == "posenc"
    assert run_text(cli.parse(argv), PICTURE_EXPORTERS) == 0
    assert (folder / export.file_name).read_bytes() == content_of(export)


TEXTS = [
    "two\nlines and a\ttab",
    'it\'s "quoted" <b> &amp; $HOME `x` \\ {y} * ? !',
    "-starts with --text=a hyphen",
    "--help",
    "她们 naïve 😀 مرحبا",
    "  spaces   around  ",
    "%s {number} ; rm #",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_command_makes_the_same_file_whatever_the_text_is(tmp_path, monkeypatch, text):
    assert_made_again(make_export("a.csv", text), tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "values",
    [
        {"positional_encoding": "rel", "clip_distance": 2, "relative_values": False},
        {"positional_encoding": "abs", "base": 123.456},
        {"positional_encoding": "t5", "num_buckets": 8, "max_distance": 20},
        {"positional_encoding": "none", "seed": 2_147_483_647},
        {"embedding": "one-hot", "vocabulary": "sample", "unk_ignore": True},
        {"attention_mask": "causal", "num_layers": 1},
        {"batch": True, "sentence": 2, "show_padding": True, "text": "a b c\nd e"},
    ],
)
def test_the_command_makes_the_same_file_with_any_settings(tmp_path, monkeypatch, values):
    assert_made_again(make_export("a.json", **values), tmp_path, monkeypatch)


def test_the_command_makes_the_same_file_with_trained_weights(tmp_path, monkeypatch):
    request = RunRequest(
        0, "the dog bites the man", Settings.of({"weights": "trained"}), masked=(1,)
    )
    spec = Spec(layers=(1, 3), heads=(MEAN_HEAD,), tokens=(0, 1, 3))
    export = Export((run(request),), spec, Look(), "a.csv")
    assert "--weights trained" in command_line(export)
    assert "--mask 2" in command_line(export)
    assert "--num_layers" not in command_line(export)  # the weights determine it
    assert_made_again(export, tmp_path, monkeypatch)


def test_weights_in_a_file_are_named_as_they_were_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez(
        "some weights.npz", weights=np.full((2, 3, 3), 1 / 3), tokens=np.array(["a", "b", "c"])
    )
    settings = Settings.of({"weights": "some weights.npz"})
    export = Export((run(RunRequest(0, "unused", settings)),), Spec(heads=None), Look(), "a.csv")
    assert command_line(export) == (
        "posenc --weights 'some weights.npz' --layers 1 --heads all --export a.csv"
    )
    assert provenance(export)["text"] == ""
    assert_made_again(export, tmp_path, monkeypatch)
    assert read_state(tmp_path / "a.csv").settings == settings


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("a.csv", Spec(layers=None, heads=(1, 0), table="long", matrix="scores", view="lines")),
        ("a.csv", Spec(tokens=(2, 0), compare=("abs", "none"), threshold=0.5)),
        ("a.json", Spec(layers=(1,), heads=None, matrix="position", reach=3, table="wide")),
        ("-a b's.json", Spec()),
        ("a.html", Spec(layers=None, heads=None, compare=("abs",), matrix="scores")),
        ("a.npz", Spec(layers=(1,), heads=None, matrix="scores", tokens=(1, 2))),
    ],
)
def test_the_command_makes_the_same_data_file(qapp, tmp_path, monkeypatch, name, spec):
    assert_made_again(make_export(name, spec=spec), tmp_path, monkeypatch)


VIEWS = [
    Spec(view="matrix", matrix="change", heads=None, layers=(1,), tokens=(0, 2)),
    Spec(view="overview", layers=None, heads=None, threshold=0.5),
    Spec(view="compare", compare=("abs", "rel"), heads=(1,)),
    Spec(view="compare", matrix="scores", table="long"),
    Spec(view="why", cell=(2, 0), tokens=(0, 1)),
    Spec(view="encoding", reach=4),
    Spec(view="profile", reach=2, compare=("abs",)),
    Spec(view="lines", heads=None, threshold=0.02),
]


def test_every_picture_is_among_those_that_are_made_again():
    assert {spec.view for spec in VIEWS} == set(PICTURES)


@pytest.mark.parametrize("spec", VIEWS, ids=lambda spec: spec.view)
def test_the_command_makes_the_same_picture(qapp, tmp_path, monkeypatch, spec):
    assert_made_again(make_export("a.svg", spec=spec), tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "look",
    [
        Look(width_mm=85.12345, height_mm=60.0, font_size=7.25, theme="dark", color_map="magma"),
        Look(title="-a “title” & <b>", caption="auto", color_bar=False, labels="turned"),
        Look(title="", caption="--help", axis_names=False, numbers=True, color_range="-1,0.5"),
    ],
)
def test_the_command_makes_the_same_look(qapp, tmp_path, monkeypatch, look):
    assert_made_again(make_export("a.svg", look=look), tmp_path, monkeypatch)


def test_a_text_too_long_for_a_command_is_taken_from_the_file(tmp_path, monkeypatch):
    export = make_export("a.csv", "words " * 20_000, spec=Spec(tokens=(0, 1, 2)), num_layers=1)
    assert command_line(export) == "posenc --from a.csv --export a.csv --force"
    content = content_of(export)
    (tmp_path / "a.csv").write_bytes(content)
    assert_made_again(export, tmp_path, monkeypatch)


# --- reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", EXPORTERS)
def test_every_kind_of_file_says_how_it_was_made(qapp, tmp_path, suffix):
    text = 'a "b" \'c\' <d> &amp; \\ 她 {"posenc_export": 1} \n😀'
    spec = Spec(layers=(1,), heads=(0, 1), tokens=(0, 1, 2))
    look = Look(title='"quoted"', dpi=40, width_mm=60)
    export = make_export(f"a{suffix}", text, spec, look, positional_encoding="rel")
    path = tmp_path / "renamed"
    path.write_bytes(content_of(export))
    state = read_state(path)
    assert state.text == text
    assert state.settings == export.result.request.settings
    assert state.spec == spec
    assert state.look == (look if suffix in PICTURE_EXPORTERS else Look())
    assert state.masked == ()


def test_what_is_carried_is_one_line_that_no_format_has_to_escape():
    line = provenance_json(make_export("a.svg", "<a> & 'b' \n 她"))
    assert line.isascii()
    assert not set("<>&\n") & set(line)
    found = json.loads(line)
    assert found["text"] == "<a> & 'b' \n 她"
    assert found["tokens"] == ["<a>", "&", "'b'", "她"]
    assert next(iter(found)) == "posenc_export"
    assert found["versions"]["torch"]


def test_what_does_not_matter_to_a_file_stands_in_it_with_its_default():
    spec = Spec(view="lines", threshold=0.5, reach=3, matrix="scores", table="long")
    found = provenance(make_export("a.csv", spec=spec))
    assert found["export"] == Spec(matrix="scores", table="long").flat()
    assert "look" not in found


SAVED = {
    "posenc_export": 1,
    "text": "one two",
    "settings": {"weights": "random", "positional_encoding": "rel", "num_layers": 2},
    "masked": [],
    "export": {"layers": "2"},
    "look": {"theme": "dark"},
}


def written(folder: Path, found: object) -> Path:
    path = folder / "a.json"
    path.write_text(found if isinstance(found, str) else json.dumps(found), encoding="utf-8")
    return path


def test_settings_may_be_changed_as_they_are_read(tmp_path):
    path = written(tmp_path, SAVED)
    assert read_state(path).settings == Settings(positional_encoding="rel", num_layers=2)
    changed = read_state(path, {"positional_encoding": "abs", "base": 5.0}).settings
    assert (changed.num_layers, changed.encoding_options) == (2, (("base", 5.0),))
    trained = read_state(path, {"weights": "trained"}).settings
    assert trained.source.kind == "trained"
    with pytest.raises(PosencError, match="num_buckets belongs to the encoding t5"):
        read_state(path, {"num_buckets": 8})


def test_weights_that_are_gone_can_be_replaced(tmp_path):
    path = written(tmp_path, {**SAVED, "settings": {**SAVED["settings"], "weights": "gone.npz"}})
    assert read_state(path, {"weights": "random"}).settings.num_layers == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"posenc_export": 2, "version": "9.9"}, r"another version of the program \(9\.9; this is"),
        ({"text": 3}, "is incomplete or damaged"),
        ({"settings": []}, "is incomplete or damaged"),
        ({"settings": {}}, "is incomplete or damaged"),
        ({"settings": {"weights": ["random"]}}, "weights is"),
        ({"settings": {"weights": "random", "num_layers": 99}}, "num_layers is 99, but has to be"),
        ({"settings": {"weights": "random", "nonsense": 1}}, "There is no option “nonsense”"),
        ({"settings": {"weights": "no such file"}}, "there is no such file or folder"),
        ({"masked": [0]}, "is incomplete or damaged"),
        ({"masked": ["1"]}, "is incomplete or damaged"),
        ({"masked": {}}, "is incomplete or damaged"),
        ({"export": 5}, "is incomplete or damaged"),
        ({"export": {"layers": {}}}, "layers is"),
        ({"export": {"reach": "far"}}, "reach is “far”"),
        ({"export": {"tokens": "1-4096," * 10_000}}, "tokens has 70,000 characters; that is too"),
        ({"export": {"cell": [1, 2, 3]}}, "cell is"),
        ({"look": {"dpi": 1e999}}, "dpi is"),
        ({"look": {"dpi": 10**400}}, "dpi is"),
        ({"look": {"theme": None}}, "theme is"),
        ({"look": {"font": ["x"]}}, "font is"),
        ({"look": {"shine": 1}}, "There is no “shine”"),
        ({"look": "dark"}, "is incomplete or damaged"),
    ],
)
def test_what_is_not_allowed_is_refused_in_a_sentence(tmp_path, change, sentence):
    with pytest.raises(PosencError, match=sentence):
        read_state(written(tmp_path, {**SAVED, **change}))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        '{"posenc_export": 1',
        '{"posenc_export": ' + "[" * 100_000,
        '{"posenc_export": ' + "9" * 10_000 + "}",
        "{&quot;posenc_export&quot;: ",
        "[1, 2]",
        "PK\x03\x04",
        "%PDF-1.4 stream\nx\x9c",
        "\x89PNG\r\n\x1a\n\x00\x00",
    ],
)
def test_files_that_say_nothing_of_themselves(tmp_path, content):
    path = tmp_path / "a.svg"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(PosencError, match=r"“a\.svg” does not say how it was made"):
        read_state(path)


def test_places_where_no_file_is(tmp_path):
    with pytest.raises(PosencError, match="could not be read: no such file"):
        read_state(tmp_path / "none.svg")
    with pytest.raises(PosencError, match="is not an ordinary file"):
        read_state(tmp_path)
    with pytest.raises(PosencError, match="could not be read"):
        read_state(Path("a\0b"))


def test_half_a_character_is_replaced(tmp_path):
    path = written(tmp_path, {**SAVED, "text": "a\ud800b", "look": {"title": "\udfff"}})
    assert read_state(path).text == "a?b"
    assert read_state(path).look.title == "?"


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb() -> bytes:
    """A hundred megabytes of spaces in a tenth of one."""
    packed = zlib.compressobj(9)
    return b"".join(packed.compress(b" " * 2**20) for _ in range(100)) + packed.flush()


def test_bombs_are_opened_a_little_only(tmp_path):
    import tracemalloc

    files = {
        "a.png": b"\x89PNG\r\n\x1a\n" + chunk(b"zTXt", b"posenc\0\0" + bomb()),
        "a.pdf": b"%PDF-1.4\nstream\n" + bomb() + b"\nendstream",
    }
    archive = io.BytesIO()
    with (
        zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file,
        file.open("provenance.npy", "w") as entry,
    ):
        for _ in range(80):
            entry.write(b"\0" * 2**20)
    files["a.npz"] = archive.getvalue()
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        tracemalloc.start()
        with pytest.raises(PosencError, match="does not say how it was made"):
            read_state(tmp_path / name)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 250 * 2**20


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A real file of each kind that is packed, and of one that is not."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, [content_of(make_export(f"a{s}")) for s in (".json", ".npz", ".csv")]


def assert_state_or_sentence(path):
    sentence = "."
    try:
        read_state(path)
    except PosencError as error:
        sentence = error.sentence
    assert sentence.endswith(".")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_give_a_state_or_a_sentence(whole, data):
    folder, contents = whole
    content = bytearray(data.draw(st.sampled_from(contents)))
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(1, len(content)))]
    path = folder / "damaged"
    path.write_bytes(content)
    assert_state_or_sentence(path)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    part=st.sampled_from(["text", "settings", "masked", "export", "look"]),
    name=st.sampled_from(sorted({*Settings().flat(), *Spec().flat(), *Look().flat()})),
    value=ANYTHING,
)
def test_values_of_any_kind_give_a_state_or_a_sentence(whole, part, name, value):
    folder, _ = whole
    inner = SAVED[part]
    for changed in (value, {**inner, name: value} if isinstance(inner, dict) else value):
        assert_state_or_sentence(written(folder, {**SAVED, part: changed}))


@pytest.mark.skipif(os.name != "posix", reason="pipes in folders are POSIX's")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PosencError, match="is not an ordinary file"):
        read_state(tmp_path / "pipe")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".tiff", ".html", ".csv"])
def test_what_a_text_or_a_title_says_is_not_believed(qapp, tmp_path, suffix):
    forged = '{"posenc_export": 1, "text": "evil", "settings": {"weights": "random"}}'
    path = tmp_path / f"a{suffix}"
    export = make_export(path.name, f"x {forged}", look=Look(title=forged, caption=forged))
    path.write_bytes(content_of(export))
    assert read_state(path).text == f"x {forged}"


def test_weights_that_moved_with_the_file_are_found(tmp_path, monkeypatch):
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    monkeypatch.chdir(home)
    np.savez("a.npz", weights=np.full((1, 1, 2, 2), 0.5, np.float32), tokens=["a", "b"])
    request = RunRequest(0, "", Settings.of({"weights": "a.npz"}))
    Path("a.csv").write_bytes(content_of(Export((run(request),), Spec(), Look(), "a.csv")))
    monkeypatch.chdir(other)
    assert Path(read_state(Path("../home/a.csv")).settings.weights).resolve() == home / "a.npz"


def test_the_usual_cell_is_none_of_the_padding():
    text = "one two three four five six\na b"
    values = {"batch": True, "sentence": 2, "show_padding": True}
    result = make_export("a.svg", text, **values).result
    assert len(result.tokens) == 6
    assert Spec().chosen_cell(result) == (1, 0)


def test_a_file_that_lost_what_it_said_is_not_read_from_its_words(qapp, tmp_path):
    forged = '{"posenc_export": 1, "text": "evil", "settings": {"weights": "random"}}'
    content = content_of(make_export("a.svg", forged, look=Look(title=forged)))
    path = tmp_path / "a.svg"
    path.write_bytes(re.sub(rb"<metadata>.*?</metadata>", b"", content))
    with pytest.raises(PosencError, match="does not say how it was made"):
        read_state(path)
