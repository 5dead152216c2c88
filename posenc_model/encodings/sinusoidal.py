"""Absolute positions: sinusoids added to the embeddings (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_model.config import EncoderConfig
from posenc_model.encodings.base import PositionalEncoding, ScoreFunction
from posenc_model.encodings.pictures import WaveNumbers
from posenc_model.weights import Weights

WORD_WORD = "content·content"
WORD_POSITION = "content·position"
POSITION_WORD = "position·content"
POSITION_POSITION = "position·position"
MIXED = "mixed"


def sinusoids(length: int, width: int, base: float = 10_000.0) -> Tensor:
    """The position vectors p_0 … p_{length−1}, float64 [length, width].

    PE(pos, 2k) = sin(pos / base^(2k/D)) and PE(pos, 2k+1) = cos(pos / base^(2k/D)); an odd width
    drops the last cosine. Computed in float64, because pos / base^(2k/D) loses its fraction in
    float32 at large positions.
    """
    position = torch.arange(length, dtype=torch.float64)[:, None]
    exponent = torch.arange(0, width, 2, dtype=torch.float64) / width
    angle = position / base**exponent
    table = torch.empty(length, width, dtype=torch.float64)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle[:, : width // 2].cos()
    return table


class Sinusoidal(PositionalEncoding):
    """Adds p_i to the embedding of token i, once, before the first layer. No parameters."""

    def __init__(self, config: EncoderConfig, weights: Weights) -> None:
        super().__init__(config, weights)
        self._width = config.width
        self._base = float(config.options["base"])
        self.table: Tensor
        # Not saved: it is a formula, and grows with the longest text seen.
        self.register_buffer("table", torch.empty(0, config.width), persistent=False)

    def position_vectors(self, length: int) -> Tensor:
        """p_0 … p_{length−1} [length, D] on the module's device and in its dtype."""
        if self.table.shape[0] < length:
            # An ordinary tensor even in inference mode, so that the encoder can be trained later.
            with torch.inference_mode(False):
                self.table = sinusoids(length, self._width, self._base).to(self.table)
        return self.table[:length]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Sinusoidal:
        # Made anew when next needed: a table that was in bfloat16 would stay as coarse as that.
        self.table = self.table[:0]
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        return self

    def embed(self, x: Tensor) -> Tensor:
        return x + self.position_vectors(x.shape[-2])

    def part_names(self, layer: int) -> tuple[str, ...]:
        """Four parts in the first layer; deeper, positions are already in the hidden states."""
        if layer == 0:
            return (WORD_WORD, WORD_POSITION, POSITION_WORD, POSITION_POSITION)
        return (MIXED,)

    def content_part(self, layer: int) -> str | None:
        return WORD_WORD if layer == 0 else None

    def split_reason(self, layer: int) -> str | None:
        if layer == 0:
            return None
        return (
            "The waves were added to the words before layer 1 and have been mixed into everything "
            "since, so only layer 1 can be split into content and position."
        )

    def score_parts(
        self,
        score: ScoreFunction,
        hidden: Tensor,
        words: Tensor,
        query: Tensor,
        layer: int,
        heads: slice,
    ) -> dict[str, Tensor]:
        if layer > 0:
            return {MIXED: score(hidden, hidden)}
        positions = self.position_vectors(words.shape[-2]).expand_as(words)
        return {
            WORD_WORD: score(words, words),
            WORD_POSITION: score(words, positions),
            POSITION_WORD: score(positions, words),
            POSITION_POSITION: score(positions, positions),
        }

    def picture_numbers(self, layer: int) -> WaveNumbers:
        return WaveNumbers(self._width, self._base)
