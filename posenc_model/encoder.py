"""The Transformer encoder: post-norm blocks, as in Vaswani et al. 2017, section 3.1."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from posenc_model.attention import ALL_HEADS, MultiHeadAttention, full_mask
from posenc_model.config import EncoderConfig
from posenc_model.encodings.base import PositionalEncoding, Shared
from posenc_model.weights import RandomWeights, Weights

# Called with the layer's index, the weights [b, h, r, n] of some consecutive queries, and the
# index of the first of them. It may raise, to end the run.
LayerBlockCallback = Callable[[int, Tensor, int], None]

_TOKENS_PER_PIECE = 1024


@dataclass(frozen=True)
class EncoderOutput:
    """What the encoder gives.

    Attributes:
        last_hidden_state: [b, n, D].
        hidden_states: The input of the first layer, then the output of each, [b, n, D] each.
        attentions: The weights of each layer, [b, h, n, n] each; empty where not kept.
        words: [b, n, D], the word embeddings before any position was added.
        mask: The mask that was used, [b or 1, 1, n or 1, n], or ``None``.
    """

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...]
    attentions: tuple[Tensor, ...]
    words: Tensor
    mask: Tensor | None


class EncoderBlock(nn.Module):
    """x = LayerNorm(x + MHA(x)); x = LayerNorm(x + W2·ReLU(W1·x)), with dropout in training."""

    def __init__(self, config: EncoderConfig, weights: Weights, layer: int) -> None:
        super().__init__()
        width, inner = config.width, config.feed_forward_width
        self.attention = MultiHeadAttention(config, weights, layer)
        self.attention_norm = nn.LayerNorm(width)
        bound = math.sqrt(6 / (width + inner))
        name = f"layers.{layer}.feed_forward"
        self.inner_weight = nn.Parameter(weights.uniform(f"{name}.in", (inner, width), bound))
        self.inner_bias = nn.Parameter(torch.zeros(inner))
        self.outer_weight = nn.Parameter(weights.uniform(f"{name}.out", (width, inner), bound))
        self.outer_bias = nn.Parameter(torch.zeros(width))
        self.feed_forward_norm = nn.LayerNorm(width)
        self._dropout = config.dropout

    def add_attended(self, x: Tensor, attended: Tensor) -> Tensor:
        """Everything after attention: [b, n, D] → [b, n, D]."""
        x = self.attention_norm(x + self._drop(attended))
        inner = F.linear(x, self.inner_weight, self.inner_bias).relu_()
        outer = F.linear(self._drop(inner), self.outer_weight, self.outer_bias)
        normed: Tensor = self.feed_forward_norm(x + self._drop(outer))
        return normed

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self._dropout, self.training)


class TransformerEncoder(nn.Module):
    """A stack of blocks with one positional encoding.

    A new encoder is in eval mode: it is deterministic until somebody calls ``train()``.

    Args:
        config: Sizes, encoding and seed.
        weights: Where the initial tensors come from; drawn anew from ``config.seed`` if ``None``.
    """

    def __init__(self, config: EncoderConfig, weights: Weights | None = None) -> None:
        super().__init__()
        self.config = config
        weights = RandomWeights(config.seed) if weights is None else weights
        self.encoding: PositionalEncoding = config.encoding.load()(config, weights)
        # Drawing millions of numbers is most of the work, and NumPy does it without Python's lock.
        with ThreadPoolExecutor(torch.get_num_threads()) as pool:
            blocks = pool.map(partial(EncoderBlock, config, weights), range(config.num_layers))
            self.layers = nn.ModuleList(blocks)
        self.eval()

    def forward(
        self,
        embeddings: Tensor,
        mask: Tensor | None = None,
        *,
        keep_attentions: bool = True,
        on_block: LayerBlockCallback | None = None,
        check: Callable[[], None] | None = None,
        rows_per_block: int | None = None,
    ) -> EncoderOutput:
        """Runs every layer once.

        Args:
            embeddings: [b, n, D], the words' vectors.
            mask: bool, True where a key may be looked at: [b, n], or [b, n, n] query by key.
            keep_attentions: Whether all weights are returned; they take L·b·h·n² numbers.
            on_block: Is given every layer's weights, block by block, as they are made.
            check: Called between the steps of long texts; it may raise, to end the run.
            rows_per_block: How many query rows are computed at a time where the weights are not
                kept; by size if ``None``.
        """
        wide_mask = None if mask is None else full_mask(mask)
        x = self.encoding.embed(embeddings)
        hidden_states = [x]
        attentions = []
        shared: Shared = {}
        for index in range(self.config.num_layers):
            block = self._block(index)
            attended, weights = block.attention(
                x,
                self.encoding,
                wide_mask,
                keep_weights=keep_attentions,
                on_block=_for_layer(on_block, index),
                rows_per_block=rows_per_block,
                shared=shared,
            )
            x = _in_pieces(block, x, attended, check)
            hidden_states.append(x)
            if weights is not None:
                attentions.append(weights)
        return EncoderOutput(x, tuple(hidden_states), tuple(attentions), embeddings, wide_mask)

    def weights_of(
        self,
        output: EncoderOutput,
        layer: int,
        heads: slice = ALL_HEADS,
        first_row: int = 0,
        rows: int | None = None,
    ) -> Tensor:
        """Attention weights [b, h, r, n], computed anew from the layer's input."""
        return self._block(layer).attention.weights_of(
            output.hidden_states[layer], self.encoding, output.mask, heads, first_row, rows
        )

    def scores_of(self, output: EncoderOutput, layer: int, heads: slice = ALL_HEADS) -> Tensor:
        """Scores before mask and softmax [b, h, n, n]."""
        attention = self._block(layer).attention
        return attention.scores_of(output.hidden_states[layer], self.encoding, heads)

    def score_parts(
        self, output: EncoderOutput, layer: int, heads: slice = ALL_HEADS
    ) -> dict[str, Tensor]:
        """The exact parts of the scores, [b, h, n, n] each, as the encoding declares them."""
        return self._block(layer).attention.score_parts(
            output.hidden_states[layer], output.words, self.encoding, heads
        )

    def added_by_distance(
        self, output: EncoderOutput, layer: int, query: int, reach: int, heads: slice = ALL_HEADS
    ) -> Tensor:
        """What the encoding adds to the scores of one query [b, h, 2·reach + 1].

        For keys at distances −reach … reach, whether or not the text has a token there.
        """
        hidden = output.hidden_states[layer][:, query : query + 1]
        q, _ = self._block(layer).attention.project(hidden, heads)
        added = q.new_zeros(*q.shape[:3], 2 * reach + 1)
        self.encoding.add_to_scores(added, q, layer, reach, heads, {})
        return added[:, :, 0]

    def _block(self, layer: int) -> EncoderBlock:
        block = self.layers[layer]
        assert isinstance(block, EncoderBlock)  # for the type checker: ModuleList holds any module
        return block


def _in_pieces(
    block: EncoderBlock, x: Tensor, attended: Tensor, check: Callable[[], None] | None
) -> Tensor:
    """``block.add_attended``, some tokens at a time, so that a long text can be cancelled."""
    if torch.is_grad_enabled() or x.shape[1] <= _TOKENS_PER_PIECE:
        return block.add_attended(x, attended)
    out = torch.empty_like(x)
    for first in range(0, x.shape[1], _TOKENS_PER_PIECE):
        if check is not None:
            check()
        piece = slice(first, first + _TOKENS_PER_PIECE)
        out[:, piece] = block.add_attended(x[:, piece], attended[:, piece])
    return out


def _for_layer(
    on_block: LayerBlockCallback | None, layer: int
) -> Callable[[Tensor, int], None] | None:
    if on_block is None:
        return None
    return lambda weights, first_row: on_block(layer, weights, first_row)
