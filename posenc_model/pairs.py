"""Sentence pairs: a text of two lines, and the four parts of its matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from posenc_model.result import RunResult


@dataclass(frozen=True)
class PairPart:
    """A block of the matrix of a sentence pair.

    Attributes:
        name: Its name.
        title: What a form shows.
        queries_in_a: Whether the words that look are those of the first sentence.
        keys_in_a: Whether the words that are looked at are.
    """

    name: str
    title: str
    queries_in_a: bool
    keys_in_a: bool

    def ranges(self, boundary: int, n: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """First and last edge of its queries and of its keys, where B begins at ``boundary``."""
        first, second = (0, boundary), (boundary, n)
        return (
            first if self.queries_in_a else second,
            first if self.keys_in_a else second,
        )


PAIR_PARTS = (
    PairPart("a", "within A", True, True),
    PairPart("b", "within B", False, False),
    PairPart("ab", "A → B", True, False),
    PairPart("ba", "B → A", False, True),
)


def pair_boundary(result: RunResult) -> int | None:
    """Where the second of two lines begins, in tokens; ``None`` where the text is no pair.

    A pair is a text of exactly two lines with words that were run together, not as a batch.
    """
    settings = result.request.settings
    if settings.batch or settings.source.kind in ("model", "attention"):
        return None  # somebody else's model would be given a pair in a way of its own
    lines = [line for line in result.request.text.splitlines(keepends=True) if line.strip()]
    if len(lines) != 2:
        return None
    start = result.request.text.index(lines[1], result.request.text.index(lines[0]) + len(lines[0]))
    boundary = sum(token.start < start for token in result.tokens)
    return boundary if 0 < boundary < len(result.tokens) else None
