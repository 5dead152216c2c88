"""One run: a frozen request goes in, a frozen result that carries it comes out."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import overload

import torch
from torch import Tensor

from posenc_model.config import EncoderConfig
from posenc_model.embeddings import Embedding, OneHotEmbedding, RandomEmbedding, require_known
from posenc_model.encoder import EncoderOutput, TransformerEncoder
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.overview import OverviewMaker
from posenc_model.request import KEEP_ALL, KEEP_BY_SIZE, KEEP_NONE, RunRequest
from posenc_model.result import RunResult
from posenc_model.settings import Settings
from posenc_model.tokenizers import Token, Tokenizer, get_tokenizer
from posenc_model.vocabulary import load_vocabulary
from posenc_model.weights import WeightCache

Progress = Callable[[float], None]

MAX_TOKENS = 4096
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
) -> RunResult:
    """As :func:`run`, for tokens that may be others than the text's, or in another order.

    A vocabulary of "the words of this text" is made of ``vocabulary_tokens`` where they are given.
    """
    started = time.perf_counter()
    settings = request.settings
    tokenizer = get_tokenizer(settings.nlp_pipeline)
    embedding = _embedding(settings, vocabulary_tokens or tokens, tokenizer)
    words = _words(embedding, settings, tokens)
    config = _config(settings, embedding.width)

    def check() -> None:
        if is_cancelled():
            raise RunCancelled

    check()
    encoder = _encoder(config)
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
        output = encoder(
            torch.from_numpy(embedding.vectors(words))[None],
            keep_attentions=keep,
            on_block=on_block,
            check=check,
            rows_per_block=overview.rows_per_block,
        )
    return RunResult(
        request=request,
        tokens=tokens,
        is_unknown=tuple(not embedding.knows(word) for word in words),
        config=config,
        overview=overview.result(),
        keeps_attentions=keep,
        seconds=time.perf_counter() - started,
        warnings=(*config.warnings, *warnings),
        _encoder=encoder,
        _output=output,
    )


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
    return _run_batch([RunRequest(i, one, checked, keep) for i, one in enumerate(text)])


def _run_batch(requests: list[RunRequest]) -> list[RunResult]:
    """Runs texts of the same settings as one padded batch."""
    if not requests:
        return []
    started = time.perf_counter()
    settings = requests[0].settings
    cut = [tokens_of(request) for request in requests]
    every_token = [token for tokens, _ in cut for token in tokens]
    embedding = _embedding(settings, every_token, get_tokenizer(settings.nlp_pipeline))
    config = _config(settings, embedding.width)
    encoder = _encoder(config)
    lengths = [len(tokens) for tokens, _ in cut]
    vectors = torch.zeros(len(cut), max(lengths), embedding.width)
    for row, (tokens, _) in enumerate(cut):
        words = _words(embedding, settings, tokens)
        vectors[row, : len(words)] = torch.from_numpy(embedding.vectors(words))
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    keep = _is_kept(requests[0], config, max(lengths), len(cut))
    with torch.inference_mode():
        output = encoder(vectors, None if bool(mask.all()) else mask, keep_attentions=keep)
    seconds = time.perf_counter() - started
    results = []
    for row, (request, (tokens, warnings)) in enumerate(zip(requests, cut, strict=True)):
        own = _row_of(output, row, len(tokens))
        overview = OverviewMaker(config.num_layers, config.num_heads, len(tokens))
        with torch.inference_mode():
            for layer in range(config.num_layers):
                kept = own.attentions[layer] if keep else encoder.weights_of(own, layer)
                overview.add(layer, kept[0], 0)
        results.append(
            RunResult(
                request=request,
                tokens=tokens,
                is_unknown=tuple(not embedding.knows(token.text) for token in tokens),
                config=config,
                overview=overview.result(),
                keeps_attentions=keep,
                seconds=seconds,
                warnings=(*config.warnings, *warnings),
                _encoder=encoder,
                _output=own,
            )
        )
    return results


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
