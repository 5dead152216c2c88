"""Results side by side: the same words under other encodings, and how far each head moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from posenc_model.analysis import total_variation
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.request import RunRequest
from posenc_model.result import RunResult
from posenc_model.run import run
from posenc_model.settings import Settings
from posenc_model.weight_sources import ALWAYS_OPEN


def with_encoding(settings: Settings, positional_encoding: str) -> Settings:
    """The same settings with another encoding, whose own parameters are at their defaults.

    Raises:
        PosencError: The weights belong to one encoding only.
    """
    if settings.positional_encoding == positional_encoding:
        return settings
    source = settings.source
    if source.kind in ("model", "attention") or "positional_encoding" in source.fixed:
        raise PosencError(
            f"With {source.title} no other encoding can be chosen.", "positional_encoding"
        )
    old = {option.name for option in ENCODINGS[settings.positional_encoding].options}
    flat = {name: value for name, value in settings.flat().items() if name not in old}
    flat["positional_encoding"] = positional_encoding
    if source.kind == "random":
        return Settings.of(flat)
    kept = ("weights", "positional_encoding", *ALWAYS_OPEN)
    return Settings.of({name: flat[name] for name in kept})


def run_encodings(
    request: RunRequest,
    encodings: Sequence[str],
    is_cancelled: Callable[[], bool] = lambda: False,
) -> tuple[RunResult, ...]:
    """Runs the same text under several encodings.

    Raises:
        PosencError: One of them cannot be run.
        RunCancelled: ``is_cancelled`` said yes.
    """
    return tuple(
        run(replace(request, settings=with_encoding(request.settings, name)), is_cancelled)
        for name in encodings
    )


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results beside a reference.

    Attributes:
        reference: What the others are compared with.
        others: The other results.
        moved: For each of the others the share of attention that moved, [layers, heads], from 0
            to 1 (:func:`~posenc_model.analysis.total_variation`); ``None`` where layers, heads or
            the number of tokens differ.
    """

    reference: RunResult
    others: tuple[RunResult, ...]
    moved: tuple[NDArray[np.float64] | None, ...]


def compare(reference: RunResult, others: Sequence[RunResult]) -> Comparison:
    """Measures how far the attention of each head is from that of the reference."""
    return Comparison(reference, tuple(others), tuple(_moved(reference, one) for one in others))


def why_no_difference(first: RunResult, second: RunResult) -> str | None:
    """Why two results cannot be subtracted, as a sentence; ``None`` where they can."""
    if len(first.tokens) != len(second.tokens):
        return (
            f"One text has {len(first.tokens):,} tokens and the other {len(second.tokens):,}, "
            "so there is no difference cell by cell."
        )
    sizes = [(result.num_layers, result.num_heads) for result in (first, second)]
    if sizes[0] != sizes[1]:
        (a, b), (c, d) = sizes
        return (
            f"One has {a} × {b} layers and heads and the other {c} × {d}, so they are not "
            "compared head by head."
        )
    return None


def _moved(first: RunResult, second: RunResult) -> NDArray[np.float64] | None:
    if why_no_difference(first, second) is not None:
        return None
    moved = np.zeros((first.num_layers, first.num_heads))
    for layer in range(first.num_layers):
        for head in range(first.num_heads):
            moved[layer, head] = total_variation(
                first.weights(layer, head), second.weights(layer, head)
            )
    return moved
