"""spaCy's rules for English, which come with spaCy, or those of an installed English pipeline."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any

from posenc_model.errors import PosencError
from posenc_model.tokenizers.base import Tokenizer, is_installed, split_ideographs

_LONGEST_RUN = 300


def installed_english_pipelines() -> tuple[str, ...]:
    """Names of the English pipelines that are installed as packages, sorted."""
    names = {entry.name for entry in entry_points(group="spacy_models")}
    return tuple(sorted(name for name in names if name.startswith("en_")))


@functools.lru_cache(maxsize=4)
def _load(pipeline: str | None) -> Any:
    import spacy

    if pipeline is None:
        return spacy.blank("en")
    try:
        # Only the tokenizer is used; everything else would be loaded for nothing.
        return spacy.load(pipeline, exclude=["tok2vec", "tagger", "parser", "ner", "lemmatizer"])
    except OSError as error:
        raise PosencError(
            f"spaCy could not load its pipeline “{pipeline}”: "
            f"install it with “python -m spacy download {pipeline}”.",
            "nlp_pipeline",
        ) from error


class SpacyTokenizer(Tokenizer):
    """Args:
    pipeline: Name of an installed pipeline; ``None`` for the rules that come with spaCy.
    """

    def __init__(self, pipeline: str | None = None) -> None:
        self._pipeline = pipeline
        self.title = "spaCy" if pipeline is None else f"spaCy · {pipeline}"
        self.summary = "Splits off punctuation and parts like n’t; Chinese character by character."

    def missing(self) -> str | None:
        if not is_installed("spacy"):
            return "spaCy is not installed: run “pip install spacy”."
        return None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        return split_ideographs(text, self._words(text))

    def _words(self, text: str) -> Iterator[tuple[int, int]]:
        # Not make_doc, which refuses texts of more than a million characters.
        tokenizer = _load(self._pipeline).tokenizer
        for start, end in _pieces(text):
            doc = tokenizer(text[start:end])
            yield from ((start + t.idx, start + t.idx + len(t)) for t in doc if not t.is_space)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The text in one piece, but cut within runs of letters and marks that no language has.

    spaCy's time grows with the square of such a run: 40 s for 20,000 apostrophes.
    """
    start = 0
    for run in re.finditer(rf"\S{{{_LONGEST_RUN + 1},}}", text):
        for cut in range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN):
            yield start, cut
            start = cut
    yield start, len(text)
