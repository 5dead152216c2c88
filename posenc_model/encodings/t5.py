"""Bucketed relative bias (Raffel et al. 2019, section 2.1)."""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from posenc_model.config import EncoderConfig
from posenc_model.encodings.base import CONTENT, POSITION, PositionalEncoding, Shared
from posenc_model.encodings.pictures import BucketNumbers
from posenc_model.weights import Weights


@functools.lru_cache(maxsize=64)
def bucket_starts(num_buckets: int, max_distance: int) -> tuple[int, ...]:
    """The smallest |j − i| of each bucket of one direction.

    Of the num_buckets // 2 buckets of one direction, the first half hold one distance each; bucket
    e + m (e the number of those) starts at the smallest a with (a/e)^w ≥ (max_distance/e)^m, w the
    number of the others. In whole numbers, so that no rounding moves a border.
    """
    one_way = num_buckets // 2
    exact = one_way // 2
    widening = one_way - exact
    starts = list(range(exact + 1))
    for step in range(1, widening):
        needed = max_distance**step * exact ** (widening - step)
        starts.append(_smallest_with_power(starts[-1], widening, needed))
    return tuple(starts)


def _smallest_with_power(low: int, power: int, needed: int) -> int:
    """The smallest whole number ≥ ``low`` whose ``power`` is at least ``needed``."""
    if low**power >= needed:
        return low
    high = 2 * low
    while high**power < needed:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**power < needed else (low, middle)
    return high


def buckets_of(offsets: Tensor, num_buckets: int, max_distance: int) -> Tensor:
    """Bucket of each distance j − i, any shape, int64; keys to the right get the second half."""
    starts = torch.tensor(bucket_starts(num_buckets, max_distance), device=offsets.device)
    one_way = torch.searchsorted(starts, offsets.abs(), right=True) - 1
    return one_way + (offsets > 0) * (num_buckets // 2)


def _windows(line: Tensor, first_row: int, rows: int) -> Tensor:
    """The bias of consecutive queries and all keys [h, r, n].

    Args:
        line: The bias at distances 1 − n … n − 1 [h, 2n − 1]; row i is its window of n numbers that
            starts at distance −i.
        first_row: The first query.
        rows: r, how many queries.
    """
    n = (line.shape[-1] + 1) // 2
    last_row = first_row + rows - 1
    needed = line[:, n - 1 - last_row : 2 * n - 1 - first_row]
    return needed.unfold(-1, n, 1).flip(-2)


class BucketedBias(PositionalEncoding):
    """Adds b[bucket(j − i), head] to every layer's scores, unscaled.

    One table [buckets, h] serves all layers. In a random encoder its entries are standard normal,
    so that position weighs about as much as content.
    """

    def __init__(self, config: EncoderConfig, weights: Weights) -> None:
        super().__init__(config, weights)
        self._num_buckets = int(config.options["num_buckets"])
        self._max_distance = int(config.options["max_distance"])
        # Drawn head by head, so that a head keeps its bias when there are more of them.
        table = weights.normal(f"t5.{self._num_buckets}", (config.num_heads, self._num_buckets))
        self.bias = nn.Parameter(table.T.contiguous())

    def by_offset(self, first: int, last: int) -> Tensor:
        """The bias of each head at distances first … last, inclusive [h, last − first + 1]."""
        offsets = torch.arange(first, last + 1, device=self.bias.device)
        return self.bias[buckets_of(offsets, self._num_buckets, self._max_distance)].T

    def add_to_scores(
        self,
        scores: Tensor,
        query: Tensor,
        layer: int,
        first_row: int,
        heads: slice,
        shared: Shared,
    ) -> None:
        rows, n = scores.shape[-2:]
        if "line" not in shared:
            shared["line"] = self.by_offset(1 - n, n - 1)[heads].contiguous()
        if rows < n:  # blocks of a long text: all of the bias would be as large as all scores
            scores += _windows(shared["line"], first_row, rows)
            return
        if "bias" not in shared:
            shared["bias"] = _windows(shared["line"], 0, n)
        scores += shared["bias"]

    def part_names(self, layer: int) -> tuple[str, ...]:
        return (CONTENT, POSITION)

    def picture_numbers(self, layer: int) -> BucketNumbers:
        return BucketNumbers(self.bias.detach().numpy(), self._max_distance)
