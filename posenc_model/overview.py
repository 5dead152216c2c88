"""Every head of a run, reduced to a small picture while the run makes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

OVERVIEW_CELLS = 64
_ROWS_PER_BLOCK = 64


@dataclass(frozen=True)
class Overview:
    """Every head's weights, reduced to at most 64 × 64 cells.

    Attributes:
        mean: Mean weight of each cell [layers, heads, m, m].
        maximum: Largest weight of each cell [layers, heads, m, m].
        cell: How many tokens one cell spans along each axis.
        previous: Mean weight of a token on the one before it [layers, heads]; the first has none.
        next: Mean weight of a token on the one after it [layers, heads]; the last has none.
    """

    mean: NDArray[np.float32]
    maximum: NDArray[np.float32]
    cell: int
    previous: NDArray[np.float32]
    next: NDArray[np.float32]


class OverviewMaker:
    """Reduces weights to an :class:`Overview`, block by block.

    Attributes:
        rows_per_block: How many query rows each block but the last has to have.
    """

    def __init__(self, layers: int, heads: int, n: int) -> None:
        self._n = n
        self._cell = -(-n // OVERVIEW_CELLS)
        self._cells = -(-n // self._cell)
        # Whole cells per block, so that each is reduced in one go.
        self.rows_per_block = self._cell * max(1, _ROWS_PER_BLOCK // self._cell)
        shape = (layers, heads, self._cells, self._cells)
        self._mean = np.zeros(shape, dtype=np.float32)
        self._maximum = np.zeros(shape, dtype=np.float32)
        self._neighbours = np.zeros((2, layers, heads), dtype=np.float32)

    def add(self, layer: int, weights: Tensor, first_row: int) -> None:
        """Takes the weights [h, r, n] of the queries from ``first_row`` on."""
        heads, rows, n = weights.shape
        for side, offset in enumerate((-1, 1)):
            self._neighbours[side, layer] += (
                weights.diagonal(first_row + offset, 1, 2).sum(-1).numpy()
            )
        cell, cells = self._cell, self._cells
        first = first_row // cell
        last = first + -(-rows // cell)
        if cell == 1:
            small = weights.numpy()
            self._mean[layer, :, first:last] = self._maximum[layer, :, first:last] = small
            return
        missing = (0, cells * cell - n, 0, (last - first) * cell - rows)
        padded = torch.nn.functional.pad(weights, missing) if any(missing) else weights
        # Rows first: adding whole rows up is several times faster than within them.
        rows_of_cells = padded.view(heads, last - first, cell, cells * cell)
        shape = (heads, last - first, cells, cell)
        self._mean[layer, :, first:last] = rows_of_cells.sum(2).view(shape).sum(-1).numpy()
        self._maximum[layer, :, first:last] = rows_of_cells.amax(2).view(shape).amax(-1).numpy()

    def result(self) -> Overview:
        if self._cell > 1:
            spans = np.full(self._cells, self._cell, dtype=np.float32)
            spans[-1] = self._n - self._cell * (self._cells - 1)
            self._mean /= spans[:, None] * spans[None, :]
        previous, following = self._neighbours / max(1, self._n - 1)
        return Overview(self._mean, self._maximum, self._cell, previous, following)
