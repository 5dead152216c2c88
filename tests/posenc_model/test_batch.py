"""Many texts on the command line."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from posenc_model import cli
from posenc_model.batch import INTERRUPTED, run_batch
from posenc_model.errors import PosencError
from posenc_model.exporters import Exporter, Rendered
from posenc_model.exporters.provenance import read_state

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["--width", "16", "--num_layers", "2", "--num_heads", "2", "--nlp_pipeline", "whitespace"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Where the command is given, and its texts are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.txt").write_text("one two\n\nthree four five\nsix\n")
    return tmp_path


def batch(*line: str, load=dict, source="texts.txt") -> int:
    return run_batch(cli.parse(["--input", source, *SMALL, *line]), load)


def wait_until(is_so: Callable[[], bool]) -> None:
    """For what other processes do."""
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def written(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix not in (".txt", ".jsonl"))


def test_each_text_becomes_its_files(folder, capsys):
    assert batch("--export", "{number}-{encoding}.csv", "--export", "a.json") == 0
    assert written(folder) == [
        "1-t5.csv",
        "3-t5.csv",
        "4-t5.csv",
        "a-1.json",
        "a-3.json",
        "a-4.json",
    ]
    assert json.loads((folder / "a-3.json").read_text("utf-8"))["tokens"] == [
        "three",
        "four",
        "five",
    ]
    out, err = capsys.readouterr()
    assert re.fullmatch(r"Written: 6 files for 3 texts in \d+ s\.\n", out)
    assert err == ""


def test_numbers_have_as_many_digits_as_the_last(folder):
    (folder / "texts.txt").write_text("a b\n" + "\n" * 9 + "c d\n")
    batch("--export", "{stem}-{number}.csv")
    assert written(folder) == ["texts-01.csv", "texts-11.csv"]


def test_names_say_text_layer_and_head(folder):
    batch("--export", "{text}_{layer}_{head}.csv", "--layer", "2", "--heads", "all")
    assert written(folder) == ["one-two_2_all.csv", "six_2_all.csv", "three-four-five_2_all.csv"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("{text}.csv", ["six-layer1-head1.csv", "six-layer1-head2.csv"]),
        ("{head}-{text}.csv", ["1-six.csv", "2-six.csv"]),
    ],
)
def test_a_file_each_is_told_apart_by_the_pattern_or_by_itself(folder, name, expected):
    (folder / "texts.txt").write_text("six")
    batch("--export", name, "--heads", "all", "--arrange", "files")
    assert written(folder) == expected


def test_the_command_in_a_file_makes_that_file(folder, capsys):
    from posenc_model.cli_run import run_text

    batch("--export", "{number}.json", "--seed", "3")
    command = json.loads((folder / "3.json").read_text("utf-8"))["provenance"]["command"]
    assert command.startswith("posenc --text 'three four five' ")
    assert command.endswith(" --export 3.json")
    assert read_state(folder / "3.json").text == "three four five"
    before = (folder / "3.json").read_bytes()
    arguments = cli.parse(
        ["--text", "three four five", "--seed", "3", *SMALL, "--export", "again.json"]
    )
    run_text(arguments, {})
    assert (folder / "again.json").read_bytes() == before.replace(b"3.json", b"again.json")


def test_a_bad_text_is_told_and_the_others_go_on(folder, capsys):
    lines = ['{"text": "a b"}', "{", '{"text": "\u200b"}', '{"text": "c d e"}', '{"txt": "f"}']
    lines += ['{"text": "g"}', '{"text": " "}']
    (folder / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "4.csv").write_text("old")
    assert batch("--export", "{number}.csv", "--tokens", "1-2", source="texts.jsonl") == 1
    assert written(folder) == ["1.csv", "4.csv"]
    first, *failures = capsys.readouterr().out.splitlines()
    assert first.startswith("Written: 1 file for 1 of 6 texts in ")
    assert first.endswith("; 5 failed:")
    assert failures == [
        "line 2: It is not valid JSON.",
        "line 3: token is 2, but has to be 1.",
        "line 4: “4.csv” exists already; add --force to replace it, or give another name.",
        "line 5: It has no key “text”; there are: “txt”.",
        "line 6: token is 2, but has to be 1.",
    ]
    assert (folder / "4.csv").read_text() == "old"


def test_existing_files_are_replaced_where_that_is_asked(folder):
    (folder / "1.csv").write_text("old")
    assert batch("--export", "{number}.csv", "--force") == 0
    assert (folder / "1.csv").read_text("utf-8-sig").startswith('"# {')


def test_a_bug_in_one_text_does_not_end_the_others(folder, capsys, monkeypatch):
    def render(export):
        if len(export.result.tokens) == 3:
            raise ZeroDivisionError("by zero")
        return Rendered(b"")

    broken = {".svg": Exporter(".svg", "", render, is_picture=True)}
    assert batch("--export", "{number}.svg", load=lambda: broken) == 1
    assert written(folder) == ["1.svg", "4.svg"]
    _, failure = capsys.readouterr().out.splitlines()
    assert failure == "line 3: Something went wrong in the program (ZeroDivisionError: by zero)."


def test_what_is_said_of_several_texts_is_said_once(folder, capsys):
    (folder / "texts.txt").write_text("\n".join("abcdefgh"))
    exporters = {
        ".svg": Exporter(".svg", "", lambda export: Rendered(b"", ("Small.",)), is_picture=True)
    }
    line = ["--export", "a.svg", "--num_heads", "3", "--seed", "77"]
    run_batch(cli.parse(["--input", "texts.txt", *SMALL, *line]), lambda: exporters)
    assert capsys.readouterr().err.splitlines() == [
        "Warning: 3 heads do not divide the width 16; the nearest number that does is used: 2. "
        "(lines 1, 2, 3, 4, 5 and 3 more)",
        "Note: Small. (lines 1, 2, 3, 4, 5 and 3 more)",
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (["--export", "{stem}.csv"], "Lines 1 and 3 would both be written to “texts.csv”; tell"),
        (["--export", "{number}.csv"] * 2, "Line 1 would twice be written to “1.csv”"),
        (["--export", "none/{number}.csv"], "There is no folder “none” to write “{number}.csv” to"),
    ],
)
def test_names_that_cannot_be_are_refused_before_anything_runs(folder, monkeypatch, line, sentence):
    monkeypatch.setattr("posenc_model.run.run", None)
    with pytest.raises(PosencError) as refusal:
        batch(*line)
    assert refusal.value.sentence.startswith(sentence)
    assert written(folder) == []


def test_progress_is_shown_where_somebody_watches(folder, monkeypatch, capsys):
    shown: list[str] = []
    monkeypatch.setattr("posenc_model.batch.show_line", shown.append)
    batch("--export", "{number}.csv")
    assert [line.partition(" texts")[0] for line in shown] == [
        "[                    ] 0 of 3",
        "[######              ] 1 of 3",
        "[#############       ] 2 of 3",
        "[####################] 3 of 3",
    ]


def test_ctrl_c_ends_it_and_says_how_far_it_came(folder, capsys):
    def render(export):
        if len(export.result.tokens) == 3:
            raise KeyboardInterrupt
        return Rendered(b"")

    exporters = {".svg": Exporter(".svg", "", render, is_picture=True)}
    assert batch("--export", "{number}.svg", load=lambda: exporters) == INTERRUPTED
    assert written(folder) == ["1.svg"]
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Stopped. Written: 1 file for 1 of 3 texts in ")


@pytest.mark.skipif(os.name != "posix", reason="Ctrl+C is another thing there")
def test_several_processes_make_the_same_files_and_end_together(folder):
    line = ["--export", "{number}.json", "--compare", "abs", "--all_heads"]
    texts = [f"word {number}" for number in range(3000)]
    (folder / "texts.txt").write_text("\n".join(texts))
    program = "import sys; from posenc_gui.launch import main; sys.exit(main(sys.argv[1:]))"
    running = subprocess.Popen(
        [sys.executable, "-c", program, "--input", "texts.txt", *SMALL, *line, "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of its own, all of which a terminal interrupts
    )
    wait_until(lambda: len(written(folder)) >= 5 or running.poll() is not None)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == INTERRUPTED
    assert err.startswith("Stopped. Written: ")
    assert err.count("\n") == 1
    made = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".txt"}
    wait_until(lambda: not is_alive(running.pid))  # Python's own helper ends a moment later
    assert len(made) < len(texts)
    for name in made:
        (folder / name).unlink()
    last = max(int(name.removesuffix(".json")) for name in made)  # and none is half written
    # As many lines, so that their numbers have as many digits.
    (folder / "texts.txt").write_text("\n".join(texts[:last]) + "\n" * (3000 - last) + texts[-1])
    batch(*line)
    for name, content in made.items():
        assert (folder / name).read_bytes() == content
