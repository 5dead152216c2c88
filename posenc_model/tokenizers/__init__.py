"""The registry of tokenizers: one file and one entry each."""

from __future__ import annotations

from posenc_model.errors import PosencError
from posenc_model.options import Choice
from posenc_model.tokenizers.base import Token, Tokenizer
from posenc_model.tokenizers.gensim import GensimTokenizer
from posenc_model.tokenizers.nltk import NltkTokenizer
from posenc_model.tokenizers.spacy import SpacyTokenizer, installed_english_pipelines
from posenc_model.tokenizers.stanza import StanzaTokenizer
from posenc_model.tokenizers.whitespace import WhitespaceTokenizer

__all__ = ["TOKENIZERS", "Token", "Tokenizer", "get_tokenizer", "tokenizer_choices"]

TOKENIZERS: dict[str, Tokenizer] = {
    "spacy": SpacyTokenizer(),
    **{f"spacy:{name}": SpacyTokenizer(name) for name in installed_english_pipelines()},
    "nltk": NltkTokenizer(),
    "whitespace": WhitespaceTokenizer(),
    "stanza": StanzaTokenizer(),
    "gensim": GensimTokenizer(),
}


def tokenizer_choices() -> tuple[Choice, ...]:
    """The tokenizers as choices of an option, those that cannot be used included."""
    return tuple(
        Choice(name, tokenizer.title, tokenizer.summary, tokenizer.missing())
        for name, tokenizer in TOKENIZERS.items()
    )


def get_tokenizer(name: str) -> Tokenizer:
    """The tokenizer called ``name``.

    Raises:
        PosencError: It cannot be used on this machine; the sentence says what to install.
    """
    missing = TOKENIZERS[name].missing()
    if missing is not None:
        raise PosencError(missing, "nlp_pipeline")
    return TOKENIZERS[name]
