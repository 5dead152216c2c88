"""The folder that a training's checkpoints lie in. Imports no torch."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from posenc_model.errors import PosencError


def checkpoint_name(positional_encoding: str, step: int) -> str:
    """``t5-step-00000700.safetensors``."""
    return f"{positional_encoding}-step-{step:08d}.safetensors"


def encoder_name(positional_encoding: str) -> str:
    """``t5-encoder.safetensors``: what becomes of a training on a text."""
    return f"{positional_encoding}-encoder.safetensors"


def checkpoints_in(folder: Path, positional_encoding: str) -> list[Path]:
    """The checkpoints of one encoding in a folder, the oldest first."""
    pattern = re.compile(re.escape(positional_encoding) + r"-step-\d{8}\.safetensors")
    return sorted(path for path in folder.glob("*.safetensors") if pattern.fullmatch(path.name))


def prepare_folder(folder: Path, encodings: Iterable[str], resume: bool) -> None:
    """Makes the folder where it is missing, and sees that checkpoints can be written to it.

    Args:
        folder: Where checkpoints are to go.
        encodings: What is trained.
        resume: Whether checkpoints of these encodings may be there already.

    Raises:
        PosencError: The folder cannot be used, or holds checkpoints that are not to be resumed.
    """
    try:
        if folder.is_file():
            raise PosencError(f"“{folder}” is a file, not a folder.", "folder")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PosencError(f"“{folder}” cannot be used: {reason}.", "folder") from error
    for name in encodings:
        if not resume and checkpoints_in(folder, name):
            raise PosencError(
                f"“{folder}” already holds checkpoints of {name}; resume that training or choose "
                "another folder.",
                "folder",
            )
