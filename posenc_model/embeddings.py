"""From tokens to vectors. The registry of embeddings, imported without torch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError
from posenc_model.options import Choice
from posenc_model.seeding import seeded_generator
from posenc_model.vocabulary import Vocabulary

FloatArray = NDArray[np.float32]


class Embedding(ABC):
    """Gives each word a vector of ``width`` numbers."""

    width: int

    @abstractmethod
    def knows(self, word: str) -> bool:
        """Whether the word has a vector of its own; an unknown word is a zero vector."""

    @abstractmethod
    def vectors(self, words: Sequence[str]) -> FloatArray:
        """The vectors [n, D] of ``words``."""


class RandomEmbedding(Embedding):
    """Each distinct word has its own standard normal vector, so no word is unknown.

    The vector is a function of the word, the seed and D alone: editing one word of a text changes
    no other word's vector. Its length is about √D, as if vectors of length 1 were multiplied by √D
    (Vaswani et al. 2017, section 3.4); position vectors have √(D/2).
    """

    def __init__(self, width: int, seed: int) -> None:
        self.width = width
        self._seed = seed
        self._known: dict[str, FloatArray] = {}

    def knows(self, word: str) -> bool:
        return True

    def vectors(self, words: Sequence[str]) -> FloatArray:
        out = np.empty((len(words), self.width), dtype=np.float32)
        for row, word in enumerate(words):
            if word not in self._known:
                generator = seeded_generator(self._seed, f"word/{self.width}/{word}")
                self._known[word] = generator.standard_normal(self.width, dtype=np.float32)
            out[row] = self._known[word]
        return out


class OneHotEmbedding(Embedding):
    """A 1 at the word's place in the vocabulary and 0 elsewhere; D is the vocabulary's size."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.width = len(vocabulary)
        self._vocabulary = vocabulary

    def knows(self, word: str) -> bool:
        return word in self._vocabulary

    def vectors(self, words: Sequence[str]) -> FloatArray:
        out = np.zeros((len(words), self.width), dtype=np.float32)
        for row, word in enumerate(words):
            if word in self._vocabulary:
                out[row, self._vocabulary.index[word]] = 1.0
        return out


def embedding_choices() -> tuple[Choice, ...]:
    """The embeddings as choices of an option."""
    return (
        Choice("random", "fixed random vectors", "Each distinct word has a random vector."),
        Choice("one-hot", "one-hot", "Each word of a vocabulary has a place of its own."),
    )


def require_known(embedding: Embedding, words: Sequence[str]) -> None:
    """Refuses words that the embedding does not know.

    Raises:
        PosencError: Names every unknown word, once.
    """
    unknown = dict.fromkeys(word for word in words if not embedding.knows(word))
    if unknown:
        names = ", ".join(f"“{word}”" for word in unknown)
        verb = "is" if len(unknown) == 1 else "are"
        raise PosencError(
            f"{names} {verb} not in the vocabulary: change the text or the vocabulary, "
            "or let unknown words be ignored.",
            "unk_ignore",
        )
