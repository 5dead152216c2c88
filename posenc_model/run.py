"""One run: a frozen request goes in, a frozen result that carries it comes out."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import overload

import torch
from torch import Tensor

from posenc_model.config import EncoderConfig
from posenc_model.embeddings import (
    Embedding,
    FloatArray,
    OneHotEmbedding,
    RandomEmbedding,
    require_known,
)
from posenc_model.encoder import EncoderOutput, TransformerEncoder
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.given import run_given
from posenc_model.overview import OverviewMaker
from posenc_model.request import KEEP_ALL, KEEP_BY_SIZE, KEEP_NONE, MAX_TOKENS, RunRequest
from posenc_model.result import EncodedResult, RunResult
from posenc_model.settings import Settings
from posenc_model.tokenizers import Token, Tokenizer, get_tokenizer
from posenc_model.trained_encoder import TrainedEncoder, load_trained
from posenc_model.vocabulary import load_vocabulary
from posenc_model.weight_sources import RANDOM, TRAINED
from posenc_model.weights import WeightCache
from posenc_model.words import MASK_WORD

Progress = Callable[[float], None]

# Up to this size the weights of every layer and head are kept; above, a head is computed anew
# from the hidden states when it is looked at.
KEEP_BYTES = 256 * 2**20

_WEIGHTS = WeightCache()


def run(
    request: RunRequest,
    is_cancelled: Callable[[], bool] = lambda: False,
    on_progress: Progress = lambda share: None,
) -> RunResult:
    """Runs the encoder on one text.

    Args:
        request: The text and the settings.
        is_cancelled: Asked between small steps; once it says yes, the run ends.
        on_progress: Told the share that is done, from 0 to 1.

    Raises:
        PosencError: Something the user can put right.
        RunCancelled: ``is_cancelled`` said yes.
    """
    if request.settings.source.kind in ("model", "attention"):
        return run_given(request, is_cancelled, on_progress)
    started = time.perf_counter()
    tokens, warnings = tokens_of(request)
    result = run_tokens(request, tokens, is_cancelled, on_progress, warnings)
    return replace(result, seconds=time.perf_counter() - started)  # cutting the text included


def tokens_of(request: RunRequest) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """Cuts the request's text; gives the tokens, and warnings for the user.

    Raises:
        PosencError: The tokenizer cannot be used, or there are no words.
    """
    tokenizer = get_tokenizer(request.settings.nlp_pipeline)
    tokens = tokenizer.tokenize(request.text)
    if not tokens:
        sentence = "Type a sentence to see how its words attend to each other."
        if request.text.strip():
            sentence = f"{tokenizer.title} finds no words in this text."
        raise PosencError(sentence, "text")
    warnings: tuple[str, ...] = () if tokenizer.warning is None else (tokenizer.warning,)
    if len(tokens) > MAX_TOKENS:
        warnings += (f"The text has {len(tokens):,} tokens; the first {MAX_TOKENS:,} are shown.",)
    return tokens[:MAX_TOKENS], warnings


def run_tokens(
    request: RunRequest,
    tokens: tuple[Token, ...],
    is_cancelled: Callable[[], bool] = lambda: False,
    on_progress: Progress = lambda share: None,
    warnings: tuple[str, ...] = (),
    vocabulary_tokens: Sequence[Token] = (),
) -> EncodedResult:
    """As :func:`run`, for tokens that may be others than the text's, or in another order.

    A vocabulary of "the words of this text" is made of ``vocabulary_tokens`` where they are given.
    """
    started = time.perf_counter()

    def check() -> None:
        if is_cancelled():
            raise RunCancelled

    check()
    model = _model(request.settings, vocabulary_tokens or tokens)
    words = _words(model.embedding, request.settings, tokens)
    config = model.encoder.config
    vectors = model.vectors(words, _checked_masked(request.masked, len(tokens), model))
    n = len(tokens)
    keep = _is_kept(request, config, n)
    if not keep:
        warnings += (
            f"{n:,} tokens: the weights of all heads together would fill too much memory, "
            "so each head is computed when you look at it.",
        )
    overview = OverviewMaker(config.num_layers, config.num_heads, n)

    def on_block(layer: int, weights: Tensor, first_row: int) -> None:
        check()
        overview.add(layer, weights[0], first_row)
        on_progress((layer + (first_row + weights.shape[-2]) / n) / config.num_layers)

    with torch.inference_mode():
        output = model.encoder(
            torch.from_numpy(vectors)[None],
            keep_attentions=keep,
            on_block=on_block,
            check=check,
            rows_per_block=overview.rows_per_block,
        )
    seconds = time.perf_counter() - started
    return _result(request, tokens, model, output, overview, keep, seconds, warnings)


@overload
def encode(text: str, *, keep: str = ..., **settings: object) -> RunResult: ...
@overload
def encode(
    text: list[str] | tuple[str, ...], *, keep: str = ..., **settings: object
) -> list[RunResult]: ...
def encode(
    text: str | list[str] | tuple[str, ...], *, keep: str = KEEP_ALL, **settings: object
) -> RunResult | list[RunResult]:
    """Runs the encoder on a text, or on several as one batch.

    >>> result = encode("one two three", positional_encoding="rel", clip_distance=4, num_layers=2)
    >>> result.attentions.shape
    (2, 8, 3, 3)
    >>> sorted(result.score_parts(0, 0))
    ['content', 'position']
    >>> [len(result.tokens) for result in encode(["a b c", "a b"], num_layers=1)]
    [3, 2]

    Args:
        text: A text, or several. One-hot vectors over the words "of this text" then take the words
            of all of them.
        keep: ``"all"`` keeps the weights of every layer and head in memory, ``"none"`` computes a
            head when it is asked for, ``"auto"`` decides by size (256 MB).
        **settings: The settings of the program by name, the encoding's own parameters among them.

    Raises:
        PosencError: A setting is not allowed, or a text has no words.
    """
    checked = Settings.of(settings)
    if isinstance(text, str):
        return run(RunRequest(0, text, checked, keep))
    requests = [RunRequest(i, one, checked, keep) for i, one in enumerate(text)]
    if checked.source.kind in ("model", "attention"):
        return [run(request) for request in requests]
    return _run_batch(requests)


def _run_batch(requests: list[RunRequest]) -> list[RunResult]:
    """Runs texts of the same settings as one padded batch."""
    if not requests:
        return []
    started = time.perf_counter()
    settings = requests[0].settings
    cut = [tokens_of(request) for request in requests]
    model = _model(settings, [token for tokens, _ in cut for token in tokens])
    config = model.encoder.config
    lengths = [len(tokens) for tokens, _ in cut]
    vectors = torch.zeros(len(cut), max(lengths), config.width)
    for row, (tokens, _) in enumerate(cut):
        words = _words(model.embedding, settings, tokens)
        vectors[row, : len(words)] = torch.from_numpy(model.vectors(words))
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    keep = _is_kept(requests[0], config, max(lengths), len(cut))
    with torch.inference_mode():
        output = model.encoder(vectors, None if bool(mask.all()) else mask, keep_attentions=keep)
    seconds = time.perf_counter() - started
    results: list[RunResult] = []
    for row, (request, (tokens, warnings)) in enumerate(zip(requests, cut, strict=True)):
        own = _row_of(output, row, len(tokens))
        overview = OverviewMaker(config.num_layers, config.num_heads, len(tokens))
        with torch.inference_mode():
            for layer in range(config.num_layers):
                kept = own.attentions[layer] if keep else model.encoder.weights_of(own, layer)
                overview.add(layer, kept[0], 0)
        results.append(_result(request, tokens, model, own, overview, keep, seconds, warnings))
    return results


def _result(
    request: RunRequest,
    tokens: tuple[Token, ...],
    model: _Model,
    output: EncoderOutput,
    overview: OverviewMaker,
    keep: bool,
    seconds: float,
    warnings: tuple[str, ...],
) -> EncodedResult:
    config = model.encoder.config
    trained = model.trained
    hidden = [(index, tokens[index].text) for index in request.masked]
    guesses = trained.guesses(output.last_hidden_state[0], hidden) if trained and hidden else ()
    return EncodedResult(
        request=request,
        tokens=tuple(
            replace(token, text=MASK_WORD) if index in request.masked else token
            for index, token in enumerate(tokens)
        ),
        is_unknown=tuple(
            not model.embedding.knows(token.text) and index not in request.masked
            for index, token in enumerate(tokens)
        ),
        num_layers=config.num_layers,
        num_heads=config.num_heads,
        encoding_title=config.positional_encoding,
        weights_title=model.title,
        overview=overview.result(),
        keeps_attentions=keep,
        seconds=seconds,
        warnings=(*config.warnings, *warnings),
        guesses=guesses,
        can_guess=trained is not None,
        config=config,
        _encoder=model.encoder,
        _output=output,
    )


def _row_of(output: EncoderOutput, row: int, length: int) -> EncoderOutput:
    """One text of a batch, without its padding."""
    one = slice(row, row + 1)
    return EncoderOutput(
        last_hidden_state=output.last_hidden_state[one, :length],
        hidden_states=tuple(hidden[one, :length] for hidden in output.hidden_states),
        attentions=tuple(weights[one, :, :length, :length] for weights in output.attentions),
        words=output.words[one, :length],
        mask=None,
    )


@dataclass(frozen=True, eq=False)
class _Model:
    """What turns words into numbers.

    Attributes:
        embedding: Gives words their vectors.
        encoder: Shared by results, so it must not be changed.
        title: Where the weights come from.
        trained: The trained encoder that the two belong to, if they do.
    """

    embedding: Embedding
    encoder: TransformerEncoder
    title: str
    trained: TrainedEncoder | None = None

    def vectors(self, words: Sequence[str], masked: Sequence[int] = ()) -> FloatArray:
        """The vectors [n, D] of ``words``; that of the mask where one is hidden."""
        vectors = self.embedding.vectors(words)
        if self.trained is not None and masked:
            vectors[list(masked)] = self.trained.embedding.mask
        return vectors


def _model(settings: Settings, tokens: Sequence[Token]) -> _Model:
    source = settings.source
    if source.kind in ("model", "attention"):
        raise PosencError(
            f"This needs an encoder of our own, not {source.title}; set weights to {TRAINED} or "
            f"{RANDOM}.",
            "weights",
        )
    if source.kind == "trained":
        assert source.path is not None
        trained = load_trained(source.path)
        title = "trained" if settings.weights == TRAINED else source.path.stem
        return _Model(trained.embedding, trained.encoder, title, trained)
    embedding = _embedding(settings, tokens, get_tokenizer(settings.nlp_pipeline))
    encoder = _encoder(_config(settings, embedding.width))
    return _Model(embedding, encoder, f"random, seed {settings.seed}")


def _checked_masked(masked: tuple[int, ...], n: int, model: _Model) -> tuple[int, ...]:
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


def _is_kept(request: RunRequest, config: EncoderConfig, n: int, batch: int = 1) -> bool:
    if request.keep == KEEP_BY_SIZE:
        return 4 * batch * config.num_layers * config.num_heads * n * n <= KEEP_BYTES
    return request.keep != KEEP_NONE


def _words(embedding: Embedding, settings: Settings, tokens: Sequence[Token]) -> list[str]:
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
