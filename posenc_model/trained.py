"""Encoders that have learned: what stands in the head of their files. Imports no torch."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from posenc_model.config import EncoderConfig
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.resources import resource_folder
from posenc_model.words import FIRST_WORD

FORMAT = "posenc-encoder-1"
_MAX_WIDTH = 4096
_MAX_WORDS = 10**6


@dataclass(frozen=True)
class TrainedInfo:
    """A trained encoder, without its numbers.

    Attributes:
        path: Its safetensors file.
        config: Its sizes and encoding.
        words: Its vocabulary; the first :data:`FIRST_WORD` entries are no words.
        index: Place of each word.
        notes: How it was made and what it reaches, as the model card has it.
    """

    path: Path
    config: EncoderConfig
    words: tuple[str, ...] = field(repr=False)
    index: Mapping[str, int] = field(repr=False)
    notes: Mapping[str, Any] = field(repr=False)


def shipped_path(positional_encoding: str) -> Path:
    """Where the encoder that comes with the program lies."""
    return resource_folder() / "weights" / f"{positional_encoding}.safetensors"


def shipped_encodings() -> tuple[str, ...]:
    """The encodings for which a trained encoder comes with the program."""
    return tuple(name for name in ENCODINGS if shipped_path(name).is_file())


def read_trained(path: Path) -> TrainedInfo:
    """Reads the head of a trained encoder's file.

    Raises:
        PosencError: There is no such file, or it is not one of ours, or it is damaged.
    """
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PosencError(f"“{path}” could not be read: {reason}.", "weights") from error
    return _read(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _read(path: Path, modified_ns: int, size: int) -> TrainedInfo:
    try:
        # Not "pt": that would import torch.
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            if "checkpoint" in header.get("format", ""):
                raise PosencError(
                    f"“{path.name}” is a checkpoint of a training; what can be opened is the "
                    "“…-encoder.safetensors” that training on a text writes at its end.",
                    "weights",
                )
            if header.get("format") != FORMAT:
                raise PosencError(
                    f"“{path.name}” is not a trained encoder of this program.", "weights"
                )
            words = tuple(json.loads(header["words"]))
            config = EncoderConfig(dropout=0.0, **json.loads(header["config"]))
            notes = json.loads(header.get("notes", "{}"))
            shape = file.get_slice("words").get_shape()
            inner = file.get_slice("encoder.layers.0.inner_weight").get_shape()
    except PosencError as error:
        raise PosencError(error.sentence, "weights") from error
    except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PosencError(f"“{path.name}” is damaged: {reason}.", "weights") from error
    fits = (
        shape == [len(words), config.width]
        and inner == [config.feed_forward_width, config.width]
        and config.width <= _MAX_WIDTH
        and FIRST_WORD < len(words) <= _MAX_WORDS
        and isinstance(notes, dict)
        and all(isinstance(word, str) for word in words)
    )
    if not fits:
        raise PosencError(f"“{path.name}” is damaged: its sizes contradict each other.", "weights")
    return TrainedInfo(path, config, words, {word: i for i, word in enumerate(words)}, notes)
