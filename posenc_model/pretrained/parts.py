"""The exact parts of a score, for the families that add position to their scores.

The content part is computed from the layer's own input and its own weights, the position part by
the model's own function; together they are the scores whose softmax the model takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

# Takes the model, a layer and that layer's input [n, D]; gives content and position [h, n, n].
PartsOf = Callable[[Any, int, Tensor], tuple[Tensor, Tensor]]


def _t5(model: Any, layer: int, hidden: Tensor) -> tuple[Tensor, Tensor]:
    """q·kᵀ without a scale, and the bias of the first layer (UMT5: of each its own)."""
    blocks = model.encoder.block
    sublayer = blocks[layer].layer[0]
    attention = sublayer.SelfAttention
    x = sublayer.layer_norm(hidden)  # T5 normalises before it attends
    content = _products(attention.q(x), attention.k(x), attention.n_heads)
    has_own = attention.has_relative_attention_bias
    owner = attention if has_own else blocks[0].layer[0].SelfAttention
    n = len(hidden)
    return content * getattr(attention, "scaling", 1.0), owner.compute_bias(n, n)[0]


def _mpnet(model: Any, layer: int, hidden: Tensor) -> tuple[Tensor, Tensor]:
    """q·kᵀ/√d, and one bias for all layers."""
    attention = model.encoder.layer[layer].attention.attn
    content = _products(attention.q(hidden), attention.k(hidden), attention.num_attention_heads)
    bias = model.encoder.compute_position_bias(hidden[None])[0]
    return content / math.sqrt(attention.attention_head_size), bias


def _products(queries: Tensor, keys: Tensor, heads: int) -> Tensor:
    """q·kᵀ of each head [h, n, n], from queries and keys [n, h·d]."""
    n = len(queries)
    q = queries.view(n, heads, -1).transpose(0, 1)
    k = keys.view(n, heads, -1).transpose(0, 1)
    return torch.matmul(q, k.transpose(-1, -2))


PARTS: dict[str, PartsOf] = {"t5": _t5, "mt5": _t5, "umt5": _t5, "mpnet": _mpnet}
