"""Multi-head attention written out, so that every head's weights and scores can be had.

Notation: b batch, h heads, n tokens, r query rows at hand, d width of one head, D = h·d.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from posenc_model.config import EncoderConfig
from posenc_model.encodings.base import PositionalEncoding, Shared
from posenc_model.weights import Weights

ALL_HEADS = slice(None)

# Scores of this many numbers are computed at a time, so that a block stays near the processor.
_BLOCK_NUMBERS = 2**20

# Called with the weights [b, h, r, n] of some consecutive queries and the first one's index.
BlockCallback = Callable[[Tensor, int], None]


def full_mask(mask: Tensor) -> Tensor:
    """Brings a mask to the shape of scores [b or 1, 1, n or 1, n]; True means "may be looked at".

    Accepts [b, n] (which keys are real tokens) and [b or 1, n or 1, n] (query by key). Two
    dimensions are always [b, n], even where the mask is square.
    """
    if mask.dtype != torch.bool:
        raise TypeError(f"A mask has to be bool, not {mask.dtype}.")
    if mask.dim() == 2:
        return mask[:, None, None, :]
    if mask.dim() == 3:
        return mask[:, None]
    raise ValueError(f"A mask has to be [b, n] or [b, n, n], not {tuple(mask.shape)}.")


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over keys; masked keys get exactly 0 and a fully masked query row is all zeros.

    Args:
        scores: [b, h, r, n].
        mask: Broadcastable to ``scores``, or ``None``.
    """
    if mask is None:
        return scores.softmax(-1)
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)


def _softmax_in_place(scores: Tensor, mask: Tensor | None) -> Tensor:
    """As :func:`masked_softmax`, but overwrites ``scores``: half the memory to write and read."""
    if mask is not None:
        scores.masked_fill_(~mask, -math.inf)
    torch.softmax(scores, -1, out=scores)
    if mask is not None:
        scores.masked_fill_(~mask.any(-1, keepdim=True), 0.0)
    return scores


