"""spaCy's rules for English, which come with spaCy, or those of an installed English pipeline."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any

from posenc_model.errors import PosencError
from posenc_model.tokenizers.base import Tokenizer, is_installed, split_ideographs


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
        # Not make_doc, which refuses texts of more than a million characters.
        doc = _load(self._pipeline).tokenizer(text)
        words = ((t.idx, t.idx + len(t)) for t in doc if not t.is_space)
        return split_ideographs(text, words)
