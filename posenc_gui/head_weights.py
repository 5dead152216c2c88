"""One head's weights, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from posenc_model.result import RunResult

# A matrix with more rows than this is drawn reduced, or as the part of it that is in view.
DRAWN_CELLS = 1024


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """The weights of one head.

    Attributes:
        result: What they belong to.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        matrix: [n, n].
        reduced: The largest weight of each block of cells, where n is too large to draw; else
            the matrix itself.
    """

    result: RunResult
    layer: int
    head: int
    matrix: NDArray[np.float32]
    reduced: NDArray[np.float32]


def head_weights(result: RunResult, layer: int, head: int) -> HeadWeights:
    """Takes or computes one head's weights; fast only where the result keeps them all."""
    matrix = result.weights(layer, head)
    return HeadWeights(result, layer, head, matrix, block_maxima(matrix, DRAWN_CELLS))


def block_maxima(matrix: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """The largest value of each square block, for at most ``most`` blocks along each axis."""
    n = len(matrix)
    size = -(-n // most)
    if size <= 1:
        return matrix
    starts = np.arange(0, n, size)
    rows = np.maximum.reduceat(matrix, starts, axis=0)
    reduced: NDArray[np.float32] = np.maximum.reduceat(rows, starts, axis=1)
    return reduced
