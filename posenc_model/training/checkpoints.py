"""Checkpoints: a training as it stands, written whole, so that it can go on after any end.

A checkpoint is one safetensors file: the model, the optimizer's two running means of each
parameter, and, in the header, the settings, the vocabulary and the curves so far. Nothing in it is
executed when it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from posenc_model import __version__
from posenc_model.errors import PosencError
from posenc_model.exporters import write_whole
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.trainer import Step, Trainer

KEEP = 3
_FORMAT = "posenc-checkpoint-1"
_MOMENTS = ("exp_avg", "exp_avg_sq")


def checkpoint_name(settings: TrainingSettings, step: int) -> str:
    """``t5-step-00000700.safetensors``."""
    return f"{settings.positional_encoding}-step-{step:08d}.safetensors"


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
    path = folder / checkpoint_name(trainer.settings, trainer.done)
    write_whole(path, save(tensors, metadata=header))
    for old in checkpoints_in(folder, trainer.settings.positional_encoding)[:-KEEP]:
        old.unlink(missing_ok=True)
    return path


def checkpoints_in(folder: Path, positional_encoding: str) -> list[Path]:
    """The checkpoints of one encoding in a folder, the oldest first."""
    pattern = re.compile(re.escape(positional_encoding) + r"-step-\d{8}\.safetensors")
    return sorted(path for path in folder.glob("*.safetensors") if pattern.fullmatch(path.name))


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
        return Checkpoint(
            path=path,
            settings=TrainingSettings.of(json.loads(header["settings"])),
            words=tuple(json.loads(header["words"])),
            step=int(header["step"]),
            curve=tuple(Step(**step) for step in json.loads(header["curve"])),
        )
    except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
        raise _damaged(path, error) from error


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
    try:
        with safe_open(path, framework="pt") as file:
            names = set(file.keys())
            model = {
                name.removeprefix("model."): file.get_tensor(name)
                for name in names
                if name.startswith("model.")
            }
            trainer.learner.load_state_dict(model)
            for name, parameter in parameters.items():
                state: dict[str, Any] = {}
                for moment in _MOMENTS:
                    if f"optimizer.{moment}.{name}" in names:
                        state[moment] = file.get_tensor(f"optimizer.{moment}.{name}")
                if state:
                    # AdamW counts its own steps; all parameters have made the same.
                    state["step"] = torch.tensor(float(checkpoint.step))
                    trainer.optimizer.state[parameter] = state
    except (SafetensorError, OSError, RuntimeError) as error:
        raise _damaged(path, error) from error
    trainer.done = checkpoint.step
    return checkpoint


def _damaged(path: Path, error: Exception) -> PosencError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return PosencError(f"“{path.name}” cannot be read as a checkpoint: {reason}.", "checkpoint")