class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention of h heads (Vaswani et al. 2017, section 3.2), without biases.

    Attributes:
        in_projection: [3·D, D]; the rows of W^Q, W^K and W^V, each head by head.
        out_projection: [D, D].
    """

    def __init__(self, config: EncoderConfig, weights: Weights, layer: int) -> None:
        super().__init__()
        width = config.width
        self._layer = layer
        self._heads = config.num_heads
        self._scale = config.score_scale
        self._dropout = config.dropout
        bound = math.sqrt(3 / width)  # Glorot for [D, D]: q and k get about unit variance
        name = f"layers.{layer}.attention"
        self.in_projection = nn.Parameter(weights.uniform(f"{name}.in", (3 * width, width), bound))
        self.out_projection = nn.Parameter(weights.uniform(f"{name}.out", (width, width), bound))

    def forward(
        self,
        x: Tensor,
        encoding: PositionalEncoding,
        mask: Tensor | None = None,
        *,
        keep_weights: bool = True,
        on_block: BlockCallback | None = None,
        rows_per_block: int | None = None,
        shared: Shared | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attends from every token to every token.

        Args:
            x: [b, n, D].
            encoding: Adds its position terms.
            mask: As :func:`full_mask` gives it.
            keep_weights: Whether the weights [b, h, n, n] are returned.
            on_block: Receives the weights of each block of query rows as they are made.
            rows_per_block: How many query rows are computed at a time where the weights are not
                kept; by size if ``None``.
            shared: What the layers of one pass have in common, for the encoding.

        Returns:
            The output [b, n, D] and the weights [b, h, n, n], or ``None`` for them.
        """
        b, n, _ = x.shape
        q, k, v = self._split(F.linear(x, self.in_projection), 3)
        k = k.transpose(-1, -2)
        v = v.contiguous()  # read once for each block of rows: worth a copy
        if rows_per_block is None:
            rows_per_block = max(16, _BLOCK_NUMBERS // max(1, b * self._heads * n))
        if keep_weights or torch.is_grad_enabled():
            rows_per_block = n
        shared = {} if shared is None else shared
        kept = None
        contexts = []
        for first in range(0, n, rows_per_block):
            rows = slice(first, first + rows_per_block)
            weights = self._rows(q[:, :, rows], k, encoding, mask, first, ALL_HEADS, shared)
            if on_block is not None:
                on_block(weights, first)
            contexts.append(self._context(weights, v, encoding, first, shared))
            if keep_weights:  # then this block is the only one
                kept = weights
        context = contexts[0] if len(contexts) == 1 else torch.cat(contexts, dim=2)
        merged = context.transpose(1, 2).reshape(b, n, -1)
        return F.linear(merged, self.out_projection), kept

    def _rows(
        self,
        q: Tensor,
        k: Tensor,
        encoding: PositionalEncoding,
        mask: Tensor | None,
        first_row: int,
        heads: slice,
        shared: Shared,
    ) -> Tensor:
        """Weights [b, h, r, n] of queries ``q`` [b, h, r, d] on keys ``k`` [b, h, d, n]."""
        scores = self._dot(q, k)
        encoding.add_to_scores(scores, q, self._layer, first_row, heads, shared)
        if mask is not None and mask.shape[-2] > 1:
            mask = mask[..., first_row : first_row + q.shape[-2], :]
        if scores.requires_grad:
            return masked_softmax(scores, mask)
        return _softmax_in_place(scores, mask)

    def _context(
        self,
        weights: Tensor,
        v: Tensor,
        encoding: PositionalEncoding,
        first_row: int,
        shared: Shared,
    ) -> Tensor:
        weights = F.dropout(weights, self._dropout, self.training)
        return encoding.add_to_context(weights @ v, weights, self._layer, first_row, shared)

    def _split(self, projected: Tensor, count: int) -> tuple[Tensor, ...]:
        """[b, n, count·h·d] → ``count`` tensors [b, h, n, d], where h is read off the width."""
        b, n, width = projected.shape
        d = self.out_projection.shape[0] // self._heads
        split = projected.view(b, n, count, width // (count * d), d)
        return tuple(split.permute(2, 0, 3, 1, 4).unbind(0))

    def project(self, x: Tensor, heads: slice = ALL_HEADS) -> tuple[Tensor, Tensor]:
        """The queries and the keys [b, h, n, d] of some heads, for an input [b, n, D]."""
        width = self.out_projection.shape[0]
        d = width // self._heads
        start, stop, _ = heads.indices(self._heads)
        rows = slice(start * d, stop * d)
        w_query, w_key = (
            self.in_projection[:width][rows],
            self.in_projection[width : 2 * width][rows],
        )
        (q,) = self._split(F.linear(x, w_query), 1)
        (k,) = self._split(F.linear(x, w_key), 1)
        return q, k

    def _dot(self, q: Tensor, k: Tensor) -> Tensor:
        """The scaled products [b, h, r, n] of q [b, h, r, d] and k [b, h, d, n]."""
        b, h, rows, _ = q.shape
        left, right = q.flatten(0, 1), k.flatten(0, 1)
        nothing = q.new_empty(b * h, rows, k.shape[-1])  # not read, as beta is 0
        scores = torch.baddbmm(nothing, left, right, beta=0, alpha=self._scale)
        return scores.view(b, h, rows, -1)

    def weights_of(
        self,
        x: Tensor,
        encoding: PositionalEncoding,
        mask: Tensor | None,
        heads: slice = ALL_HEADS,
        first_row: int = 0,
        rows: int | None = None,
    ) -> Tensor:
        """Weights [b, h, r, n] of some heads and consecutive queries, made anew from ``x``."""
        q, k = self.project(x, heads)
        last = None if rows is None else first_row + rows
        return self._rows(
            q[:, :, first_row:last], k.transpose(-1, -2), encoding, mask, first_row, heads, {}
        )

    def scores_of(
        self, x: Tensor, encoding: PositionalEncoding, heads: slice = ALL_HEADS
    ) -> Tensor:
        """The scores before mask and softmax [b, h, n, n]."""
        q, k = self.project(x, heads)
        scores = self._dot(q, k.transpose(-1, -2))
        encoding.add_to_scores(scores, q, self._layer, 0, heads, {})
        return scores

    def score_parts(
        self, x: Tensor, words: Tensor, encoding: PositionalEncoding, heads: slice = ALL_HEADS
    ) -> dict[str, Tensor]:
        """The exact parts of the scores, by name, each [b, h, n, n].

        Args:
            x: [b, n, D], this layer's input.
            words: [b, n, D], the word embeddings without positions.
            encoding: Declares and makes the parts.
            heads: Which heads are asked for.
        """

        def score(query_side: Tensor, key_side: Tensor) -> Tensor:
            q, _ = self.project(query_side, heads)
            _, k = self.project(key_side, heads)
            return self._dot(q, k.transpose(-1, -2))

        query, _ = self.project(x, heads)
        return encoding.score_parts(score, x, words, query, self._layer, heads)
