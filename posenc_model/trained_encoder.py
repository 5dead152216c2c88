"""Encoders that have learned: word vectors, the encoder, and its guesses of hidden words."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from posenc_model.embeddings import Embedding, FloatArray
from posenc_model.encoder import TransformerEncoder
from posenc_model.errors import PosencError
from posenc_model.trained import TrainedInfo, read_trained
from posenc_model.words import FIRST_WORD, MASK, UNKNOWN, normal_form

GUESSES = 5


@dataclass(frozen=True)
class Guess:
    """A word for a hidden place.

    Attributes:
        word: The word.
        probability: Its share of the softmax over all known words.
    """

    word: str
    probability: float


@dataclass(frozen=True)
class Guesses:
    """What an encoder guesses for one hidden token.

    Attributes:
        index: Which token.
        word: The word that was hidden.
        likeliest: The likeliest words, the best first.
        own: The probability of the hidden word itself; ``None`` where it is unknown.
        rank: Its place among all known words, from 1; ``None`` where it is unknown.
    """

    index: int
    word: str
    likeliest: tuple[Guess, ...]
    own: float | None
    rank: int | None


class TrainedEmbedding(Embedding):
    """The learned vectors; an unknown word is a zero vector, as it was in training."""

    def __init__(self, info: TrainedInfo, table: FloatArray) -> None:
        self.width = info.config.width
        self._info = info
        self._table = table

    def index_of(self, word: str) -> int:
        """The word's place in the vocabulary; that of the unknown word where it has none."""
        found = self._info.index.get(normal_form(word), UNKNOWN)
        return found if found >= FIRST_WORD else UNKNOWN

    def knows(self, word: str) -> bool:
        return self.index_of(word) != UNKNOWN

    def vectors(self, words: Sequence[str]) -> FloatArray:
        indices = [self.index_of(word) for word in words]
        vectors: FloatArray = self._table[indices]
        vectors[np.array(indices) == UNKNOWN] = 0.0
        return vectors

    @property
    def mask(self) -> FloatArray:
        """The vector [D] that stands for a hidden word."""
        vector: FloatArray = self._table[MASK]
        return vector


class TrainedEncoder:
    """A trained encoder with its word vectors.

    Attributes:
        info: What it is.
        embedding: Gives its words their vectors.
        encoder: In eval mode; shared by all results, so it must not be changed.
    """

    def __init__(self, info: TrainedInfo) -> None:
        self.info = info
        try:
            tensors = {name: tensor.float() for name, tensor in load_file(info.path).items()}
            self.encoder = TransformerEncoder(info.config)
            self.encoder.load_state_dict(
                {
                    name.removeprefix("encoder."): tensor
                    for name, tensor in tensors.items()
                    if name.startswith("encoder.")
                }
            )
            if not all(bool(tensor.isfinite().all()) for tensor in tensors.values()):
                raise RuntimeError("it has numbers that are not finite")
            table, self._bias = tensors["words"], tensors["named_bias"]
            if self._bias.shape != (len(info.words) - FIRST_WORD,):
                raise RuntimeError("the biases do not fit the vocabulary")
        except (SafetensorError, OSError, KeyError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:200].rstrip(".")
            raise PosencError(f"“{info.path.name}” is damaged: {reason}.", "weights") from error
        self.encoder.requires_grad_(False)
        self.embedding = TrainedEmbedding(info, table.numpy())
        # The same vectors name words on the way out, there without the factor √D.
        self._names = table[FIRST_WORD:] * info.config.width**-0.5

    def scores(self, hidden: Tensor) -> Tensor:
        """Scores [..., V − 2] of all known words, from last hidden states [..., D]."""
        scores: Tensor = hidden @ self._names.T + self._bias
        return scores

    @torch.inference_mode()
    def guesses(self, hidden: Tensor, words: Sequence[tuple[int, str]]) -> tuple[Guesses, ...]:
        """What stands at some hidden places.

        Args:
            hidden: [n, D], the last hidden states of a text.
            words: Index and true word of each hidden token.
        """
        made = []
        for index, word in words:
            shares = self.scores(hidden[index]).softmax(-1)
            best = shares.topk(min(GUESSES, len(shares)))
            likeliest = tuple(
                Guess(self.info.words[int(i) + FIRST_WORD], float(share))
                for share, i in zip(best.values, best.indices, strict=True)
            )
            place = self.embedding.index_of(word)
            own = rank = None
            if place != UNKNOWN:
                share = shares[place - FIRST_WORD]
                own, rank = float(share), int((shares > share).sum()) + 1
            made.append(Guesses(index, word, likeliest, own, rank))
        return tuple(made)


def load_trained(path: Path) -> TrainedEncoder:
    """The trained encoder of a file; the last few are kept in memory.

    Raises:
        PosencError: The file cannot be read, or is damaged.
    """
    return _load(path, path.stat().st_mtime_ns if path.exists() else 0)


@functools.lru_cache(maxsize=4)
def _load(path: Path, modified_ns: int) -> TrainedEncoder:
    return TrainedEncoder(read_trained(path))
