"""gensim's word pattern, an optional extra."""

from __future__ import annotations

from collections.abc import Iterator

from posenc_model.tokenizers.base import Tokenizer, is_installed


class GensimTokenizer(Tokenizer):
    title = "gensim"
    summary = "Keeps runs of letters only: digits, punctuation and apostrophes are dropped."
    warning = "gensim leaves out the digits, punctuation and apostrophes of the text."

    def missing(self) -> str | None:
        if not is_installed("gensim"):
            return "gensim is not installed: run “pip install gensim”."
        return None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        from gensim.utils import PAT_ALPHABETIC

        return (match.span() for match in PAT_ALPHABETIC.finditer(text))
