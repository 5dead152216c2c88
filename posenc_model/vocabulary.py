"""Vocabularies: the words that one-hot embeddings know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from posenc_model.errors import PosencError
from posenc_model.options import Choice
from posenc_model.resources import resource_folder
from posenc_model.textfiles import expanded, read_text_file
from posenc_model.tokenizers import Tokenizer

# The width of a one-hot model is the size of its vocabulary, and its weights grow with the square.
MAX_WORDS = 1024

FROM_TEXT = "text"
FROM_SAMPLE = "sample"


def vocabulary_choices() -> tuple[Choice, ...]:
    """Where a vocabulary can come from, besides a file."""
    return (
        Choice(FROM_TEXT, "the words of this text", "Every word of the text is known."),
        Choice(
            FROM_SAMPLE,
            "the sample corpus",
            "The words of the sample sentences about computing; others are unknown.",
        ),
    )


@dataclass(frozen=True)
class Vocabulary:
    """Distinct words in the order in which they were first seen.

    Attributes:
        words: The words; case counts.
        index: Place of each word.
    """

    words: tuple[str, ...]
    index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {word: i for i, word in enumerate(self.words)})

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    @classmethod
    def of(cls, words: Iterable[str], source: str) -> Vocabulary:
        """The vocabulary of ``words``.

        Args:
            words: Words, repeated or not.
            source: What they come from, for the error sentence.

        Raises:
            PosencError: There are no words, or more than :data:`MAX_WORDS` distinct ones.
        """
        distinct = tuple(dict.fromkeys(words))
        if not distinct:
            raise PosencError(f"There are no words in {source}.", "vocabulary")
        if len(distinct) > MAX_WORDS:
            raise PosencError(
                f"There are {len(distinct):,} distinct words in {source}; one-hot embeddings take "
                f"at most {MAX_WORDS:,}, because their width is the size of the vocabulary.",
                "vocabulary",
            )
        return cls(distinct)


def load_vocabulary(source: str, text_words: Iterable[str], tokenizer: Tokenizer) -> Vocabulary:
    """The vocabulary from ``source``: ``"text"``, ``"sample"`` or the path of a text file.

    A file's text is cut by ``tokenizer``, as the text itself is.

    Raises:
        PosencError: The file cannot be read, or has no or too many words.
    """
    if source == FROM_TEXT:
        return Vocabulary.of(text_words, "this text")
    if source == FROM_SAMPLE:
        path, name = resource_folder() / "samples" / "computing.txt", "the sample corpus"
    else:
        path, name = Path(source), f"“{Path(source).name}”"
    try:
        text = read_text_file(expanded(path))
    except PosencError as error:
        raise PosencError(f"The vocabulary: {error.sentence}", "vocabulary") from error
    return Vocabulary.of((token.text for token in tokenizer.tokenize(text)), name)
