"""What of a head can be shown as a matrix: its weights, and what they come from.

The registry is imported without torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError
from posenc_model.options import Choice, Option

if TYPE_CHECKING:
    from posenc_model.result import RunResult

FloatArray = NDArray[np.float32]

WEIGHTS = "weights"


@dataclass(frozen=True)
class MatrixKind:
    """One of the matrices of a head.

    Attributes:
        name: Its name everywhere.
        title: What a form shows.
        scale_name: What its numbers are, for the colour bar.
        summary: One plain sentence.
        is_signed: Whether 0 is the middle of its scale.
        needs_split: Whether it needs the score split into content and position.
        compute: Takes a result, a layer and a head (or ``MEAN_HEAD``); gives [n, n].
        masked: What stands in masked cells; ``None`` where it is what ``compute`` gives.
    """

    name: str
    title: str
    scale_name: str
    summary: str
    is_signed: bool
    needs_split: bool
    compute: Callable[[RunResult, int, int], FloatArray | None]
    masked: float | None = None


def _content(result: RunResult, layer: int, head: int) -> FloatArray | None:
    name = result.content_part(layer)
    return None if name is None else result.score_parts(layer, head)[name]


def _position(result: RunResult, layer: int, head: int) -> FloatArray | None:
    name = result.content_part(layer)
    if name is None:
        return None
    parts = result.score_parts(layer, head)
    others = [part for other, part in parts.items() if other != name]
    return np.sum(others, axis=0) if others else np.zeros_like(parts[name])


def _change(result: RunResult, layer: int, head: int) -> FloatArray | None:
    without = result.weights_without_position(layer, head)
    return None if without is None else result.weights(layer, head) - without


_ALL = (
    MatrixKind(
        WEIGHTS,
        "weights",
        "attention weight",
        "How much of its attention each word gives to each other; a whole row adds up to 1.",
        False,
        False,
        lambda result, layer, head: result.weights(layer, head),
    ),
    MatrixKind(
        "scores",
        "scores",
        "score before softmax",
        "What the weights are made from: in each row, a larger score means a larger weight.",
        True,
        False,
        lambda result, layer, head: result.scores(layer, head),
        masked=-np.inf,
    ),
    MatrixKind(
        "content",
        "content only",
        "score from content",
        "The part of each score that comes from what the words are, not from where they stand.",
        True,
        True,
        _content,
        masked=np.nan,
    ),
    MatrixKind(
        "position",
        "position only",
        "score from position",
        "The part of each score that is there because of where the two words stand.",
        True,
        True,
        _position,
        masked=np.nan,
    ),
    MatrixKind(
        "change",
        "change by position",
        "weight gained or lost",
        "How much weight each cell gains or loses through position: the weights minus those of the "
        "content alone.",
        True,
        True,
        _change,
    ),
)

MATRICES: dict[str, MatrixKind] = {kind.name: kind for kind in _ALL}

MATRIX = Option(
    name="matrix",
    kind="choice",
    default=WEIGHTS,
    choices=lambda: tuple(Choice(kind.name, kind.title, kind.summary) for kind in _ALL),
    label="Show",
    help="What of the head is shown.",
)


def why_missing(result: RunResult, layer: int, kind: str) -> str | None:
    """Why a matrix of this layer cannot be shown, as a sentence; ``None`` where it can."""
    if kind == WEIGHTS:
        return None
    if MATRICES[kind].needs_split:
        return result.split_reason(layer)
    return None if result.has_scores else result.split_reason(layer)


def matrix_of(result: RunResult, layer: int, head: int, kind: str = WEIGHTS) -> FloatArray:
    """One of a head's matrices [n, n], query by key.

    Args:
        result: Where it comes from.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        kind: A name in :data:`MATRICES`.

    Raises:
        PosencError: This layer has no such matrix; the sentence says why.
    """
    reason = why_missing(result, layer, kind)
    matrix = None if reason is not None else MATRICES[kind].compute(result, layer, head)
    if matrix is None:
        raise PosencError(reason or f"There are no {MATRICES[kind].title} here.", MATRIX.name)
    masked = MATRICES[kind].masked
    if result.mask is not None and masked is not None:
        matrix = np.where(result.mask, matrix, np.float32(masked))
    return matrix
