"""One run: a frozen request goes in, a frozen result that carries it comes out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import overload

import torch
from torch import Tensor

from posenc_model.config import EncoderConfig
from posenc_model.encoder import EncoderOutput
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.given import run_given
from posenc_model.overview import OverviewMaker
from posenc_model.own_model import OwnModel, checked_masked, own_model, words_of
from posenc_model.request import EMPTY, KEEP_ALL, KEEP_BY_SIZE, KEEP_NONE, MAX_TOKENS, RunRequest
from posenc_model.result import EncodedResult, RunResult
from posenc_model.settings import MAX_SENTENCES, Settings
from posenc_model.tokenizers import Token, get_tokenizer
from posenc_model.words import MASK_WORD, PAD_WORD

Progress = Callable[[float], None]

# Up to this size the weights of every layer and head are kept; above, a head is computed anew
# from the hidden states when it is looked at.
KEEP_BYTES = 256 * 2**20
# A batch is run at once, its padding included.
MAX_BATCH_TOKENS = 16_384


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
    result: RunResult
    if request.settings.batch:
        result = run_sentences(request, is_cancelled, on_progress)
    else:
        tokens, warnings = tokens_of(request)
        result = run_tokens(request, tokens, is_cancelled, on_progress, warnings)
    return replace(result, seconds=time.perf_counter() - started)  # cutting the text included


def run_sentences(
    request: RunRequest,
    is_cancelled: Callable[[], bool] = lambda: False,
    on_progress: Progress = lambda share: None,
) -> EncodedResult:
    """Runs the lines of the request's text as one padded batch, and gives the one that is shown.

    Raises:
        PosencError: There is no such line, or something is wrong with the text or the settings.
        RunCancelled: ``is_cancelled`` said yes.
    """
    started = time.perf_counter()
    settings = request.settings
    cut, warnings = _sentences(request)
    if settings.sentence > len(cut):
        raise PosencError(
            f"sentence is {settings.sentence}, but the text has {len(cut)} "
            f"{'line' if len(cut) == 1 else 'lines'} with words.",
            "sentence",
        )
    shown = settings.sentence - 1
    model = own_model(settings, [token for tokens in cut for token in tokens])
    config = model.encoder.config
    lengths = [len(tokens) for tokens in cut]
    longest = max(lengths)
    hidden = checked_masked(request.masked, lengths[shown], model)
    vectors = _padded(model, settings, cut, {shown: hidden})

    def on_block(layer: int, weights: Tensor, first_row: int) -> None:
        if is_cancelled():
            raise RunCancelled
        on_progress((layer + (first_row + weights.shape[-2]) / longest) / config.num_layers)

    tokens = cut[shown]
    if settings.show_padding:
        end = tokens[-1].end
        tokens += tuple(Token(PAD_WORD, end, end) for _ in range(longest - len(tokens)))
    n = len(tokens)
    keep = _is_kept(request, config, n)
    overview = OverviewMaker(config.num_layers, config.num_heads, n)
    with torch.inference_mode():
        output = model.encoder(
            vectors, _mask(settings, lengths), keep_attentions=False, on_block=on_block
        )
        own = _row_of(output, shown, n, is_cut=not settings.show_padding)
        kept = []
        for layer in range(config.num_layers):
            weights = model.encoder.weights_of(own, layer)
            overview.add(layer, weights[0], 0)
            if keep:
                kept.append(weights)
    own = replace(own, attentions=tuple(kept))
    seconds = time.perf_counter() - started
    return _result(request, tokens, model, own, overview, keep, seconds, warnings)


def _sentences(request: RunRequest) -> tuple[list[tuple[Token, ...]], tuple[str, ...]]:
    """The tokens of each line that has words, with their places in the whole text."""
    cut: list[tuple[Token, ...]] = []
    warnings: tuple[str, ...] = ()
    start = 0
    for line in request.text.splitlines(keepends=True):
        if line.strip():
            tokens, more = tokens_of(replace(request, text=line))
            cut.append(tuple(replace(t, start=t.start + start, end=t.end + start) for t in tokens))
            warnings += tuple(warning for warning in more if warning not in warnings)
        start += len(line)
    if not cut:
        tokens_of(request)  # says why
    if len(cut) > MAX_SENTENCES:
        warnings += (f"The text has {len(cut):,} lines; the first {MAX_SENTENCES} are run.",)
    longest = max(len(tokens) for tokens in cut)
    if longest * min(len(cut), MAX_SENTENCES) > MAX_BATCH_TOKENS:
        raise PosencError(
            f"{len(cut):,} lines of up to {longest:,} tokens are too much for one batch; "
            f"shorten the text to {MAX_BATCH_TOKENS:,} tokens, padding included.",
            "text",
        )
    return cut[:MAX_SENTENCES], warnings


def tokens_of(request: RunRequest) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """Cuts the request's text; gives the tokens, and warnings for the user.

    Raises:
        PosencError: The tokenizer cannot be used, or there are no words.
    """
    tokenizer = get_tokenizer(request.settings.nlp_pipeline)
    tokens = tokenizer.tokenize(request.text)
    if not tokens:
        sentence = EMPTY
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
    model = own_model(request.settings, vocabulary_tokens or tokens)
    words = words_of(model.embedding, request.settings, tokens)
    config = model.encoder.config
    vectors = model.vectors(words, checked_masked(request.masked, len(tokens), model))
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
            _mask(request.settings, [n]),
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
    model = own_model(settings, [token for tokens, _ in cut for token in tokens])
    config = model.encoder.config
    lengths = [len(tokens) for tokens, _ in cut]
    vectors = _padded(model, settings, [tokens for tokens, _ in cut], {})
    mask = _mask(settings, lengths)
    keep = _is_kept(requests[0], config, max(lengths), len(cut))
    with torch.inference_mode():
        output = model.encoder(vectors, mask, keep_attentions=keep)
    seconds = time.perf_counter() - started
    results: list[RunResult] = []
    for row, (request, (tokens, warnings)) in enumerate(zip(requests, cut, strict=True)):
        own = _row_of(output, row, len(tokens), is_cut=True)
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
    model: OwnModel,
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
            not model.embedding.knows(token.text)
            and index not in request.masked
            and token.text != PAD_WORD
            for index, token in enumerate(tokens)
        ),
        num_layers=config.num_layers,
        num_heads=config.num_heads,
        encoding_title=config.positional_encoding,
        weights_title=model.title,
        overview=overview.result(),
        keeps_attentions=keep,
        seconds=seconds,
        warnings=(*model.warnings_for(len(tokens)), *warnings),
        guesses=guesses,
        can_guess=trained is not None,
        config=config,
        _encoder=model.encoder,
        _output=output,
    )


def _padded(
    model: OwnModel,
    settings: Settings,
    texts: Sequence[Sequence[Token]],
    masked: Mapping[int, Sequence[int]],
) -> Tensor:
    """The vectors [b, n, D] of several texts; zeros behind the shorter ones.

    ``masked`` has the hidden tokens of the texts that have any, by the text's index.
    """
    longest = max(len(tokens) for tokens in texts)
    vectors = torch.zeros(len(texts), longest, model.embedding.width)
    for row, tokens in enumerate(texts):
        words = words_of(model.embedding, settings, tokens)
        vectors[row, : len(words)] = torch.from_numpy(model.vectors(words, masked.get(row, ())))
    return vectors


def _mask(settings: Settings, lengths: Sequence[int]) -> Tensor | None:
    """Which keys may be looked at, [b, n] or [b, n, n]; ``None`` where it is all of them."""
    longest = max(lengths)
    real = torch.arange(longest) < torch.tensor(lengths)[:, None]
    if settings.attention_mask == "causal":
        return real[:, None, :] & torch.ones(longest, longest, dtype=torch.bool).tril()
    return None if bool(real.all()) else real


def _row_of(output: EncoderOutput, row: int, length: int, is_cut: bool) -> EncoderOutput:
    """One text of a batch; of its mask, what is left where padding is cut off."""
    one = slice(row, row + 1)
    return EncoderOutput(
        last_hidden_state=output.last_hidden_state[one, :length],
        hidden_states=tuple(hidden[one, :length] for hidden in output.hidden_states),
        attentions=tuple(weights[one, :, :length, :length] for weights in output.attentions),
        words=output.words[one, :length],
        mask=_mask_of_row(output.mask, one, length, is_cut),
    )


def _mask_of_row(mask: Tensor | None, one: slice, length: int, is_cut: bool) -> Tensor | None:
    if mask is None:
        return None
    own = mask[one, :, :length, :length]
    is_whole = is_cut and own.shape[-2] == 1  # only padding was masked, and it is gone
    return None if is_whole else own


def _is_kept(request: RunRequest, config: EncoderConfig, n: int, batch: int = 1) -> bool:
    if request.keep == KEEP_BY_SIZE:
        return 4 * batch * config.num_layers * config.num_heads * n * n <= KEEP_BYTES
    return request.keep != KEEP_NONE
