"""Checkpoints: a training as it stands, written whole, so that it can go on after any end.

A checkpoint is one safetensors file: the model, the optimizer's two running means of each
parameter, and, in the header, the settings, the vocabulary and the curves so far. Nothing in it is
executed when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from posenc_model import __version__
from posenc_model.errors import PosencError
from posenc_model.exporters import write_whole
from posenc_model.training.folders import checkpoint_name, checkpoints_in
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.trainer import Step, Trainer

KEEP = 3
_FORMAT = "posenc-checkpoint-1"
_MOMENTS = ("exp_avg", "exp_avg_sq")


def save_checkpoint(folder: Path, trainer: Trainer, curve: Sequence[Step]) -> Path:
    """Writes a checkpoint and deletes all but the last :data:`KEEP` of this encoding.

    Raises:
        PosencError: It could not be written; older checkpoints are left.
    """
    tensors = {f"model.{k}": v.contiguous() for k, v in trainer.learner.state_dict().items()}
    for name, parameter in trainer.learner.named_parameters():
        state = trainer.optimizer.state.get(parameter, {})
        for moment in _MOMENTS:
            if moment in state:
                tensors[f"optimizer.{moment}.{name}"] = state[moment]
    header = {
        "format": _FORMAT,
        "version": __version__,
        "settings": json.dumps(trainer.settings.flat()),
        "words": json.dumps(trainer.task.words),
        "step": str(trainer.done),
        "curve": json.dumps([asdict(step) for step in curve]),
    }
    path = folder / checkpoint_name(trainer.settings.positional_encoding, trainer.done)
    write_whole(path, save(tensors, metadata=header))
    for old in checkpoints_in(folder, trainer.settings.positional_encoding)[:-KEEP]:
        old.unlink(missing_ok=True)
    return path


@dataclass(frozen=True)
class Checkpoint:
    """What stands in a checkpoint's header.

    Attributes:
        path: The file.
        settings: What was trained, and how.
        words: The vocabulary.
        step: How many steps had been made.
        curve: The steps so far.
    """

    path: Path
    settings: TrainingSettings
    words: tuple[str, ...]
    step: int
    curve: tuple[Step, ...]


def read_checkpoint(path: Path) -> Checkpoint:
    """Reads a checkpoint's header.

    Raises:
        PosencError: The file is no checkpoint, or is damaged.
    """
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
        if header.get("format") != _FORMAT:
            raise PosencError(f"“{path.name}” is not a checkpoint of a training.", "checkpoint")
        settings = dict(json.loads(header["settings"]))
        curve = tuple(Step(**step) for step in json.loads(header["curve"]))
        words = tuple(json.loads(header["words"]))
        step = int(header["step"])
    except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
        raise _damaged(path, str(error) or type(error).__name__) from error
    try:
        return Checkpoint(path, TrainingSettings.of(settings), words, step, curve)
    except PosencError as error:
        raise _damaged(path, error.sentence) from error


def load_checkpoint(path: Path, trainer: Trainer) -> Checkpoint:
    """Puts a trainer into the state of a checkpoint.

    The trainer may have been given more steps than the checkpoint planned; everything else has to
    be the same.

    Raises:
        PosencError: The file is damaged, or belongs to a training with other settings.
    """
    checkpoint = read_checkpoint(path)
    own, other = trainer.settings.flat(), checkpoint.settings.flat()
    different = [name for name in own if name != "steps" and own[name] != other.get(name)]
    if different or checkpoint.words != trainer.task.words:
        what = ", ".join(different) or "the text"
        raise PosencError(
            f"“{path.name}” belongs to another training (other {what}); choose another folder.",
            "checkpoint",
        )
    parameters = dict(trainer.learner.named_parameters())
    shapes = {f"model.{k}": tensor.shape for k, tensor in trainer.learner.state_dict().items()}
    if checkpoint.step > 0:
        for moment in _MOMENTS:
            shapes |= {f"optimizer.{moment}.{k}": tensor.shape for k, tensor in parameters.items()}
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise _damaged(path, str(error)) from error
    # All is checked before anything is changed.
    if {name: tensor.shape for name, tensor in tensors.items()} != shapes:
        raise _damaged(path, "its numbers do not fit its settings")
    trainer.learner.load_state_dict(
        {name.removeprefix("model."): tensors[name] for name in shapes if name.startswith("model.")}
    )
    for name, parameter in parameters.items():
        if checkpoint.step > 0:
            trainer.optimizer.state[parameter] = {
                # AdamW counts its own steps; all parameters have made the same.
                "step": torch.tensor(float(checkpoint.step)),
                **{moment: tensors[f"optimizer.{moment}.{name}"] for moment in _MOMENTS},
            }
        else:
            trainer.optimizer.state.pop(parameter, None)
    trainer.done = checkpoint.step
    return checkpoint


def _damaged(path: Path, reason: str) -> PosencError:
    reason = (reason.splitlines() or ["it is empty"])[0].rstrip(".")
    return PosencError(f"“{path.name}” cannot be read as a checkpoint: {reason}.", "checkpoint")
