"""One matrix of a head, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_model.matrices import WEIGHTS, matrix_of

if TYPE_CHECKING:
    from posenc_model.result import RunResult

# A matrix with more rows than this is drawn reduced, or as the part of it that is in view.
DRAWN_CELLS = 1024


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """The weights of one head, or another of its matrices.

    Attributes:
        result: What they belong to.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        kind: Which matrix, a name in ``MATRICES``.
        matrix: [n, n].
        reduced: The largest weight of each block of cells, where n is too large to draw; else
            the matrix itself.
    """

    result: RunResult
    layer: int
    head: int
    kind: str
    matrix: NDArray[np.float32]
    reduced: NDArray[np.float32]


def head_weights(result: RunResult, layer: int, head: int, kind: str = WEIGHTS) -> HeadWeights:
    """Takes or computes a matrix; fast only for weights, where the result keeps them all."""
    matrix = matrix_of(result, layer, head, kind)
    return HeadWeights(result, layer, head, kind, matrix, block_maxima(matrix, DRAWN_CELLS))


def block_maxima(matrix: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """The value farthest from 0 of each square block, for at most ``most`` blocks an axis."""
    n = len(matrix)
    size = -(-n // most)
    if size <= 1:
        return matrix
    starts = np.arange(0, n, size)

    def reduced(extreme: np.ufunc) -> NDArray[np.float32]:
        rows = extreme.reduceat(matrix, starts, axis=0)
        blocks: NDArray[np.float32] = extreme.reduceat(rows, starts, axis=1)
        return blocks

    highest = reduced(np.fmax)
    if not np.nanmin(matrix) < 0:
        return highest
    lowest = reduced(np.fmin)
    return np.where(np.abs(lowest) > np.abs(highest), lowest, highest)
