"""Measures of attention, per head and for the whole stack.

Weights are arrays [..., n, n], query by key. A measure per head is the mean over its queries, each
counting alike. Rows sum to 1 as a softmax makes them; where somebody else's do not, entropy and
distance are those of the row divided by its sum, and a row of which nothing is left counts for
neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_model.errors import RunCancelled

if TYPE_CHECKING:
    from posenc_model.result import RunResult

Array = NDArray[np.float64]


def entropy(weights: ArrayLike) -> Array:
    """Mean entropy of the rows in bits [...]: −Σ_j w_ij log2 w_ij (Shannon 1948).

    0 where each query looks at one key only, log2 n where it looks at all alike.
    """
    return _mean_of_known(_row_entropy(_shares(weights)))


def relative_entropy(weights: ArrayLike) -> Array:
    """Entropy over that of uniform attention, log2 n [...]: from 0 to 1; 1 for a single token."""
    n = np.shape(weights)[-1]
    return np.ones(np.shape(weights)[:-2]) if n == 1 else entropy(weights) / np.log2(n)


def mean_distance(weights: ArrayLike) -> Array:
    """Mean of Σ_j w_ij |j − i| over the queries [...]: how far a head looks, in tokens.

    Vig and Belinkov 2019 (arXiv:1906.04284), section 4.2, weigh all of a head's attention alike.
    """
    w = _shares(weights)
    return _mean_of_known(_row_distance(w, 0))


def diagonal_share(weights: ArrayLike) -> Array:
    """Mean weight of a token on itself [...]: mean over i of w_ii."""
    return _mean(np.diagonal(_float64(weights), axis1=-2, axis2=-1))


def offset_profile(weights: ArrayLike) -> tuple[NDArray[np.int64], Array]:
    """Mean weight at each distance o = j − i, over the pairs that have it.

    Returns:
        The distances −(n−1) … n−1, and the means [..., 2n − 1].
    """
    w = np.asarray(weights)
    n = w.shape[-1]
    distances = np.arange(1 - n, n)
    sums = np.zeros((*w.shape[:-2], 2 * n - 1))
    for query in range(n):  # whole rows: several times faster than diagonals
        sums[..., n - 1 - query : 2 * n - 1 - query] += w[..., query, :]
    return distances, sums / (n - np.abs(distances))


def total_variation(first: ArrayLike, second: ArrayLike) -> Array:
    """Mean over the queries of ½ Σ_j |w_ij − w'_ij| [...]: the share of attention that moved."""
    return _mean(np.abs(_float64(first) - _float64(second)).sum(-1) / 2)


def agreement(first: ArrayLike, second: ArrayLike) -> Array:
    """1 minus the mean Jensen–Shannon divergence of the rows in bits [...]: 1 where equal.

    The divergence is the distance between heads of Clark et al. 2019 (arXiv:1906.04341), section 6,
    averaged over queries instead of summed.
    """
    p, q = _float64(first), _float64(second)
    middle = (p + q) / 2
    return 1 - _mean((_divergence(p, middle) + _divergence(q, middle)) / 2)


def rollout(attentions: ArrayLike) -> Array:
    """Attention rollout [layers, n, n] (Abnar and Zuidema 2020, arXiv:2005.00928, section 3).

    Entry [l, i, j]: how much of token j's input is in token i after layer l, if heads count alike
    and the residual connection as much as attention: R_l = (½ mean_h A_l + ½ I) R_{l−1}.

    Args:
        attentions: [layers, heads, n, n].
    """
    mean = _float64(attentions).mean(1)
    identity = np.eye(mean.shape[-1])
    rolled, result = identity, []
    for layer in mean:
        mixed = (layer + identity) / 2
        mixed /= mixed.sum(-1, keepdims=True)
        rolled = mixed @ rolled
        result.append(rolled)
    return np.stack(result)


MEASURES = {
    "entropy": "Entropy (bits)",
    "relative_entropy": "Entropy relative to uniform",
    "mean_distance": "Mean distance (tokens)",
    "diagonal_share": "Attention on itself",
    "previous": "Attention on the token before",
    "next": "Attention on the token after",
    "position_dependence": "Depends on position",
}

_ROWS_AT_ONCE_CELLS = 2**19


@dataclass(frozen=True, eq=False)
class MeasuredHeads:
    """Every measure of some heads of a result.

    Attributes:
        result: Whose heads they are.
        values: For each layer and head, from 0, its measures by name; NaN where one is not known.
    """

    result: RunResult
    values: dict[tuple[int, int], dict[str, float]]


@dataclass(frozen=True, eq=False)
class HeadProfile:
    """How much of a head's attention goes how far, and its measures.

    Attributes:
        result: Whose head it is.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        distances: −(n−1) … n−1.
        pairs: How many pairs of tokens have each distance [2n − 1].
        means: Mean weight at each distance [2n − 1].
        means_without: The same without position in this layer; ``None`` where it is not known.
        values: The measures by name; NaN where one is not known.
    """

    result: RunResult
    layer: int
    head: int
    distances: NDArray[np.int64]
    pairs: NDArray[np.int64]
    means: Array
    means_without: Array | None
    values: dict[str, float]


def _never() -> bool:
    return False


