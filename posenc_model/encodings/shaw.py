"""Relative position vectors (Shaw et al. 2018, equations 3 to 5)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from posenc_model.config import EncoderConfig
from posenc_model.encodings.base import CONTENT, POSITION, PositionalEncoding, Shared, offset_rows
from posenc_model.encodings.pictures import VectorNumbers
from posenc_model.weights import Weights

_ROWS_PER_PIECE = 64


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
        self._scale = config.score_scale
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

    def _pieces(
        self, pairs: Tensor, first_row: int, shared: Shared
    ) -> list[tuple[slice, slice, Tensor]]:
        """Cuts [b, h, r, n] into pieces of few rows, of which only a stretch needs looking up.

        Returns:
            For each piece its rows; the columns of the stretch (left of it every distance is ≤ −k,
            right of it ≥ k); and the table row of each pair in it, [b, h, rows, columns].
        """
        b, h, count, n = pairs.shape
        key = (b, h, count, n, first_row)
        if key in shared:
            found: list[tuple[slice, slice, Tensor]] = shared[key]
            return found
        k = self._clip
        pieces = []
        for start in range(0, count, _ROWS_PER_PIECE):
            rows = slice(start, min(start + _ROWS_PER_PIECE, count))
            first, last = first_row + rows.start, first_row + rows.stop - 1
            left = min(max(first - k + 1, 0), n)
            right = max(min(last + k, n), left)
            offsets = offset_rows(first, last - first + 1, range(left, right), pairs.device)
            index = offsets.clamp_(-k, k).add_(k)
            pieces.append((rows, slice(left, right), index.expand(b, h, *index.shape)))
        shared[key] = pieces
        return pieces

    def add_to_scores(
        self,
        scores: Tensor,
        query: Tensor,
        layer: int,
        first_row: int,
        heads: slice,
        shared: Shared,
    ) -> None:
        per_distance = query @ self.key_tables[layer].T * self._scale  # [b, h, r, 2k+1]
        pieces = self._pieces(scores, first_row, shared)
        if _is_whole(pieces, scores):  # no slices, which cost autograd a copy each
            scores += per_distance.gather(-1, pieces[0][2])
            return
        for rows, middle, index in pieces:
            own = per_distance[..., rows, :]
            piece = scores[..., rows, :]
            piece[..., : middle.start] += own[..., :1]
            piece[..., middle] += own.gather(-1, index)
            piece[..., middle.stop :] += own[..., -1:]

    def add_to_context(
        self, context: Tensor, weights: Tensor, layer: int, first_row: int, shared: Shared
    ) -> Tensor:
        if not self._has_values:
            return context
        per_distance = weights.new_zeros(*weights.shape[:-1], 2 * self._clip + 1)
        pieces = self._pieces(weights, first_row, shared)
        if _is_whole(pieces, weights):
            summed = per_distance.scatter_add(-1, pieces[0][2], weights)
            whole: Tensor = context + summed @ self.value_tables[layer]
            return whole
        for rows, middle, index in pieces:
            own = per_distance[..., rows, :]
            piece = weights[..., rows, :]
            own.scatter_add_(-1, index, piece[..., middle])
            own[..., 0] += piece[..., : middle.start].sum(-1)
            own[..., -1] += piece[..., middle.stop :].sum(-1)
        attended: Tensor = context + per_distance @ self.value_tables[layer]
        return attended

    def part_names(self, layer: int) -> tuple[str, ...]:
        return (CONTENT, POSITION)

    def picture_numbers(self, layer: int) -> VectorNumbers:
        keys = self.key_tables[layer].detach().numpy()
        values = self.value_tables[layer].detach().numpy() if self._has_values else None
        return VectorNumbers(keys, values)


def _is_whole(pieces: list[tuple[slice, slice, Tensor]], pairs: Tensor) -> bool:
    """Whether one piece has all rows, and a distance within the clip in every column."""
    rows, middle, _ = pieces[0]
    count, n = pairs.shape[-2:]
    return (rows, middle) == (slice(0, count), slice(0, n))
