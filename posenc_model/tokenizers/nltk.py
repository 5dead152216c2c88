"""NLTK's Treebank-style word rules, with no downloaded data."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from posenc_model.tokenizers.base import Tokenizer, is_installed, split_ideographs

# Punkt learns abbreviations from text; without its data it is told the commonest English ones.
_ABBREVIATIONS = (
    "a.m approx assn ave co corp dept dr e.g ed est etc fig gen gov i.e inc jr lt ltd messrs mr "
    "mrs ms mt no p.m ph.d prof rep rev sen sgt sr st u.k u.s vol vs"
)


@functools.lru_cache(maxsize=1)
def _load() -> tuple[Any, Any]:
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(_ABBREVIATIONS.split())
    return PunktSentenceTokenizer(parameters), NLTKWordTokenizer()


class NltkTokenizer(Tokenizer):
    title = "NLTK"
    summary = "Penn Treebank rules: splits off punctuation and the full stop of each sentence."

    def missing(self) -> str | None:
        if not is_installed("nltk"):
            return "NLTK is not installed: run “pip install nltk”."
        return None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        return split_ideographs(text, self._words(text))

    def _words(self, text: str) -> Iterator[tuple[int, int]]:
        sentences, words = _load()
        for start, end in sentences.span_tokenize(text):
            sentence = text[start:end]
            yield from _locate(sentence, words.tokenize(sentence), start)


# The tokenizer writes any of these as `` or '', by where it stands.
_DOUBLE_QUOTES = ("``", "''", '"')


def _locate(sentence: str, words: list[str], offset: int) -> Iterator[tuple[int, int]]:
    """Finds each word in the sentence it was cut from.

    NLTK's own span_tokenize stumbles where a text holds two kinds of double quotes.
    """
    position = 0
    for word in words:
        candidates = _DOUBLE_QUOTES if word in _DOUBLE_QUOTES else (word,)
        found = [(sentence.find(c, position), len(c)) for c in candidates]
        start, length = min(hit for hit in found if hit[0] >= 0)
        yield offset + start, offset + start + length
        position = start + length
