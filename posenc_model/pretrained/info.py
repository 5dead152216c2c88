"""What a model's ``config.json`` says of it. Without torch, and at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posenc_model.pretrained.families import family_of
from posenc_model.pretrained.folder import read_config, refuse

MAX_LAYERS = 512
MAX_HEADS = 512
MAX_WIDTH = 2**16
MAX_POSITIONS = 2**20
_MAX_SIZE = 2**24  # anything else that is a size: the vocabulary, the inner width …
_MAX_COUNT = 4096  # anything that is built once each, and so takes time even without memory

# One name per quantity for each way that families write it; an encoder's own come first.
_LAYERS = ("encoder_layers", "num_hidden_layers", "num_layers", "n_layers", "n_layer")
_HEADS = ("encoder_attention_heads", "num_attention_heads", "num_heads", "n_heads", "n_head")
_WIDTH = ("hidden_size", "d_model", "dim", "n_embd", "embed_dim")
_POSITIONS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length")

_SIZES = re.compile(r"(^(d|n|num)_)|size|dim|width|inner|ffn|positions?|buckets|embeddings|vocab")
_COUNTS = re.compile(r"layers?$|experts|groups|heads?$|blocks$")


@dataclass(frozen=True)
class ModelInfo:
    """What is known of a model before it is loaded.

    Attributes:
        title: Family, layers and heads: ``"BERT, 6 × 12"``.
        num_layers: Layers that attend to the text.
        num_heads: Query heads of each layer.
        width: Width of the hidden states.
        family: Its kind, as ``config.json`` writes it (``"bert"``).
        position: How this family knows position, as a phrase without a full stop.
        is_causal: Whether each token sees only itself and those before it.
        parts_reason: Why its scores cannot be split into parts; ``None`` where they can.
        max_positions: How many tokens it takes, special ones included; ``None``: any number.
    """

    title: str
    num_layers: int
    num_heads: int
    width: int
    family: str
    position: str
    is_causal: bool
    parts_reason: str | None
    max_positions: int | None


def model_info(folder: Path) -> ModelInfo:
    """Reads what ``config.json`` says of a model.

    Raises:
        PosencError: There is none, or it describes no model that could be opened.
    """
    return info_of(read_config(folder))


def info_of(config: dict[str, Any]) -> ModelInfo:
    """As :func:`model_info`, of a configuration that was read.

    Raises:
        PosencError: It describes no model that could be opened.
    """
    family = family_of(config)
    layers = _number(config, _LAYERS, "layers", MAX_LAYERS)
    heads = _number(config, _HEADS, "heads", MAX_HEADS)
    width = _number(config, _WIDTH, "numbers per hidden state", MAX_WIDTH)
    _check_sizes(config)
    _check_positions_are_absolute(config)
    return ModelInfo(
        title=f"{family.title}, {layers} × {heads}",
        num_layers=layers,
        num_heads=heads,
        width=width,
        family=config["model_type"],
        position=family.position,
        is_causal=family.is_causal or _is_decoder(config),
        parts_reason=family.parts_reason,
        max_positions=_max_positions(config) if family.has_length else None,
    )


def _number(config: dict[str, Any], names: tuple[str, ...], what: str, most: int) -> int:
    for name in names:
        if config.get(name) is not None:
            return _checked(config[name], name, most)
    raise refuse(f"config.json does not say how many {what} the model has ({names[1]}).")


def _checked(value: object, name: str, most: int) -> int:
    if type(value) is not int or not 1 <= value <= most:
        shown = str(value) if len(str(value)) <= 40 else f"{str(value)[:39]}…"
        raise refuse(
            f"config.json gives {name} as {shown}, but it has to be a whole number from 1 to "
            f"{most:,}."
        )
    return value


def _check_sizes(config: dict[str, Any]) -> None:
    """Refuses sizes that would fill the memory, or keep the machine busy, before anything else."""
    for name, value in config.items():
        if isinstance(value, dict):
            _check_sizes(value)
        if type(value) is not int:
            continue
        if _COUNTS.search(name) and value > _MAX_COUNT:
            _checked(value, name, _MAX_COUNT)
        elif name in _POSITIONS and value > MAX_POSITIONS:
            _checked(value, name, MAX_POSITIONS)
        elif _SIZES.search(name) and value > _MAX_SIZE:
            _checked(value, name, _MAX_SIZE)


def _check_positions_are_absolute(config: dict[str, Any]) -> None:
    # Newer transformers ignore this setting, and would compute without the model's positions.
    kind = config.get("position_embedding_type", "absolute")
    if kind not in ("absolute", None) and config["model_type"] != "esm":
        raise refuse(
            f"config.json gives position_embedding_type as {str(kind)[:40]!r}; PosEnc opens models "
            "of this family with 'absolute' positions only."
        )


def _is_decoder(config: dict[str, Any]) -> bool:
    if config.get("is_encoder_decoder"):
        return False  # its encoder is what is shown
    if config.get("is_decoder"):
        return True
    named = config.get("architectures")
    known = isinstance(named, list) and any("ForCausalLM" in str(name) for name in named)
    # Only a hint, for families that are not in the table.
    return known and family_of(config).title == config["model_type"]


def _max_positions(config: dict[str, Any]) -> int | None:
    for name in _POSITIONS:
        value = config.get(name)
        if value is None:
            continue
        number = _checked(value, name, MAX_POSITIONS)
        if family_of(config).counts_after_padding:
            padding = config.get("pad_token_id", 1)
            number -= (padding if type(padding) is int else 1) + 1
            if number < 1:
                raise refuse(f"config.json gives {name} as {value}: no position is left for words.")
        return number
    return None
