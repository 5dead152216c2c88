"""Tokens are what stands between white space."""

from __future__ import annotations

import re
from collections.abc import Iterator

from posenc_model.tokenizers.base import Tokenizer


class WhitespaceTokenizer(Tokenizer):
    title = "White space"
    summary = "Cuts at spaces and line ends only; punctuation stays with its word."

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        return (match.span() for match in re.finditer(r"\S+", text))
