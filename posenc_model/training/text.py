"""Masked words of a text (Devlin et al. 2018, section 3.1): hide some, guess them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError
from posenc_model.textfiles import expanded, read_text_file
from posenc_model.tokenizers import Tokenizer, get_tokenizer
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.tasks import NOTHING, Batch, Check, IntArray, Task, nothing_to_check
from posenc_model.words import FIRST_WORD, MASK, MASK_WORD, UNKNOWN, UNKNOWN_WORD, normal_form

_SENTENCE_ENDS = frozenset(".?!")
_CLOSING = frozenset("\"')]")
_MAX_BYTES = 64 * 2**20
_DOCUMENT_SENTENCES = 50
_HELD_OUT_EVERY = 20
_HELD_OUT_TOKENS = 2048
_EXAMPLE_LENGTH = 16


def sentences_of(words: Iterable[str]) -> Iterator[list[str]]:
    """Cuts words into sentences, each with its closing signs."""
    sentence: list[str] = []
    ended = False
    for word in words:
        if ended and word not in _CLOSING:
            yield sentence
            sentence, ended = [], False
        sentence.append(word)
        ended = ended or word in _SENTENCE_ENDS
    if sentence:
        yield sentence


def read_documents(
    source: Path, tokenizer: Tokenizer, check: Check = nothing_to_check
) -> list[list[list[str]]]:
    """Documents of sentences of words, from a text file or a folder of ``.txt`` files.

    A line is a paragraph, an empty line separates documents.

    Raises:
        PosencError: There is no such file or folder, or no text in it.
    """
    paths = sorted(source.glob("*.txt")) if source.is_dir() else [source]
    documents: list[list[list[str]]] = []
    for path in paths:
        try:
            text = read_text_file(path, _MAX_BYTES)
        except PosencError as error:
            raise PosencError(f"The text to learn from: {error.sentence}", "text_file") from error
        document: list[list[str]] = []
        for line in [*text.splitlines(), ""]:
            check()
            if line.strip():
                words = (normal_form(token.text) for token in tokenizer.tokenize(line))
                document.extend(sentences_of(words))
            elif document:
                documents.append(document)
                document = []
    if not documents:
        raise PosencError(f"There are no words to learn from in “{source}”.", "text_file")
    return documents


def _cut(documents: list[list[list[str]]]) -> Iterator[list[list[str]]]:
    """Cuts long documents, so that a part of every text can be held out."""
    sentences = sum(len(document) for document in documents)
    size = max(1, min(_DOCUMENT_SENTENCES, sentences // (2 * _HELD_OUT_EVERY)))
    for document in documents:
        for first in range(0, len(document), size):
            yield document[first : first + size]


@dataclass(frozen=True)
class _Spans:
    """Runs of whole sentences, by their length in words.

    Attributes:
        ids: Word indices of the text, one after the other.
        starts: For each length, where in ``ids`` runs of that length start.
    """

    ids: NDArray[np.int32]
    starts: dict[int, IntArray]

    @classmethod
    def of(cls, documents: Iterable[list[list[int]]], shortest: int, longest: int) -> _Spans:
        ids: list[int] = []
        starts: dict[int, list[int]] = {}
        for document in documents:
            lengths = [len(sentence) for sentence in document]
            begin = len(ids)
            for first, length in enumerate(lengths):
                total = 0
                for more in lengths[first:]:
                    total += more
                    if total > longest:
                        break
                    if total >= shortest:
                        starts.setdefault(total, []).append(begin)
                begin += length
            for sentence in document:
                ids.extend(sentence)
        return cls(
            np.array(ids, dtype=np.int32),
            {length: np.array(starts[length]) for length in sorted(starts)},
        )

    def rows(self, starts: IntArray, length: int) -> IntArray:
        """The runs of ``length`` words that start at ``starts`` [b, length]."""
        rows: IntArray = self.ids[starts[:, None] + np.arange(length)].astype(np.int64)
        return rows


class MaskedWords(Task):
    """Guess hidden words from the others.

    A chosen word is replaced by the mask in 80 % of the cases, by any word in 10 % and left as it
    is in 10 % (Devlin et al. 2018). Sentences are runs of whole sentences of one document; every
    twentieth document is held out.
    """

    def __init__(self, settings: TrainingSettings, check: Check = nothing_to_check) -> None:
        options = dict(settings.task_options)
        if not options["text_file"]:
            raise PosencError("Choose a text file to learn from.", "text_file")
        self._masked_share = float(options["masked_share"])
        self._batch_tokens = settings.batch_tokens
        source = expanded(Path(str(options["text_file"])))
        documents = list(_cut(read_documents(source, get_tokenizer("spacy"), check)))
        learned = [d for i, d in enumerate(documents) if i % _HELD_OUT_EVERY != 0]
        kept = [d for i, d in enumerate(documents) if i % _HELD_OUT_EVERY == 0]
        counts = Counter(word for document in learned for line in document for word in line)
        common = [w for w, _ in counts.most_common(int(options["vocabulary_size"]))]
        self.words = (UNKNOWN_WORD, MASK_WORD, *common)
        index = {word: i for i, word in enumerate(self.words)}
        limits = settings.min_length, settings.max_length
        self._learned = _Spans.of(_indexed(learned, index), *limits)
        self._kept = _Spans.of(_indexed(kept, index), *limits)
        for spans in (self._learned, self._kept):
            if not spans.starts:
                raise PosencError(
                    f"The text to learn from has too few sentences of {limits[0]} to {limits[1]} "
                    "words.",
                    "text_file",
                )
        amounts = np.array([len(starts) for starts in self._learned.starts.values()], dtype=float)
        self._lengths = np.array(list(self._learned.starts))
        self._share_of_length = amounts / amounts.sum()

    @property
    def tokens(self) -> tuple[int, int]:
        """How many words are learned from, and how many are held out."""
        return len(self._learned.ids), len(self._kept.ids)

    @property
    def unknown_share(self) -> float:
        """Share of the words learned from that are too rare to be known."""
        return float((self._learned.ids == UNKNOWN).mean())

    def batch(self, generator: np.random.Generator) -> Batch:
        length = int(generator.choice(self._lengths, p=self._share_of_length))
        starts = self._learned.starts[length]
        chosen = starts[generator.integers(len(starts), size=max(1, self._batch_tokens // length))]
        return self._masked(self._learned.rows(chosen, length), generator)

    def held_out(self) -> Iterator[Batch]:
        generator = np.random.Generator(np.random.SFC64(12345))
        for length, starts in self._kept.starts.items():
            chosen = generator.permutation(starts)[: max(1, _HELD_OUT_TOKENS // length)]
            yield self._masked(self._kept.rows(chosen, length), generator)

    def example(self) -> Batch:
        length = min(self._kept.starts, key=lambda length: abs(length - _EXAMPLE_LENGTH))
        words = self._kept.rows(self._kept.starts[length][:1], length)
        return self._masked(words, np.random.Generator(np.random.SFC64(12345)))

    def held_out_sentences(self) -> Iterator[IntArray]:
        """As :meth:`held_out`, with nothing masked [b, n]."""
        for length, starts in self._kept.starts.items():
            yield self._kept.rows(starts[: max(1, _HELD_OUT_TOKENS // length)], length)

    def _masked(self, words: IntArray, generator: np.random.Generator) -> Batch:
        chance = generator.random(words.shape)
        fate = generator.random(words.shape)
        chosen = (chance < self._masked_share) & (words != UNKNOWN)
        shown = np.where(chosen & (fate < 0.8), MASK, words)
        any_word = generator.integers(FIRST_WORD, len(self.words), size=words.shape)
        shown = np.where(chosen & (fate >= 0.9), any_word, shown)
        return Batch(shown, np.where(chosen, words, NOTHING))


def _indexed(
    documents: Sequence[list[list[str]]], index: dict[str, int]
) -> Iterator[list[list[int]]]:
    for document in documents:
        yield [[index.get(word, UNKNOWN) for word in sentence] for sentence in document]
