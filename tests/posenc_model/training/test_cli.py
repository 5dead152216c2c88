"""``posenc train`` and ``posenc lengths``."""

import csv
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from posenc_gui import launch
from posenc_model.encodings import ENCODINGS
from posenc_model.training import TASKS, cli
from posenc_model.training.folders import checkpoints_in
from posenc_model.training.progress import in_words, progress_line
from posenc_model.training.session import Session
from posenc_model.training.settings import TRAINING_SETTINGS, TrainingSettings

ROOT = Path(__file__).resolve().parents[3]
SMALL = ["--width", "8", "--num_heads", "2", "--batch_tokens", "64", "--steps", "4"]


def small(encoding: str, **values: object) -> TrainingSettings:
    own = {"width": 8, "num_heads": 2, "batch_tokens": 64, "steps": 4}
    return TrainingSettings.of({**own, "positional_encoding": encoding, **values})


@pytest.fixture
def no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is trained: a mistake has to be told before."""
    monkeypatch.setattr("posenc_model.training.session.Session", None)


def test_nothing_typed_means_the_defaults():
    assert cli.parse([], "train") == cli.Arguments((TrainingSettings(),))
    arguments = cli.parse([], "lengths")
    assert [one.positional_encoding for one in arguments.settings] == list(ENCODINGS)
    assert arguments.lengths == (20, 40, 80, 160)


@pytest.mark.parametrize("spelled", [lambda name: name, lambda name: name.replace("_", "-")])
@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_option_can_be_typed_either_way(command, spelled):
    for task in TASKS.values():
        for encoding in ENCODINGS.values():
            options = [*TRAINING_SETTINGS, *task.options, *encoding.options]
            values = {option.name: option.default for option in options}
            values |= {"task": task.name, "positional_encoding": encoding.name, "seed": 7}
            line = [f"--{spelled(name)}={value}" for name, value in values.items()]
            assert cli.parse(line, command).settings == (TrainingSettings.of(values),)


def test_several_encodings_share_all_but_their_own_options():
    line = ["--positional_encoding", "abs, rel,abs", "--clip_distance", "4", "--base", "50"]
    one, other = cli.parse(line, "train").settings
    assert one == TrainingSettings.of({"positional_encoding": "abs", "base": 50.0})
    assert other == TrainingSettings.of({"positional_encoding": "rel", "clip_distance": 4})


def test_a_folder_and_lengths_are_read():
    arguments = cli.parse(["--folder", "a", "--resume", "--lengths", "40,20,40"], "lengths")
    assert (arguments.folder, arguments.resume) == (Path("a"), True)
    assert arguments.lengths == (20, 40)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("--steps 0", "steps is 0, but has to be a whole number from 1 to 10,000,000."),
        (
            "--positional_encoding abs,sine",
            "positional_encoding is “sine”, but has to be one of t5, rel, abs, none.",
        ),
        (
            "--positional_encoding abs,",
            "positional_encoding is “”, but has to be one of t5, rel, abs, none.",
        ),
        (
            "--positional_encoding abs,none --clip-distance 4",
            "clip_distance belongs to the encoding rel; add “--positional_encoding rel”.",
        ),
        ("--nth 4", "nth belongs to the task copy; add “--task copy”."),
        (
            "--task masked --text_file a --kinds 4",
            "kinds belongs to the tasks recall, reverse, sort, copy; add “--task recall”.",
        ),
        ("--task masked", "Choose a text file to learn from."),
        (
            "--task masked --text_file no-such.txt",
            "The text to learn from: “no-such.txt” could not be read: no such file or directory.",
        ),
        (
            "--min_length 5",
            "min_length is 5, but has to be more than 10 to have a word 10 places to the left.",
        ),
        (
            "--max_distance 8",
            "The maximum distance is 8, but with 32 buckets it has to be more than 8 "
            "(a quarter of the buckets).",
        ),
        ("--resume", "--resume needs the folder to go on from: give --folder."),
        ("--folder file", "“file” is a file, not a folder."),
        ("--folder file/below", "“file/below” cannot be used: not a directory."),
        (
            "--folder done --positional_encoding abs,rel",
            "“done” already holds checkpoints of rel; resume that training or choose another "
            "folder.",
        ),
        ("--no_such 1", "Unrecognized arguments: --no_such 1; see --help."),
        ("--step 1", "Unrecognized arguments: --step 1; see --help."),
        ("more", "Unrecognized arguments: more; see --help."),
        ("--steps", "Argument --steps: expected one argument; see --help."),
        ("--lengths 20", "Unrecognized arguments: --lengths 20; see --help."),
    ],
)
def test_a_wrong_line_is_one_sentence_and_exit_code_2(
    capsys, monkeypatch, tmp_path, no_training, line, sentence
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "done").mkdir()
    (tmp_path / "done" / "rel-step-00000009.safetensors").touch()
    assert launch.main(["train", *line.split()]) == 2
    assert capsys.readouterr() == ("", f"{sentence}\n")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "--lengths 5,20",
            "lengths is 5, but has to be more than 10 to have a word 10 places to the left.",
        ),
        ("--lengths 20,long", "lengths is “long”, but has to be a whole number from 1 to 4,096."),
        ("--lengths 20,,40", "lengths is “”, but has to be a whole number from 1 to 4,096."),
        (
            "--task masked --text_file no-such.txt",
            "The length test needs a task of made-up sentences, which can have any length; "
            "a text cannot be made longer.",
        ),
        ("--export out.txt", "The file name “out.txt” has to end in .csv."),
        ("--export no/out.csv", "There is no folder “no” to write “out.csv” to."),
        ("--export .", "“.” is a folder; give a file name."),
    ],
)
def test_a_wrong_length_test_is_refused_before_anything_is_learned(
    capsys, monkeypatch, tmp_path, no_training, line, sentence
):
    monkeypatch.chdir(tmp_path)
    assert launch.main(["lengths", *line.split()]) == 2
    assert capsys.readouterr() == ("", f"{sentence}\n")
    assert list(tmp_path.iterdir()) == []


def test_mistakes_are_told_without_torch():
    lines = [["--min_length", "5"], ["--folder", "main.py"], ["--positional_encoding", "no"]]
    code = (
        "import sys\nfrom posenc_gui import launch\n"
        f"codes = [launch.main([c, *line]) for line in {lines} for c in ('train', 'lengths')]\n"
        "print(codes, 'torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "[2, 2, 2, 2, 2, 2] False\n"
    assert len(done.stderr.splitlines()) == 6


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_help_explains_every_option_task_and_encoding(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        launch.main([command, "--help"])
    assert end.value.code == 0
    words = capsys.readouterr().out
    for info in (*TASKS.values(), *ENCODINGS.values()):
        assert info.summary[:30] in words
        for option in info.options:
            assert words.count(f"  --{option.name} ") == 1
    for option in TRAINING_SETTINGS:
        assert words.count(f"  --{option.name} ") == 1
    assert "--folder FOLDER" in words
    assert "  --resume " in words
    assert f"  posenc {command}" in words  # an example
    assert "(1000; 1500 for reverse, sort, copy; 2000 for masked)" in " ".join(words.split())
    assert max(len(line) for line in words.splitlines()) <= 80


def test_training_prints_a_table(capsys):
    assert launch.main(["train", "--positional_encoding", "abs,rel", *SMALL]) == 0
    out, err = capsys.readouterr()
    title, head, *rows = out.splitlines()
    assert title == "On sentences that were never learned from:"
    assert head.split() == ["encoding", "steps", "loss", "accuracy", "seconds", "tokens/s"]
    session = Session([small("abs"), small("rel")])
    while session.share_done < 1:
        session.round()
    for row, run in zip(rows, session.runs, strict=True):
        loss, accuracy = run.trainer.evaluate(session.task.held_out())
        cells = row.split()
        assert cells[:3] == [run.name, "4", f"{loss:.3f}"]
        assert cells[3:5] == [f"{accuracy:.0%}"[:-1], "%"]
        assert float(cells[5]) >= 0
        assert int(cells[6].replace(",", "")) > 0
        assert len(row) == len(head)
    assert err == ""


def test_a_finished_training_is_not_trained_again(capsys, tmp_path, monkeypatch):
    line = [*SMALL, "--positional_encoding", "abs,rel", "--folder", str(tmp_path / "a")]
    assert launch.main(["train", *line]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == f"Checkpoints: {tmp_path / 'a'}"
    monkeypatch.setattr("posenc_model.training.trainer.Trainer.step", None)
    assert launch.main(["train", *line, "--resume"]) == 0
    again = capsys.readouterr().out.splitlines()
    for old, new in zip(out.splitlines()[2:4], again[2:4], strict=True):
        assert new.split() == [*old.split()[:5], "–", "–"]
    export = tmp_path / "out.csv"
    lengths = ["--lengths", "20,40", "--export", str(export)]
    assert launch.main(["lengths", *line, "--resume", *lengths]) == 0
    title, head, *rows, empty, said, written = capsys.readouterr().out.splitlines()
    assert title == "Words named rightly, by the length of the sentence:"
    assert head.split() == ["encoding", "20", "40"]
    assert [row.split()[0] for row in rows] == ["abs", "rel"]
    assert (empty, written) == ("", f"Written: {export}")
    assert re.match(r"In sentences of 20 words, as in training, .* In sentences of 40 words", said)
    with export.open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.reader(file))
    assert table[0] == ["encoding", "20", "40"]
    for row, (name, *shares) in zip(rows, table[1:], strict=True):
        assert row.split() == [
            name,
            *(word for share in shares for word in (f"{100 * float(share):.0f}", "%")),
        ]


def test_what_has_no_checkpoint_to_go_on_from_is_named(capsys, tmp_path):
    line = ["train", *SMALL, "--folder", str(tmp_path), "--resume"]
    assert launch.main(line) == 0
    assert capsys.readouterr().err == f"“{tmp_path}” has no checkpoint of t5; it starts anew.\n"


def test_heads_that_do_not_divide_the_width_are_warned_of(capsys):
    assert launch.main(["train", *SMALL, "--num_heads", "3"]) == 0
    assert capsys.readouterr().err == (
        "Warning: 3 heads do not divide the width 8; the nearest number that does is used: 2.\n"
    )


def interrupt_after(monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    """Has Ctrl+C pressed within a round, but for the step's end."""
    play = Session.round
    played = []

    def played_round(self: Session) -> object:
        played.append(1)
        if len(played) == rounds:
            signal.raise_signal(signal.SIGINT)
        return play(self)

    monkeypatch.setattr(Session, "round", played_round)


