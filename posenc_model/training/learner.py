"""The model that is trained: words in, an encoder, words out."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from posenc_model.config import EncoderConfig
from posenc_model.encoder import EncoderOutput, TransformerEncoder
from posenc_model.training.settings import TrainingSettings
from posenc_model.weights import RandomWeights
from posenc_model.words import FIRST_WORD, UNKNOWN

# Position starts small, so that what its tables show in the end was learned.
_POSITION_STD = 0.02


class StartWeights(RandomWeights):
    """Random weights to learn from: as usual, but position tables start near 0."""

    def normal(self, name: str, shape: tuple[int, ...]) -> Tensor:
        return super().normal(name, shape).mul_(_POSITION_STD)


class Learner(nn.Module):
    """An encoder between word vectors and the same vectors used to name words.

    One matrix serves as word vectors and as the output's weights, and vectors are multiplied by √D
    on their way in (Vaswani et al. 2017, section 3.4). An unknown word is a zero vector.

    Args:
        settings: Sizes, encoding and seed.
        words: The vocabulary; only words from index :data:`FIRST_WORD` on can be named.
    """

    def __init__(self, settings: TrainingSettings, words: Sequence[str]) -> None:
        super().__init__()
        self.config = EncoderConfig(
            width=settings.width,
            num_layers=settings.num_layers,
            num_heads=settings.num_heads,
            positional_encoding=settings.positional_encoding,
            encoding_options=settings.encoding_options,
            dropout=0.0,
            seed=settings.seed,
        )
        weights = StartWeights(settings.seed)
        drawn = RandomWeights(settings.seed).normal("words", (len(words), settings.width))
        self.words = nn.Parameter(drawn * settings.width**-0.5)
        self.named_bias = nn.Parameter(torch.zeros(len(words) - FIRST_WORD))
        self.encoder = TransformerEncoder(self.config, weights)

    def vectors(self, words: Tensor) -> Tensor:
        """Word vectors [b, n, D] of indices [b, n]."""
        vectors: Tensor = F.embedding(words, self.words) * self.config.width**0.5
        return vectors.masked_fill((words == UNKNOWN)[..., None], 0.0)

    def name(self, hidden: Tensor) -> Tensor:
        """Scores [..., V − 2] of the real words, from hidden states [..., D]."""
        return F.linear(hidden, self.words[FIRST_WORD:], self.named_bias)

    def forward(self, words: Tensor, where: Tensor) -> Tensor:
        """Scores [m, V − 2] at the m places of ``words`` [b, n] where ``where`` [b, n] is true."""
        output: EncoderOutput = self.encoder(self.vectors(words), keep_attentions=False)
        hidden = output.last_hidden_state
        return self.name(hidden[where])