def head_measures(result: RunResult, is_cancelled: Callable[[], bool] = _never) -> dict[str, Array]:
    """Every measure of :data:`MEASURES` for every head, [layers, heads] each.

    ``position_dependence`` is the total variation between the weights and those of the content
    part alone; NaN where the encoding has no such part in a layer. ``previous`` and ``next`` are
    NaN for a single token.

    Raises:
        RunCancelled: ``is_cancelled`` said yes.
    """
    measures = known_measures(result)
    every = [(i, j) for i in range(result.num_layers) for j in range(result.num_heads)]
    for place, values in measure_heads(result, every, is_cancelled).values.items():
        for name, value in values.items():
            measures[name][place] = value
    return measures


def known_measures(result: RunResult) -> dict[str, Array]:
    """As :func:`head_measures`, but only what the run itself has measured; the others are NaN."""
    shape = (result.num_layers, result.num_heads)
    measures = {name: np.full(shape, np.nan) for name in MEASURES}
    if len(result.tokens) > 1:
        measures["previous"] = _float64(result.overview.previous).copy()
        measures["next"] = _float64(result.overview.next).copy()
    return measures


def measure_heads(
    result: RunResult,
    heads: Iterable[tuple[int, int]],
    is_cancelled: Callable[[], bool] = _never,
) -> MeasuredHeads:
    """Every measure of some heads.

    Args:
        result: Whose heads.
        heads: Layer and head of each, from 0.
        is_cancelled: Asked again and again within each head.

    Raises:
        RunCancelled: ``is_cancelled`` said yes.
    """
    measured = {}
    for layer, head in heads:
        if is_cancelled():
            raise RunCancelled
        weights = result.weights(layer, head)
        without = result.weights_without_position(layer, head)
        measured[layer, head] = _measures(weights, without, is_cancelled)
    return MeasuredHeads(result, measured)


def head_profile(
    result: RunResult, layer: int, head: int, is_cancelled: Callable[[], bool] = _never
) -> HeadProfile:
    """The distance profile of one head, or of the mean over a layer's heads, and its measures.

    Raises:
        RunCancelled: ``is_cancelled`` said yes.
    """
    weights = result.weights(layer, head)
    without = result.weights_without_position(layer, head)
    distances, means = offset_profile(weights)
    return HeadProfile(
        result=result,
        layer=layer,
        head=head,
        distances=distances,
        pairs=len(weights) - np.abs(distances),
        means=means,
        means_without=None if without is None else offset_profile(without)[1],
        values=_measures(weights, without, is_cancelled),
    )


def ranking(values: ArrayLike, descending: bool = True) -> NDArray[np.int64]:
    """The places of the values, flattened, in their order; NaN last, equal ones as they stand."""
    flat = _float64(values).ravel()
    return np.lexsort((-flat if descending else flat, np.isnan(flat)))


def _divergence(p: Array, q: Array) -> Array:
    """Kullback–Leibler divergence of the rows in bits."""
    ratio = np.divide(p, q, out=np.ones_like(p), where=p > 0)
    divergence: Array = (p * np.log2(ratio)).sum(-1)
    return divergence


def _measures(
    weights: NDArray[np.float32],
    without: NDArray[np.float32] | None,
    is_cancelled: Callable[[], bool],
) -> dict[str, float]:
    """Every measure of one head [n, n], some rows at a time."""
    n = len(weights)
    entropies, distances, moved = np.empty(n), np.empty(n), np.full(n, np.nan)
    step = max(1, _ROWS_AT_ONCE_CELLS // n)
    for first in range(0, n, step):
        if is_cancelled():
            raise RunCancelled
        rows = slice(first, first + step)
        shares = _shares(weights[rows])
        entropies[rows] = _row_entropy(shares)
        distances[rows] = _row_distance(shares, first)
        if without is not None:
            difference = _float64(weights[rows]) - without[rows]
            moved[rows] = np.abs(difference).sum(-1) / 2
    bits = float(_mean_of_known(entropies))
    return {
        "entropy": bits,
        "relative_entropy": bits / float(np.log2(n)) if n > 1 else 1.0,
        "mean_distance": float(_mean_of_known(distances)),
        "diagonal_share": float(diagonal_share(weights)),
        "previous": float(_float64(np.diagonal(weights, -1)).mean()) if n > 1 else np.nan,
        "next": float(_float64(np.diagonal(weights, 1)).mean()) if n > 1 else np.nan,
        "position_dependence": float(moved.mean()),
    }


def _shares(weights: ArrayLike) -> Array:
    """Each row divided by its sum; weights below 0 count as 0, and a row of nothing is NaN."""
    positive = np.maximum(_float64(weights), 0)
    sums = positive.sum(-1, keepdims=True)
    shares: Array = np.full_like(positive, np.nan)
    np.divide(positive, sums, out=shares, where=sums > 0)
    return shares


def _row_entropy(shares: Array) -> Array:
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logs).sum(-1))


def _row_distance(shares: Array, first: int) -> Array:
    """Of rows that begin with the query ``first``."""
    rows, n = shares.shape[-2:]
    queries = np.arange(first, first + rows)
    return np.asarray((shares * np.abs(np.arange(n) - queries[:, None])).sum(-1))


def _mean_of_known(per_query: Array) -> Array:
    """The mean over the queries that have a value; NaN where none has."""
    known = np.isfinite(per_query)
    count = known.sum(-1)
    sums = np.where(known, per_query, 0).sum(-1)
    means: Array = np.full(np.shape(sums), np.nan)
    np.divide(sums, count, out=means, where=count > 0)
    return means


def _float64(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)


def _mean(per_query: Array) -> Array:
    return np.asarray(per_query.mean(-1))
