"""One text on the command line: what is printed and what is written."""

import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from posenc_model import cli
from posenc_model.cli_run import run_text
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters import Exporter, Rendered
from posenc_model.exporters.look import Look
from posenc_model.exporters.spec import Spec
from posenc_model.run import encode

SMALL = ["--width", "16", "--num_layers", "2", "--num_heads", "2", "--nlp_pipeline", "whitespace"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_text_prints_blocks_encoding_tokens_and_the_last_hidden_states(capsys, encoding):
    arguments = cli.parse(["--text", "dog bites man", "--positional_encoding", encoding, *SMALL])
    assert run_text(arguments, {}) == 0
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
    assert run_text(cli.parse(["--text", "naïve 她", *SMALL]), {}) == 0
    sys.stdout.flush()
    assert b"Tokens (2): na\\xefve | \\u5979" in written.getvalue()


def test_warnings_and_unknown_words_are_printed(capsys, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("dog bites man", encoding="utf-8")
    line = ["--text", "dog eats the man", "--embedding", "one-hot", "--vocabulary", str(words)]
    assert run_text(cli.parse([*line, *SMALL]), {}) == 0
    out, err = capsys.readouterr()
    assert "Unknown, so zero vectors: eats, the\n" in out
    assert err == (
        "Warning: 2 heads do not divide the width 3; the nearest number that does is used: 1.\n"
    )


def test_every_unknown_word_is_named_where_they_are_not_ignored():
    line = ["--embedding", "one-hot", "--vocabulary", "sample", "--unk_ignore", "no", "--text"]
    with pytest.raises(PosencError, match="“zebra”, “quagga”"):
        run_text(cli.parse([*line, "zebra quagga zebra", *SMALL]), {})


def test_what_is_asked_for_is_handed_to_the_exporter_and_the_file_named(capsys, tmp_path):
    asked = []

    def render(export):
        asked.append(export)
        return Rendered(b"picture", ("It is small.",))

    target = tmp_path / "out.PNG"
    line = ["--text", "a b c", "--layer", "2", "--head", "1", "--export", str(target), *SMALL]
    line += ["--matrix", "scores", "--theme", "dark"]
    pictures = {".png": Exporter(".png", "", render, is_picture=True)}
    assert run_text(cli.parse(line), pictures) == 0
    (export,) = asked
    assert len(export.results) == 1
    assert len(export.result.tokens) == 3
    assert export.spec == Spec(layers=(1,), heads=(0,), matrix="scores")
    assert (export.look, export.file_name) == (Look(theme="dark"), "out.PNG")
    assert target.read_bytes() == b"picture"
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == f"Written: {target}"
    assert err == "Note: It is small.\n"


def test_each_head_can_become_a_file(capsys, tmp_path):
    line = ["--text", "a b", "--all_heads", "--arrange", "files", *SMALL]
    line += ["--export", str(tmp_path / "out.csv")]
    assert run_text(cli.parse(line), {}) == 0
    names = [f"out-layer{layer}-head{head}.csv" for layer in (1, 2) for head in (1, 2)]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    written = capsys.readouterr().out.splitlines()[-4:]
    assert written == [f"Written: {tmp_path / name}" for name in names]
    assert len({(tmp_path / name).read_text("utf-8").splitlines()[-1] for name in names}) == 4


def test_encodings_are_compared_once_for_all_files(monkeypatch, tmp_path):
    asked = []

    def render(export):
        asked.append(export.results)
        return Rendered(b"")

    line = ["--text", "a b", "--compare", "abs,t5", "--layers", "all", *SMALL]
    line += ["--arrange", "files", "--export", str(tmp_path / "a.svg")]
    run_text(cli.parse(line), {".svg": Exporter(".svg", "", render, is_picture=True)})
    first, second = asked
    assert [result.encoding_title for result in first] == ["t5", "abs"]
    assert first is second


def test_an_existing_file_stays_unless_it_is_to_be_replaced(monkeypatch, tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")
    line = ["--text", "a b", "--export", str(target), *SMALL]
    with monkeypatch.context() as nothing_runs:
        nothing_runs.setattr("posenc_model.run.run", None)
        with pytest.raises(PosencError, match=r"out\.csv” exists already; add --force to replace"):
            run_text(cli.parse(line), {})
        split = ["--heads", "1-2", "--arrange", "files"]
        (tmp_path / "out-layer1-head2.csv").touch()
        with pytest.raises(PosencError, match=r"out-layer1-head2\.csv” exists already"):
            run_text(cli.parse([*line, *split]), {})
    assert target.read_text() == "old"
    run_text(cli.parse([*line, "--force"]), {})
    assert target.read_text("utf-8-sig").startswith('"# {')


def test_one_name_for_two_files_is_refused(tmp_path):
    name = str(tmp_path / "out.csv")
    arguments = cli.parse(["--text", "a b", "--export", name, "--export", name, *SMALL])
    with pytest.raises(PosencError, match="would be written twice"):
        run_text(arguments, {})


def test_names_that_are_known_only_after_the_run_are_looked_at_before_anything_is_written(tmp_path):
    (tmp_path / "out-layer2-head2.csv").touch()
    line = ["--text", "a b", "--all_heads", "--arrange", "files", *SMALL]
    line += ["--export", str(tmp_path / "out.csv")]
    with pytest.raises(PosencError, match="exists already"):
        run_text(cli.parse(line), {})
    assert len(list(tmp_path.iterdir())) == 1


def test_a_head_that_a_vocabulary_leaves_no_room_for_is_refused(tmp_path):
    line = ["--text", "a b", "--head", "3", "--num_heads", "4", "--embedding", "one-hot"]
    line += ["--export", str(tmp_path / "a.csv"), "--nlp_pipeline", "whitespace"]
    with pytest.raises(PosencError, match="head is 3, but has to be from 1 to 2, or mean"):
        run_text(cli.parse(line), {})


def test_an_empty_text_is_refused_and_does_not_open_the_window():
    arguments = cli.parse(["--text", ""])
    assert arguments.text == ""
    with pytest.raises(PosencError, match="type a sentence"):
        run_text(arguments, {})


@pytest.mark.parametrize(
    ("export", "sentence"),
    [("taken.csv", "is a folder"), ("nowhere/out.csv", "There is no folder")],
)
def test_an_impossible_target_is_refused_before_anything_runs(
    monkeypatch, tmp_path, export, sentence
):
    monkeypatch.chdir(tmp_path)
    Path("taken.csv").mkdir()
    monkeypatch.setattr("posenc_model.run.run", None)
    arguments = cli.parse(["--text", "one", "--export", export])
    with pytest.raises(PosencError, match=sentence):
        run_text(arguments, {})


def test_a_token_cannot_steer_the_terminal(capsys):
    run_text(cli.parse(["--text", "a\x1b[31m b\u202ec", *SMALL]), {})
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert r"a\x1b[31m | b\u202ec" in out
