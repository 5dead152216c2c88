"""The encoder and the word vectors that settings mean."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from posenc_model.config import EncoderConfig
from posenc_model.embeddings import (
    Embedding,
    FloatArray,
    OneHotEmbedding,
    RandomEmbedding,
    require_known,
)
from posenc_model.encoder import TransformerEncoder
from posenc_model.errors import PosencError
from posenc_model.settings import Settings
from posenc_model.tokenizers import Token, Tokenizer, get_tokenizer
from posenc_model.trained_encoder import TrainedEncoder, load_trained
from posenc_model.vocabulary import load_vocabulary
from posenc_model.weight_sources import RANDOM, TRAINED
from posenc_model.weights import WeightCache

_WEIGHTS = WeightCache()

_LEARNED_WITHOUT_MASK = "The trained weights have learned without a look-ahead mask."


@dataclass(frozen=True, eq=False)
class OwnModel:
    """What turns words into numbers.

    Attributes:
        embedding: Gives words their vectors.
        encoder: Shared by results, so it must not be changed.
        title: Where the weights come from.
        trained: The trained encoder that the two belong to, if they do.
        warnings: What the user should know of it, as sentences.
    """

    embedding: Embedding
    encoder: TransformerEncoder
    title: str
    trained: TrainedEncoder | None = None
    warnings: tuple[str, ...] = ()

    def warnings_for(self, tokens: int) -> tuple[str, ...]:
        """What the user should know where it is given ``tokens`` tokens, as sentences."""
        longest = 0 if self.trained is None else int(self.trained.info.notes.get("longest", 0))
        if not 0 < longest < tokens:
            return self.warnings
        return (
            *self.warnings,
            f"{tokens:,} tokens: these weights have learned from at most {longest} at a time. What "
            "they do with words farther apart was never learned.",
        )

    def vectors(self, words: Sequence[str], masked: Sequence[int] = ()) -> FloatArray:
        """The vectors [n, D] of ``words``; that of the mask where one is hidden."""
        vectors = self.embedding.vectors(words)
        if self.trained is not None and masked:
            vectors[list(masked)] = self.trained.embedding.mask
        return vectors


def own_model(settings: Settings, tokens: Sequence[Token]) -> OwnModel:
    """The encoder and the vectors of ``settings``.

    Args:
        settings: What was chosen.
        tokens: Those that a vocabulary of "the words of this text" is made of.

    Raises:
        PosencError: The weights are somebody else's, or cannot be read.
    """
    source = settings.source
    if source.kind in ("model", "attention"):
        raise PosencError(
            f"This needs one of this program’s encoders, not {source.title}; set weights to "
            f"{TRAINED} or {RANDOM}.",
            "weights",
        )
    if source.kind == "trained":
        assert source.path is not None
        trained = load_trained(source.path)
        title = "trained" if settings.weights == TRAINED else source.path.stem
        warnings = (_LEARNED_WITHOUT_MASK,) if settings.attention_mask == "causal" else ()
        return OwnModel(trained.embedding, trained.encoder, title, trained, warnings)
    embedding = _embedding(settings, tokens, get_tokenizer(settings.nlp_pipeline))
    config = _config(settings, embedding.width)
    # Not the encoder's warnings: one of the same sizes may have come from other wishes.
    title = f"random, seed {settings.seed}"
    return OwnModel(embedding, _encoder(config), title, warnings=config.warnings)


def checked_masked(masked: tuple[int, ...], n: int, model: OwnModel) -> tuple[int, ...]:
    """The tokens to hide, if there are such tokens and the weights can guess.

    Raises:
        PosencError: There are not, or they cannot.
    """
    if masked and model.trained is None:
        raise PosencError(
            f"Only trained weights can guess hidden words; set weights to {TRAINED}.", "masked"
        )
    for index in masked:
        if not 0 <= index < n:
            raise PosencError(
                f"The hidden word is number {index + 1}, but has to be from 1 to {n}.", "masked"
            )
    return masked


@functools.lru_cache(maxsize=4)
def _encoder(config: EncoderConfig) -> TransformerEncoder:
    """The encoder of a configuration; results share it, so it must not be changed."""
    return TransformerEncoder(config, _WEIGHTS.seeded(config.seed))


def _config(settings: Settings, width: int) -> EncoderConfig:
    return EncoderConfig(
        width=width,
        num_layers=settings.num_layers,
        num_heads=settings.num_heads,
        positional_encoding=settings.positional_encoding,
        encoding_options=settings.encoding_options,
        seed=settings.seed,
    )


def words_of(embedding: Embedding, settings: Settings, tokens: Sequence[Token]) -> list[str]:
    """The tokens\' words; unknown ones are refused where they are not ignored."""
    words = [token.text for token in tokens]
    if not settings.unk_ignore:
        require_known(embedding, words)
    return words


@functools.lru_cache(maxsize=4)
def _random_embedding(width: int, seed: int) -> RandomEmbedding:
    return RandomEmbedding(width, seed)


def _embedding(settings: Settings, tokens: Sequence[Token], tokenizer: Tokenizer) -> Embedding:
    if settings.embedding == "random":
        return _random_embedding(settings.width, settings.seed)
    words = (token.text for token in tokens)
    return OneHotEmbedding(load_vocabulary(settings.vocabulary, words, tokenizer))