def test_an_interrupted_training_keeps_a_checkpoint_and_says_so(capsys, tmp_path, monkeypatch):
    line = ["train", *SMALL, "--folder", str(tmp_path)]
    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        interrupt_after(patch, 2)
        assert launch.main(line) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"Stopped after step 2; a checkpoint is in “{tmp_path}”; go on with --resume.\n"
    assert [path.name for path in checkpoints_in(tmp_path, "t5")] == [
        "t5-step-00000002.safetensors"
    ]
    assert signal.getsignal(signal.SIGINT) is before
    assert launch.main([*line, "--resume"]) == 0


def test_an_interrupted_training_without_a_folder_says_that_nothing_is_kept(capsys, monkeypatch):
    interrupt_after(monkeypatch, 1)
    assert launch.main(["lengths", *SMALL]) == 130
    assert capsys.readouterr() == (
        "",
        "Stopped after step 1; nothing is kept, because no --folder was given.\n",
    )


def test_a_second_interrupt_ends_at_once(monkeypatch):
    def play(self: Session) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("it went on")

    monkeypatch.setattr(Session, "round", play)
    assert launch.main(["train", *SMALL]) == 130


def test_progress_is_logged_where_nobody_watches(capsys, monkeypatch):
    monkeypatch.setattr("posenc_model.training.progress.LOGGED_SECONDS", 0.0)
    assert launch.main(["train", *SMALL, "--positional_encoding", "abs,rel"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    state = r"loss \d\.\d{3} \d+ % right"
    for number, line in enumerate(lines, 1):
        expected = f" *{25 * number} %, \\d+ s left, step {number} of 4: abs {state}, rel {state}"
        assert re.fullmatch(expected, line)


def test_progress_is_one_line_where_somebody_watches(capsys, monkeypatch):
    monkeypatch.setattr("posenc_model.training.progress.WATCHED_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "50")
    assert launch.main(["train", *SMALL]) == 0
    err = capsys.readouterr().err
    assert "\n" not in err
    shown = [piece for piece in err.split("\r") if piece]
    assert max(map(len, shown)) <= 49
    assert any(piece.startswith(" 50 %, 0 s left, step 2 of 4: t5 ") for piece in shown)
    assert shown[-1].strip() == ""


def test_a_narrow_terminal_is_not_shown_the_losses():
    session = Session([small("abs"), small("rel")])
    session.round()
    wide, narrow = progress_line(session), progress_line(session, 60)
    assert wide.count("loss") == 2
    assert re.fullmatch(r" 25 %, 0 s left, step 1 of 4: abs \d+ %, rel \d+ %", narrow)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "0 s"),
        (89.4, "89 s"),
        (90, "2 min"),
        (3569, "59 min"),
        (3600, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_time_in_words(seconds, words):
    assert in_words(seconds) == words


def test_the_programs_own_entry_knows_the_commands():
    for command in cli.COMMANDS:
        line = [sys.executable, "main.py", command, "--steps", "0"]
        done = subprocess.run(line, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("steps is 0, but has to be a whole number from 1")
