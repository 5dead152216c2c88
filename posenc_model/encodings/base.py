"""What a positional encoding is: three places where it can act, and the parts it makes.

Notation: b batch, h heads, n tokens, r the query rows at hand, d width of one head, D model width.
Distances are key minus query, j − i.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from posenc_model.config import EncoderConfig
from posenc_model.encodings.pictures import PictureNumbers
from posenc_model.weights import Weights

CONTENT = "content"
POSITION = "position"

# Scores of the query side against the key side: takes two [b, n, D], gives [b, h, n, n], scaled.
ScoreFunction = Callable[[Tensor, Tensor], Tensor]

# Made anew for each pass through the layers, and handed to every hook of it.
Shared = dict[object, Any]


class PositionalEncoding(nn.Module):
    """Base of all encodings; as it stands it adds nothing anywhere.

    A subclass overrides the hooks of the places where it acts. Attention calls the last two for
    blocks of consecutive query rows, so that the memory for n × n scores need not exist at once.

    Args:
        config: The encoder's configuration, with the encoding's own parameters.
        weights: Where initial tensors come from.
    """

    def __init__(self, config: EncoderConfig, weights: Weights) -> None:
        super().__init__()

    def embed(self, x: Tensor) -> Tensor:
        """Hook 1: gives the first layer's input for word embeddings ``x`` [b, n, D]."""
        return x

    def add_to_scores(
        self,
        scores: Tensor,
        query: Tensor,
        layer: int,
        first_row: int,
        heads: slice,
        shared: Shared,
    ) -> None:
        """Hook 2: adds to ``scores`` in place, before the mask and softmax.

        Args:
            scores: [b, h, r, n], for the queries first_row … first_row + r − 1 and all keys.
            query: [b, h, r, d], not yet multiplied by the score scale.
            layer: The layer's index, from 0.
            first_row: Index of the first query.
            heads: Which of the encoder's heads the h at hand are.
            shared: What the layers of one pass have in common; the encoding fills it as it likes.
        """

    def add_to_context(
        self, context: Tensor, weights: Tensor, layer: int, first_row: int, shared: Shared
    ) -> Tensor:
        """Hook 3: gives what attention passes on, from the weighted sum of the values.

        Args:
            context: [b, h, r, d], weights @ values.
            weights: [b, h, r, n], after softmax.
            layer: The layer's index, from 0.
            first_row: Index of the first query.
            shared: As for ``add_to_scores``.
        """
        return context

    def part_names(self, layer: int) -> tuple[str, ...]:
        """The names of the parts that add up to each score of ``layer`` (from 0)."""
        return (CONTENT,)

    def content_part(self, layer: int) -> str | None:
        """The part that does not depend on position; ``None`` where no split exists."""
        return self.part_names(layer)[0]

    def split_reason(self, layer: int) -> str | None:
        """Why the scores of ``layer`` have no content part, as a sentence; ``None`` if they do."""
        return None

    def score_parts(
        self,
        score: ScoreFunction,
        hidden: Tensor,
        words: Tensor,
        query: Tensor,
        layer: int,
        heads: slice,
    ) -> dict[str, Tensor]:
        """Splits the scores of a layer into parts [b, h, n, n] that add up to them.

        Args:
            score: Gives the scaled scores between two inputs [b, n, D] of this layer.
            hidden: [b, n, D], the layer's input.
            words: [b, n, D], the word embeddings before any position was added.
            query: [b, h, n, d], not yet multiplied by the score scale.
            layer: The layer's index, from 0.
            heads: Which heads are asked for.
        """
        parts = {CONTENT: score(hidden, hidden)}
        if POSITION in self.part_names(layer):
            position = torch.zeros_like(parts[CONTENT])
            self.add_to_scores(position, query, layer, 0, heads, {})
            parts[POSITION] = position
        return parts

    def picture_numbers(self, layer: int) -> PictureNumbers:
        """What the encoding's own picture shows of a layer (from 0)."""
        return PictureNumbers()


def offset_rows(first_row: int, rows: int, columns: range, device: torch.device) -> Tensor:
    """Distances j − i [rows, columns] of consecutive queries to the keys in ``columns``."""
    query = torch.arange(first_row, first_row + rows, device=device)
    key = torch.arange(columns.start, columns.stop, device=device)
    return key[None, :] - query[:, None]
