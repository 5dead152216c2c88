"""What a tokenizer is."""

from __future__ import annotations

import importlib.util
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Halves of a UTF-16 pair, as a broken paste or undecodable bytes on the command line bring them.
# They are no characters: they can be neither hashed as UTF-8, nor printed, nor saved.
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Token:
    """A piece of the source text.

    Attributes:
        text: The characters, exactly as they stand in the source; lone surrogates, which are no
            characters, become U+FFFD.
        start: Offset of the first character in the source, in code points.
        end: Offset after the last one.
    """

    text: str
    start: int
    end: int


class Tokenizer(ABC):
    """Cuts text into tokens. Making one is cheap; libraries are imported when first needed.

    Attributes:
        title: What a form shows.
        summary: One plain sentence on how it cuts.
        warning: A sentence for whoever uses it, where it leaves part of the text out.
    """

    title: str
    summary: str
    warning: str | None = None

    def missing(self) -> str | None:
        """Why it cannot be used on this machine and what to install; ``None`` if it can."""
        return None

    @abstractmethod
    def spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Start and end of each token, in order, without the white space between them."""

    def tokenize(self, text: str) -> tuple[Token, ...]:
        """The tokens of ``text``, in order."""
        text = _LONE_SURROGATES.sub("\ufffd", text)
        return tuple(Token(text[start:end], start, end) for start, end in self.spans(text))


def is_installed(module: str) -> bool:
    """Whether ``module`` could be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


# Chinese characters, Chinese punctuation, and the full-width forms of ASCII punctuation.
_STANDING_ALONE = (
    (0x3001, 0x303F),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF01, 0xFF0F),
    (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40),
    (0xFF5B, 0xFF65),
    (0x20000, 0x3FFFF),
)


def _stands_alone(character: str) -> bool:
    code = ord(character)
    return code > 0x3000 and any(first <= code <= last for first, last in _STANDING_ALONE)


def split_ideographs(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Makes each Chinese character and mark a token, as spaCy's Chinese and BERT do.

    Rules for languages that put spaces between words would give a whole Chinese sentence as one.
    """
    for start, end in spans:
        last = start
        for position in range(start, end):
            if _stands_alone(text[position]):
                if last < position:
                    yield last, position
                yield position, position + 1
                last = position + 1
        if last < end:
            yield last, end
