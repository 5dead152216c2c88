"""Checkpoints: nothing is lost, nothing wrong is believed."""

import json
import struct
from pathlib import Path

import pytest
import torch

from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.training.checkpoints import (
    KEEP,
    load_checkpoint,
    read_checkpoint,
    save_checkpoint,
)
from posenc_model.training.folders import checkpoint_name, checkpoints_in
from posenc_model.training.trainer import Step, Trainer


def header_of(path: Path) -> tuple[dict[str, object], bytes]:
    """The header of a safetensors file, read without its library, and the data."""
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def with_header(path: Path, change) -> None:
    header, data = header_of(path)
    change(header)
    encoded = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + data)


def same(one: Trainer, other: Trainer) -> bool:
    """Whether model and optimizer agree bit for bit."""
    models = zip(one.learner.parameters(), other.learner.parameters(), strict=True)
    for a, b in models:
        if not torch.equal(a, b):
            return False
        first, second = one.optimizer.state[a], other.optimizer.state[b]
        if first.keys() != second.keys():
            return False
        if not all(torch.equal(first[key], second[key]) for key in first):
            return False
    return True


@pytest.fixture
def saved(make_settings, tmp_path):
    """A checkpoint after three steps."""
    trainer = Trainer(make_settings())
    curve = [trainer.step() for _ in range(3)]
    return save_checkpoint(tmp_path, trainer, curve)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_resumed_training_is_an_uninterrupted_one_bit_for_bit(
    make_settings, tmp_path, encoding, precision
):
    settings = make_settings(positional_encoding=encoding, precision=precision, num_layers=2)
    whole, first, second = (Trainer(settings) for _ in range(3))
    steps = [whole.step() for _ in range(9)]
    curve = [first.step() for _ in range(4)]
    path = save_checkpoint(tmp_path, first, curve)
    second.step()  # what it was before must not matter
    checkpoint = load_checkpoint(path, second)
    assert second.done == 4
    assert [*checkpoint.curve, *(second.step() for _ in range(5))] == steps
    assert same(whole, second)


def test_a_checkpoint_before_the_first_step_is_one_too(make_settings, tmp_path):
    path = save_checkpoint(tmp_path, Trainer(make_settings()), [])
    trainer, other = Trainer(make_settings()), Trainer(make_settings())
    assert load_checkpoint(path, trainer).curve == ()
    assert trainer.step() == other.step()


def test_the_header_says_what_was_trained(make_settings, saved):
    assert saved.name == "t5-step-00000003.safetensors"
    checkpoint = read_checkpoint(saved)
    assert checkpoint.settings == make_settings()
    assert checkpoint.words == Trainer(make_settings()).task.words
    assert checkpoint.step == 3
    assert [step.number for step in checkpoint.curve] == [1, 2, 3]
    assert all(isinstance(step, Step) for step in checkpoint.curve)


def test_only_the_last_three_of_each_encoding_are_kept(make_settings, tmp_path):
    (tmp_path / "t5-step-notes.safetensors").touch()
    save_checkpoint(tmp_path, Trainer(make_settings(positional_encoding="rel")), [])
    trainer = Trainer(make_settings())
    for _ in range(5):
        trainer.step()
        save_checkpoint(tmp_path, trainer, [])
    assert KEEP == 3
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        "rel-step-00000000.safetensors",
        "t5-step-notes.safetensors",
        *(checkpoint_name("t5", step) for step in (3, 4, 5)),
    }
    assert [path.name for path in checkpoints_in(tmp_path, "t5")] == sorted(
        checkpoint_name("t5", step) for step in (3, 4, 5)
    )


def test_where_a_new_one_cannot_be_written_the_old_ones_stay(make_settings, tmp_path, monkeypatch):
    trainer = Trainer(make_settings())
    for _ in range(3):
        trainer.step()
        save_checkpoint(tmp_path, trainer, [])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    trainer.step()
    with pytest.raises(PosencError, match="no space left on device"):
        save_checkpoint(tmp_path, trainer, [])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_more_steps_may_be_planned(make_settings, saved):
    trainer = Trainer(make_settings(steps=50))
    load_checkpoint(saved, trainer)
    assert trainer.done == 3


