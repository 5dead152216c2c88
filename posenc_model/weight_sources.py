"""Where the weights come from, and which settings that leaves to the user. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from posenc_model.errors import PosencError
from posenc_model.options import Choice, Value
from posenc_model.textfiles import expanded
from posenc_model.trained import TrainedInfo, read_trained, shipped_encodings, shipped_path

RANDOM, TRAINED = "random", "trained"

Kind = Literal["random", "trained", "model", "attention"]

# What an encoder of ours leaves to the user, whatever its weights are.
ALWAYS_OPEN = (
    "nlp_pipeline",
    "unk_ignore",
    "attention_mask",
    "batch",
    "sentence",
    "show_padding",
)

_ATTENTION_SUFFIXES = (".npz", ".json")
_ENCODER_SUFFIX = ".safetensors"


@dataclass(frozen=True)
class WeightSource:
    """What a value of the setting ``weights`` means.

    Attributes:
        kind: Random weights, a trained encoder of ours, somebody else's model, or attention that
            was computed elsewhere.
        title: What it is called in a sentence ("the trained weights").
        summary: What the user should know of it, in a sentence or two.
        fixed: The settings it determines, with their values.
        used: The other settings that still matter; ``None`` where all do.
        path: The file or folder; ``None`` for random weights.
    """

    kind: Kind
    title: str
    summary: str
    fixed: Mapping[str, Value] = field(default_factory=dict)
    used: frozenset[str] | None = None
    path: Path | None = None

    def matters(self, setting: str) -> bool:
        """Whether a setting is determined by it or still left to the user."""
        return self.used is None or setting in self.used or setting in self.fixed


_RANDOM_SOURCE = WeightSource(
    "random",
    "random weights",
    "Drawn by chance from the seed: the picture shows what the encoding does by itself, before "
    "anything is learned.",
)


def is_text_used(weights: str) -> bool:
    """Whether the words are the text’s; those of an attention file are in the file."""
    return not weights.lower().endswith(_ATTENTION_SUFFIXES)


def weight_choices() -> tuple[Choice, ...]:
    """The values of the setting that are no files."""
    missing = None
    if not shipped_encodings():
        missing = "trained (their files are missing; install the program again)"
    return (
        Choice(TRAINED, "trained", "Encoders that have learned from English text.", missing),
        Choice(RANDOM, "random", _RANDOM_SOURCE.summary),
    )


def weight_source(weights: str, positional_encoding: str) -> WeightSource:
    """What ``weights`` means: ``"random"``, ``"trained"``, or the path of a file or folder.

    Raises:
        PosencError: There is no such file, or it cannot be used.
    """
    if weights == RANDOM:
        return _RANDOM_SOURCE
    if weights == TRAINED:
        info = read_trained(shipped_path(positional_encoding))
        return _trained(info, "the trained weights", encoding_is_fixed=False)
    path = expanded(Path(weights))
    if path.suffix.lower() == _ENCODER_SUFFIX and not path.is_dir():
        return _trained(read_trained(path), f"“{path.name}”", encoding_is_fixed=True)
    if path.suffix.lower() in _ATTENTION_SUFFIXES and not path.is_dir():
        return WeightSource(
            "attention",
            f"“{path.name}”",
            "Attention that was computed elsewhere, for the words in the file; the text above is "
            "not used.",
            used=frozenset(),
            path=path,
        )
    if path.is_dir():
        from posenc_model.pretrained import model_info

        model = model_info(path)
        return WeightSource(
            "model",
            f"“{path.name}”",
            f"{model.title}; {model.position}.",
            used=frozenset({"special_tokens"}),
            path=path,
        )
    reason = "it ends in none of these" if path.exists() else "there is no such file or folder"
    raise PosencError(
        f"weights is “{weights}”, but has to be {TRAINED}, {RANDOM}, a trained encoder "
        f"({_ENCODER_SUFFIX}), attention weights ({' or '.join(_ATTENTION_SUFFIXES)}) or the "
        f"folder of a model; {reason}.",
        "weights",
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _trained(info: TrainedInfo, title: str, *, encoding_is_fixed: bool) -> WeightSource:
    config = info.config
    fixed: dict[str, Value] = {
        "num_layers": config.num_layers,
        "num_heads": config.num_heads,
        "width": config.width,
        **config.options,
    }
    used = set(ALWAYS_OPEN)
    if encoding_is_fixed:
        fixed["positional_encoding"] = config.positional_encoding
    else:
        used.add("positional_encoding")
    return WeightSource(
        "trained",
        title,
        f"{_counted(config.num_layers, 'layer')} × {_counted(config.num_heads, 'head')} that have "
        "learned to guess hidden words. Other sizes switch to random weights.",
        fixed=fixed,
        used=frozenset(used),
        path=info.path,
    )
