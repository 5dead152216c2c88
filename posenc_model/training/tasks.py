"""What can be learned: batches of word indices, and what has to be said at each place."""

from __future__ import annotations

import string
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError
from posenc_model.options import Value
from posenc_model.training.settings import TrainingSettings
from posenc_model.words import FIRST_WORD, MASK_WORD, UNKNOWN_WORD

IntArray = NDArray[np.int64]

Check = Callable[[], None]


def nothing_to_check() -> None:
    """For whoever does not want to end it."""


# Where nothing has to be said.
NOTHING = -100

_TOKENS_AT_ONCE = 16_384


@dataclass(frozen=True)
class Batch:
    """Sentences of one length.

    Attributes:
        words: [b, n], indices into the task's words.
        targets: [b, n], the index to be named at each place, or :data:`NOTHING`.
    """

    words: IntArray
    targets: IntArray

    def parts(self) -> Iterator[Batch]:
        """The same in batches of few enough words that memory is no matter."""
        size = max(1, _TOKENS_AT_ONCE // self.words.shape[1])
        for first in range(0, len(self.words), size):
            part = slice(first, first + size)
            yield Batch(self.words[part], self.targets[part])


class Task(ABC):
    """Something to learn.

    Attributes:
        words: The words that indices stand for; the first two are the unknown and the mask.
    """

    words: tuple[str, ...]

    @abstractmethod
    def __init__(self, settings: TrainingSettings, check: Check = nothing_to_check) -> None:
        """Makes the task.

        Args:
            settings: What is trained, and how.
            check: Called while a long text is being cut; it may raise, to end that.

        Raises:
            PosencError: It cannot be made from these settings.
        """

    @abstractmethod
    def batch(self, generator: np.random.Generator) -> Batch:
        """A batch to learn from, drawn with ``generator``."""

    @abstractmethod
    def held_out(self) -> Iterator[Batch]:
        """Batches that are never learned from, the same each time."""

    def example(self) -> Batch:
        """One sentence to watch the attention of, the same each time [1, n]."""
        batch = next(iter(self.held_out()))
        return Batch(batch.words[:1], batch.targets[:1])


class LetterTask(Task):
    """A task on made-up sentences: letters drawn evenly.

    A subclass says what has to be named. Sentences of any length can be made, also of lengths
    that were never trained on.
    """

    def __init__(self, settings: TrainingSettings, check: Check = nothing_to_check) -> None:
        self._options: Mapping[str, Value] = dict(settings.task_options)
        self._kinds = int(self._options["kinds"])
        self._settings = settings
        self.words = (UNKNOWN_WORD, MASK_WORD, *string.ascii_lowercase[: self._kinds])
        self.check(settings.min_length)

    def check(self, length: int, setting: str = "min_length") -> None:
        """Refuses sentences so short that nothing could be asked.

        Args:
            length: In words.
            setting: Where the length was given, for the error.

        Raises:
            PosencError: ``length`` is too small.
        """

    @abstractmethod
    def answers(self, words: IntArray) -> IntArray:
        """What has to be named at each place of ``words`` [b, n], or :data:`NOTHING`."""

    def of_length(self, length: int, sentences: int, generator: np.random.Generator) -> Batch:
        """``sentences`` sentences of ``length`` words."""
        words = generator.integers(self._kinds, size=(sentences, length)) + FIRST_WORD
        return Batch(words, self.answers(words))

    def batch(self, generator: np.random.Generator) -> Batch:
        settings = self._settings
        length = int(generator.integers(settings.min_length, settings.max_length + 1))
        return self.of_length(length, max(1, settings.batch_tokens // length), generator)

    def held_out(self) -> Iterator[Batch]:
        generator = np.random.Generator(np.random.SFC64(12345))
        yield from self.of_length(self._settings.max_length, 200, generator).parts()


class Recall(LetterTask):
    """Name the word ``places`` to the left."""

    def check(self, length: int, setting: str = "min_length") -> None:
        places = int(self._options["places"])
        if length <= places:
            raise PosencError(
                f"{setting} is {length}, but has to be more than {places} to have a word "
                f"{places} places to the left.",
                setting,
            )

    def answers(self, words: IntArray) -> IntArray:
        places = int(self._options["places"])
        targets = np.full_like(words, NOTHING)
        targets[:, places:] = words[:, :-places]
        return targets


class Reverse(LetterTask):
    """Name the word at the mirrored place."""

    def answers(self, words: IntArray) -> IntArray:
        return words[:, ::-1].copy()


class Sort(LetterTask):
    """Name the i-th letter in the alphabet's order."""

    def answers(self, words: IntArray) -> IntArray:
        return np.sort(words, axis=1)


class Copy(LetterTask):
    """Name the n-th word, from every place."""

    def check(self, length: int, setting: str = "min_length") -> None:
        nth = int(self._options["nth"])
        if length < nth:
            raise PosencError(
                f"{setting} is {length}, but has to be at least {nth} to have a word number {nth}.",
                setting,
            )

    def answers(self, words: IntArray) -> IntArray:
        nth = int(self._options["nth"])
        return np.repeat(words[:, nth - 1 : nth], words.shape[1], axis=1)
