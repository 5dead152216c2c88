"""Several encodings side by side, with checkpoints."""

import json
from pathlib import Path

import pytest
import torch

from posenc_model import encode
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.training.folders import checkpoints_in, prepare_folder
from posenc_model.training.session import RESULTS_NAME, Session
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.threads import few_threads
from posenc_model.training.trainer import Trainer


def finish(session: Session) -> None:
    while session.share_done < 1:
        session.round()


def parameters(trainer: Trainer) -> list[torch.Tensor]:
    return [parameter.detach() for parameter in trainer.learner.parameters()]


def equal(one: Trainer, other: Trainer) -> bool:
    pairs = zip(parameters(one), parameters(other), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


@pytest.fixture
def both(make_settings):
    return [make_settings(positional_encoding=name, steps=6) for name in ("abs", "rel")]


def test_each_learns_as_it_would_alone(both):
    session = Session(both)
    finish(session)
    for run, settings in zip(session.runs, both, strict=True):
        alone = Trainer(settings)
        assert [alone.step() for _ in range(6)] == run.curve
        assert equal(alone, run.trainer)


def test_a_round_is_a_step_each_and_the_share_grows_with_it(both):
    session = Session(both)
    assert (session.share_done, session.seconds_left) == (0, None)
    steps = session.round()
    assert [(index, step.number) for index, step in steps] == [(0, 1), (1, 1)]
    assert session.share_done == pytest.approx(1 / 6)
    assert [run.made_now for run in session.runs] == [1, 1]
    expected = 5 * sum(run.seconds for run in session.runs)
    assert session.seconds_left == pytest.approx(expected)
    finish(session)
    assert session.seconds_left == 0
    assert session.round() == []


def test_without_a_folder_nothing_is_written(both, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    finish(Session(both))
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_session_goes_on_as_if_it_had_not_been(both, tmp_path):
    whole = Session(both)
    finish(whole)
    first = Session(both, tmp_path / "new" / "folder")
    for _ in range(3):
        first.round()
    first.checkpoint()
    first.round()  # lost, as after a crash
    second = Session(both, tmp_path / "new" / "folder", resume=True)
    assert [run.trainer.done for run in second.runs] == [3, 3]
    finish(second)
    for one, other in zip(whole.runs, second.runs, strict=True):
        assert one.curve == other.curve
        assert equal(one.trainer, other.trainer)
        assert other.made_now == 3
    results = json.loads((tmp_path / "new" / "folder" / RESULTS_NAME).read_text("utf-8"))
    assert [entry["steps"] for entry in results] == [6, 6]
    assert [entry["settings"] for entry in results] == [settings.flat() for settings in both]
    assert results[1]["last"]["loss"] == whole.runs[1].curve[-1].loss


def test_checkpoints_are_written_when_they_are_due_and_at_the_end(both, tmp_path, monkeypatch):
    session = Session(both[:1], tmp_path)
    session.round()
    assert checkpoints_in(tmp_path, "abs") == []
    monkeypatch.setattr("posenc_model.training.session.CHECKPOINT_SECONDS", 0.0)
    session.round()
    assert [path.name for path in checkpoints_in(tmp_path, "abs")] == [
        "abs-step-00000002.safetensors"
    ]
    monkeypatch.setattr("posenc_model.training.session.CHECKPOINT_SECONDS", 1e9)
    finish(session)
    assert [run.saved_step for run in session.runs] == [6]
    assert len(checkpoints_in(tmp_path, "abs")) == 2


def test_a_torn_newest_checkpoint_falls_back_to_the_one_before(both, tmp_path):
    session = Session(both[:1], tmp_path)
    for _ in range(3):
        session.round()
        session.checkpoint()
    newest = checkpoints_in(tmp_path, "abs")[-1]
    newest.write_bytes(newest.read_bytes()[:-100])
    again = Session(both[:1], tmp_path, resume=True)
    assert again.runs[0].trainer.done == 2
    finish(again)
    whole = Session(both[:1])
    finish(whole)
    assert equal(whole.runs[0].trainer, again.runs[0].trainer)
    assert whole.runs[0].curve == again.runs[0].curve


def test_where_every_checkpoint_is_torn_that_is_said(both, tmp_path):
    session = Session(both[:1], tmp_path)
    session.round()
    session.checkpoint()
    (path,) = checkpoints_in(tmp_path, "abs")
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(PosencError, match=f"“{path.name}” cannot be read as a checkpoint"):
        Session(both[:1], tmp_path, resume=True)
    assert path.exists()


def test_checkpoints_that_are_there_are_not_written_over(both, tmp_path):
    finish(Session(both[1:], tmp_path))
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(PosencError, match="already holds checkpoints of rel; resume") as refusal:
        Session(both, tmp_path)
    assert refusal.value.setting == "folder"
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_what_has_no_checkpoint_starts_anew_beside_what_has(both, tmp_path):
    finish(Session(both[1:], tmp_path))
    session = Session(both, tmp_path, resume=True)
    assert [run.trainer.done for run in session.runs] == [0, 6]
    assert session.share_done == pytest.approx(0.5)
    assert [index for index, _ in session.round()] == [0]


def test_a_folder_that_cannot_be_used_is_refused(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(PosencError, match=r"/file” is a file, not a folder\.$"):
        prepare_folder(file, ["t5"], resume=False)
    with pytest.raises(PosencError, match="cannot be used: not a directory"):
        prepare_folder(file / "below", ["t5"], resume=False)
    with pytest.raises(PosencError, match=r"cannot be used: .*null"):
        prepare_folder(Path("a\0b"), ["t5"], resume=False)


def test_a_folder_is_refused_before_the_text_is_read(make_settings, tmp_path):
    (tmp_path / "file").touch()
    settings = make_settings(task="masked", text_file="no-such.txt", batch_tokens=64)
    with pytest.raises(PosencError, match="is a file, not a folder"):
        Session([settings], tmp_path / "file")


def test_an_encoder_that_has_learned_a_text_can_be_opened(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n\n".join(f"the dog {i} bites the man ." for i in range(60)), "utf-8")
    settings = TrainingSettings.of(
        {
            "task": "masked",
            "text_file": str(text),
            "positional_encoding": "abs",
            "steps": 2,
            "width": 16,
            "num_layers": 1,
            "num_heads": 2,
            "batch_tokens": 64,
        }
    )
    session = Session([settings], tmp_path / "made")
    session.round()
    session.checkpoint()
    path = tmp_path / "made" / "abs-encoder.safetensors"
    assert not path.exists()
    session.round()
    result = encode("the dog bites", weights=str(path), nlp_pipeline="whitespace")
    assert (result.num_layers, result.num_heads, result.can_guess) == (1, 2, True)
    assert result.is_unknown == (False, False, False)


def test_cutting_a_long_text_can_be_ended(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("one two three .\n" * 50, "utf-8")
    asked = []

    def check():
        asked.append(1)
        if len(asked) > 10:
            raise RunCancelled

    settings = TrainingSettings.of({"task": "masked", "text_file": str(text)})
    with pytest.raises(RunCancelled):
        Session([settings], check=check)
    assert len(asked) == 11


def test_small_steps_use_one_thread_and_give_the_others_back():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with few_threads(TrainingSettings()):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with few_threads(TrainingSettings(width=512)):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
