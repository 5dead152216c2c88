"""The words of a trained encoder: how they are written, and the indices with a meaning."""

from __future__ import annotations

# The first two indices of every trained vocabulary; real words follow.
UNKNOWN, MASK, FIRST_WORD = 0, 1, 2
UNKNOWN_WORD, MASK_WORD = "[unknown]", "[mask]"
PAD_WORD = "[pad]"

_PLAIN_SIGNS = str.maketrans("‘’“”", "''\"\"")


def normal_form(word: str) -> str:
    """How a trained vocabulary writes a word: in lower case, with straight quotes."""
    return word.lower().translate(_PLAIN_SIGNS)
