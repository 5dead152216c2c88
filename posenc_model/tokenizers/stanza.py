"""Stanford's Stanza, an optional extra whose English model has to be on this machine already."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from posenc_model.tokenizers.base import Tokenizer, is_installed


def _model_folder() -> Path:
    return Path(os.environ.get("STANZA_RESOURCES_DIR", Path.home() / "stanza_resources"))


@functools.lru_cache(maxsize=1)
def _load(folder: Path) -> Any:
    import stanza

    return stanza.Pipeline(
        lang="en", processors="tokenize", dir=str(folder), download_method=None, verbose=False
    )


class StanzaTokenizer(Tokenizer):
    title = "Stanza"
    summary = "A neural tokenizer trained on English treebanks."

    def missing(self) -> str | None:
        if not is_installed("stanza"):
            return "Stanza is not installed: run “pip install stanza”."
        if not (_model_folder() / "en" / "tokenize").is_dir():
            return (
                "Stanza’s English model is not on this machine: run "
                "“python -c \"import stanza; stanza.download('en')\"” while online."
            )
        return None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        document = _load(_model_folder())(text)
        for sentence in document.sentences:
            for token in sentence.tokens:
                yield token.start_char, token.end_char
