"""Relative position vectors (Shaw et al. 2018, equations 3 to 5)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from posenc_model.config import EncoderConfig
from posenc_model.encodings.base import CONTENT, POSITION, PositionalEncoding, offset_rows
from posenc_model.weights import Weights


class RelativeVectors(PositionalEncoding):
    """Adds q_i · a^K_{clip(j−i)} to the scores and Σ_j α_ij a^V_{clip(j−i)} to what is passed on.

    Each layer has two tables [2k+1, d], shared by its heads, k the clip distance; row k + o belongs
    to distance o. In a random encoder the entries are standard normal, so that position weighs
    about as much as content.

    Neither sum is computed from an n × n × d tensor: the query is multiplied with the 2k+1 rows of
    the table, and the weights are summed per distance. Distances at or beyond the clip are whole
    stretches of a row and share one number.
    """

    def __init__(self, config: EncoderConfig, weights: Weights) -> None:
        super().__init__(config, weights)
        self._clip = int(config.options["clip_distance"])
        self._has_values = bool(config.options["relative_values"])
        d = config.head_width

        def tables(name: str) -> nn.ParameterList:
            return nn.ParameterList(
                nn.Parameter(
                    self._by_distance(weights.normal(f"rel.{i}.{name}", (2 * self._clip + 1, d)))
                )
                for i in range(config.num_layers)
            )

        self.key_tables = tables("keys")
        self.value_tables = tables("values") if self._has_values else nn.ParameterList()

    @staticmethod
    def _by_distance(drawn: Tensor) -> Tensor:
        """Sorts rows drawn in the order 0, −1, +1, −2, +2 … by distance.

        Drawn in that order, a distance keeps its vector when the clip distance grows.
        """
        k = drawn.shape[0] // 2
        distance = np.array([(i + 1) // 2 * (-1 if i % 2 else 1) for i in range(2 * k + 1)])
        return drawn[torch.from_numpy(np.argsort(distance))]

    def _stretches(self, first_row: int, rows: int, n: int) -> range:
        """The columns where the rows at hand differ in their clipped distance.

        Left of them every distance is ≤ −k, right of them ≥ k.
        """
        left = min(max(first_row - self._clip + 1, 0), n)
        right = max(min(first_row + rows - 1 + self._clip, n), left)
        return range(left, right)

    def _table_rows(
        self, first_row: int, rows: int, columns: range, device: torch.device
    ) -> Tensor:
        offsets = offset_rows(first_row, rows, columns, device)
        return offsets.clamp_(-self._clip, self._clip).add_(self._clip)

    def add_to_scores(
        self, scores: Tensor, query: Tensor, layer: int, first_row: int, heads: slice
    ) -> None:
        rows, n = scores.shape[-2:]
        per_distance = query @ self.key_tables[layer].T  # [b, h, r, 2k+1]
        middle = self._stretches(first_row, rows, n)
        index = self._table_rows(first_row, rows, middle, scores.device)
        index = index.expand(*per_distance.shape[:-1], len(middle))
        scores[..., : middle.start] += per_distance[..., :1]
        scores[..., middle.start : middle.stop] += per_distance.gather(-1, index)
        scores[..., middle.stop :] += per_distance[..., -1:]

    def add_to_context(
        self, context: Tensor, weights: Tensor, layer: int, first_row: int
    ) -> Tensor:
        if not self._has_values:
            return context
        rows, n = weights.shape[-2:]
        middle = self._stretches(first_row, rows, n)
        index = self._table_rows(first_row, rows, middle, weights.device)
        index = index.expand(*weights.shape[:-1], len(middle))
        per_distance = weights.new_zeros(*weights.shape[:-1], 2 * self._clip + 1)
        per_distance = per_distance.scatter_add(-1, index, weights[..., middle.start : middle.stop])
        left = weights[..., : middle.start].sum(-1)
        right = weights[..., middle.stop :].sum(-1)
        table: Tensor = self.value_tables[layer]
        attended: Tensor = (
            context
            + per_distance @ table
            + left[..., None] * table[0]
            + right[..., None] * table[-1]
        )
        return attended

    def part_names(self, layer: int) -> tuple[str, ...]:
        return (CONTENT, POSITION)
