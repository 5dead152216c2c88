"""The encoder once more, straight from the formulas: NumPy, float64, loops over queries.

Shares no code with the package. Weights are taken from a ``state_dict`` by name.
"""

import math

import numpy as np

Array = np.ndarray


def sinusoid(position: int, width: int, base: float) -> Array:
    vector = np.zeros(width)
    for index in range(width):
        angle = position / base ** ((index - index % 2) / width)
        vector[index] = math.cos(angle) if index % 2 else math.sin(angle)
    return vector


def bucket(offset: int, buckets: int, furthest: int) -> int:
    """The published formula, in float64."""
    half = buckets // 2
    start = half if offset > 0 else 0
    distance, exact = abs(offset), half // 2
    if distance < exact:
        return start + distance
    grown = math.log(distance / exact) / math.log(furthest / exact) * (half - exact)
    return start + min(half - 1, exact + int(grown + 1e-9))


def softmax(row: Array) -> Array:
    """Where nothing may be looked at, all zeros."""
    if np.isneginf(row).all():
        return np.zeros_like(row)
    powers = np.exp(row - row.max())
    return powers / powers.sum()


def layer_norm(x: Array, gain: Array, bias: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def run(state: dict[str, Array], config, words: Array, may_look: Array) -> dict[str, list[Array]]:
    """One text.

    Args:
        state: The weights by name.
        config: The encoder's configuration.
        words: [n, D].
        may_look: [n, n], query by key.

    Returns:
        ``hidden`` (layers + 1 of [n, D]), ``weights`` and ``position`` (layers of [h, n, n]); the
        latter what the encoding adds to the scores.
    """
    n, width = words.shape
    heads, d = config.num_heads, width // config.num_heads
    name, options = config.positional_encoding, config.options
    x = words.astype(np.float64)
    if name == "abs":
        x = x + np.stack([sinusoid(i, width, options["base"]) for i in range(n)])
    seen: dict[str, list[Array]] = {"hidden": [x], "weights": [], "position": []}
    for layer in range(config.num_layers):
        part = f"layers.{layer}."
        w_in, w_out = (
            state[part + "attention.in_projection"],
            state[part + "attention.out_projection"],
        )
        w_query, w_key, w_value = w_in[:width], w_in[width : 2 * width], w_in[2 * width :]
        all_weights, all_positions, merged = [], [], np.zeros((n, width))
        for head in range(heads):
            rows = slice(head * d, (head + 1) * d)
            query, key, value = x @ w_query[rows].T, x @ w_key[rows].T, x @ w_value[rows].T
            position = np.zeros((n, n))
            weights = np.zeros((n, n))
            for i in range(n):
                offsets = np.arange(n) - i
                added_values = np.zeros((n, d))
                if name == "t5":
                    table = state["encoding.bias"]
                    for j in range(n):
                        place = bucket(j - i, options["num_buckets"], options["max_distance"])
                        position[i, j] = table[place, head]
                elif name == "rel":
                    k = options["clip_distance"]
                    clipped = np.clip(offsets, -k, k) + k
                    keys = state[f"encoding.key_tables.{layer}"][clipped]
                    position[i] = keys @ query[i] / math.sqrt(d)
                    if options["relative_values"]:
                        added_values = state[f"encoding.value_tables.{layer}"][clipped]
                scores = key @ query[i] / math.sqrt(d) + position[i]
                weights[i] = softmax(np.where(may_look[i], scores, -np.inf))
                merged[i, rows] = weights[i] @ (value + added_values)
            all_weights.append(weights)
            all_positions.append(position)
        gain, bias = state[part + "attention_norm.weight"], state[part + "attention_norm.bias"]
        x = layer_norm(x + merged @ w_out.T, gain, bias)
        inner = np.maximum(0, x @ state[part + "inner_weight"].T + state[part + "inner_bias"])
        outer = inner @ state[part + "outer_weight"].T + state[part + "outer_bias"]
        gain, bias = (
            state[part + "feed_forward_norm.weight"],
            state[part + "feed_forward_norm.bias"],
        )
        x = layer_norm(x + outer, gain, bias)
        seen["hidden"].append(x)
        seen["weights"].append(np.stack(all_weights))
        seen["position"].append(np.stack(all_positions))
    return seen
