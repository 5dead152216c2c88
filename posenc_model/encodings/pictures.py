"""The numbers in the picture of each encoding. Imports no torch until one is asked for.

Distances are key minus query, j − i. Notation: D model width, d width of one head, h heads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

FloatArray = NDArray[np.float32]
Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PictureNumbers:
    """What the picture of an encoding shows of one layer; nothing, where position never enters."""


@dataclass(frozen=True, eq=False)
class WaveNumbers(PictureNumbers):
    """Sinusoids that are added to the words.

    Attributes:
        width: D, how many waves there are.
        base: The longest wave is about 2π times this many positions long.
    """

    width: int
    base: float


@dataclass(frozen=True, eq=False)
class VectorNumbers(PictureNumbers):
    """A layer's vectors by distance; row k + o belongs to distance o, k the clip distance.

    Attributes:
        keys: a^K, [2k + 1, d].
        values: a^V, [2k + 1, d]; ``None`` where there are none.
    """

    keys: FloatArray
    values: FloatArray | None

    @property
    def clip(self) -> int:
        """k: distances beyond it share its row."""
        return len(self.keys) // 2


@dataclass(frozen=True, eq=False)
class BucketNumbers(PictureNumbers):
    """A bias by bucket of distances, for all layers.

    Attributes:
        bias: [buckets, h].
        max_distance: About where the last bucket of each direction begins.
    """

    bias: FloatArray
    max_distance: int

    @property
    def buckets(self) -> int:
        """How many buckets there are, both directions together."""
        return len(self.bias)


def position_vectors(length: int, width: int, base: float) -> Numbers:
    """p_0 … p_{length−1} [length, D] (Vaswani et al. 2017, section 3.5)."""
    from posenc_model.encodings.sinusoidal import sinusoids

    table: Numbers = sinusoids(length, width, base).numpy()
    return table


def wave_frequencies(width: int, base: float) -> Numbers:
    """ω_k = base^(−2k/D) of each pair of a sine and a cosine, in radians a position [D // 2]."""
    frequencies: Numbers = base ** -(np.arange(0, width - 1, 2) / width)
    return frequencies


def products_by_distance(distances: Whole, width: int, base: float) -> Numbers:
    """p_i · p_j = Σ_k cos(ω_k (i − j)), the same wherever the two positions are.

    An odd D has one sine without its cosine, whose product depends on the positions themselves; it
    is left out.
    """
    angles = np.outer(distances, wave_frequencies(width, base))
    products: Numbers = np.cos(angles).sum(1)
    return products


def clipped_rows(distances: Whole, clip: int) -> Whole:
    """The row of each distance in a table of 2k + 1 rows (Shaw et al. 2018, equation 4)."""
    rows: Whole = np.clip(distances, -clip, clip) + clip
    return rows


def buckets_by_distance(distances: Whole, num_buckets: int, max_distance: int) -> Whole:
    """The bucket of each distance (Raffel et al. 2019, section 2.1)."""
    import torch

    from posenc_model.encodings.t5 import buckets_of

    found = buckets_of(torch.from_numpy(np.ascontiguousarray(distances)), num_buckets, max_distance)
    buckets: Whole = found.numpy()
    return buckets


def distances_of_bucket(
    distance: int, num_buckets: int, max_distance: int
) -> tuple[int, int | None]:
    """The smallest and largest |j − i| that share a bucket with ``distance``, on its side of 0.

    The second is ``None`` where there is no largest.
    """
    from posenc_model.encodings.t5 import bucket_starts

    starts = bucket_starts(num_buckets, max_distance)
    place = int(np.searchsorted(starts, abs(distance), side="right")) - 1
    # Borders that fall together leave buckets empty; the one after the last of them counts.
    later = [start for start in starts if start > starts[place]]
    return starts[place], later[0] - 1 if later else None


def by_distance(matrix: FloatArray) -> FloatArray | None:
    """The values of a matrix [n, n] at distances 1 − n … n − 1, where nothing else matters in it.

    ``None`` where two pairs at one distance differ.
    """
    n = len(matrix)
    line = np.concatenate([matrix[:0:-1, 0], matrix[0]])
    size = max(1.0, float(np.abs(line).max()))
    for row in range(n):
        if not np.allclose(matrix[row], line[n - 1 - row : 2 * n - 1 - row], atol=1e-4 * size):
            return None
    return line


NOT_BY_DISTANCE = "What position adds to its scores depends on more than the distance."


@dataclass(frozen=True, eq=False)
class Bias:
    """What position adds to the scores of a layer.

    Attributes:
        result: Whose.
        layer: From 0.
        values: At distances 1 − n … n − 1, [heads, 2n − 1]; ``None`` where more than the distance
            counts.
    """

    result: RunResult
    layer: int
    values: FloatArray | None


def bias_of(result: RunResult, layer: int) -> Bias:
    """Reads the bias of all heads off the parts of their scores."""
    from posenc_model.encodings.base import POSITION

    lines = []
    for head in range(result.num_heads):
        part = result.score_parts(layer, head).get(POSITION)
        line = None if part is None else by_distance(part)
        if line is None:
            return Bias(result, layer, None)
        lines.append(line)
    return Bias(result, layer, np.stack(lines))


def chosen_bias(bias: FloatArray, head: int) -> FloatArray:
    """The bias [m] of a head, or for ``MEAN_HEAD`` the mean over heads, of [heads, m]."""
    mean: FloatArray = bias.mean(0)
    return mean if head == MEAN_HEAD else bias[head]


def wave_length(dimension: int, width: int, base: float) -> float:
    """How many positions one wave of a dimension (from 0) takes: 2π · base^(2k/D)."""
    return float(2 * math.pi * base ** (dimension // 2 * 2 / width))