@pytest.mark.parametrize(
    ("values", "what"),
    [({"width": 16}, "width"), ({"seed": 1}, "seed"), ({"kinds": 5, "places": 3}, "kinds, places")],
)
def test_a_checkpoint_of_another_training_is_refused(make_settings, saved, values, what):
    with pytest.raises(PosencError) as refusal:
        load_checkpoint(saved, Trainer(make_settings(**values)))
    assert refusal.value.sentence == (
        f"“{saved.name}” belongs to another training (other {what}); choose another folder."
    )


def test_a_checkpoint_of_another_text_is_refused(make_settings, text_file, tmp_path):
    settings = make_settings(task="masked", text_file=str(text_file), max_length=12, num_layers=1)
    path = save_checkpoint(tmp_path, Trainer(settings), [])
    text_file.write_text("other words .\n\n" + text_file.read_text("utf-8") * 2, encoding="utf-8")
    with pytest.raises(PosencError, match="another training \\(other the text\\)"):
        load_checkpoint(path, Trainer(settings))


def change_metadata(name, value):
    def change(header):
        header["__metadata__"][name] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        change_metadata("settings", "no json"),
        change_metadata("settings", "[1]"),
        change_metadata("settings", '{"width": "wide"}'),
        change_metadata("settings", '{"no_such": 1}'),
        change_metadata("words", "3"),
        change_metadata("step", "three"),
        change_metadata("curve", '[{"number": 1}]'),
        change_metadata("curve", "[1]"),
        change_metadata("format", "other"),
        lambda header: header["__metadata__"].pop("step"),
        lambda header: header.pop("__metadata__"),
    ],
)
def test_a_changed_header_is_told_in_a_sentence(saved, change):
    with_header(saved, change)
    with pytest.raises(PosencError) as refusal:
        read_checkpoint(saved)
    assert refusal.value.sentence.startswith(f"“{saved.name}” ")
    assert refusal.value.sentence.endswith(".")
    assert "\n" not in refusal.value.sentence


@pytest.mark.parametrize("name", ["model.words", "optimizer.exp_avg.words"])
def test_a_tensor_of_another_shape_or_a_missing_one_is_told_in_a_sentence(
    make_settings, saved, name
):
    def reshape(header):
        header[name]["shape"] = [header[name]["shape"][0] * header[name]["shape"][1]]

    def rename(header):
        header[f"{name}.other"] = header.pop(name)

    for change in (reshape, rename):
        with_header(saved, change)
        trainer, other = Trainer(make_settings()), Trainer(make_settings())
        with pytest.raises(PosencError, match="its numbers do not fit its settings"):
            load_checkpoint(saved, trainer)
        assert trainer.step() == other.step()  # nothing was changed


@pytest.mark.parametrize("content", [b"", b"not a checkpoint at all", b"\xff" * 100])
def test_what_is_no_checkpoint_is_told_in_a_sentence(tmp_path, content):
    path = tmp_path / "t5-step-00000001.safetensors"
    path.write_bytes(content)
    with pytest.raises(PosencError, match="cannot be read as a checkpoint"):
        read_checkpoint(path)


def test_a_missing_file_is_told_in_a_sentence(tmp_path):
    with pytest.raises(PosencError, match="cannot be read as a checkpoint"):
        read_checkpoint(tmp_path / "t5-step-00000001.safetensors")


def test_the_steps_need_not_be_the_ones_of_the_name(make_settings, saved):
    """A renamed file is what its header says."""
    renamed = saved.rename(saved.with_name(checkpoint_name("t5", 77)))
    trainer = Trainer(make_settings())
    load_checkpoint(renamed, trainer)
    assert trainer.done == 3
