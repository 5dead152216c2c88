"""Measures of attention, per head and for the whole stack.

Weights are arrays [..., n, n], query by key; rows sum to 1, or to 0 where a query may look at
nothing. A measure per head is the mean over its queries, each counting alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from posenc_model.result import RunResult

Array = NDArray[np.float64]


def entropy(weights: ArrayLike) -> Array:
    """Mean entropy of the rows in bits [...]: −Σ_j w_ij log2 w_ij (Shannon 1948).

    0 where each query looks at one key only, log2 n where it looks at all alike.
    """
    w = _float64(weights)
    logs = np.log2(w, out=np.zeros_like(w), where=w > 0)
    return _mean(-(w * logs).sum(-1))


def relative_entropy(weights: ArrayLike) -> Array:
    """Entropy over that of uniform attention, log2 n [...]: from 0 to 1; 1 for a single token."""
    n = np.shape(weights)[-1]
    return np.ones(np.shape(weights)[:-2]) if n == 1 else entropy(weights) / np.log2(n)


def mean_distance(weights: ArrayLike) -> Array:
    """Mean of Σ_j w_ij |j − i| over the queries [...]: how far a head looks, in tokens.

    Vig and Belinkov 2019 (arXiv:1906.04284), section 4.2, weigh all of a head's attention alike.
    """
    w = _float64(weights)
    return _mean((w * np.abs(offsets(w.shape[-1]))).sum(-1))


def diagonal_share(weights: ArrayLike) -> Array:
    """Mean weight of a token on itself [...]: mean over i of w_ii."""
    return _mean(np.diagonal(_float64(weights), axis1=-2, axis2=-1))


def offset_profile(weights: ArrayLike) -> tuple[NDArray[np.int64], Array]:
    """Mean weight at each distance o = j − i, over the pairs that have it.

    Returns:
        The distances −(n−1) … n−1, and the means [..., 2n − 1].
    """
    w = _float64(weights)
    n = w.shape[-1]
    distances = np.arange(1 - n, n)
    means = [np.diagonal(w, o, axis1=-2, axis2=-1).mean(-1) for o in distances]
    return distances, np.stack(means, -1)


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
    "position_dependence": "Depends on position",
}


def head_measures(result: RunResult) -> dict[str, Array]:
    """Every measure of :data:`MEASURES` for every head, [layers, heads] each.

    ``position_dependence`` is the total variation between the weights and those of the content
    part alone; NaN where the encoding has no such part in a layer.
    """
    layers, heads = result.num_layers, result.num_heads
    measures = {name: np.full((layers, heads), np.nan) for name in MEASURES}
    for layer in range(layers):
        for head in range(heads):
            weights = result.weights(layer, head)
            values = {
                "entropy": entropy(weights),
                "relative_entropy": relative_entropy(weights),
                "mean_distance": mean_distance(weights),
                "diagonal_share": diagonal_share(weights),
            }
            without = result.weights_without_position(layer, head)
            if without is not None:
                values["position_dependence"] = total_variation(weights, without)
            for name, value in values.items():
                measures[name][layer, head] = value
    return measures


def offsets(n: int) -> NDArray[np.int64]:
    """The distance j − i of every pair [n, n]."""
    positions = np.arange(n)
    return positions[None, :] - positions[:, None]


def _divergence(p: Array, q: Array) -> Array:
    """Kullback–Leibler divergence of the rows in bits."""
    ratio = np.divide(p, q, out=np.ones_like(p), where=p > 0)
    divergence: Array = (p * np.log2(ratio)).sum(-1)
    return divergence


def _float64(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)


def _mean(per_query: Array) -> Array:
    return np.asarray(per_query.mean(-1))
