"""One run: a frozen request goes in, a frozen result that carries it comes out."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from posenc_model.config import EncoderConfig
from posenc_model.embeddings import Embedding, OneHotEmbedding, RandomEmbedding, require_known
from posenc_model.encoder import EncoderOutput, TransformerEncoder
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.request import MEAN_HEAD, RunRequest
from posenc_model.settings import Settings
from posenc_model.tokenizers import Token, Tokenizer, get_tokenizer
from posenc_model.vocabulary import load_vocabulary
from posenc_model.weights import WeightCache

FloatArray = NDArray[np.float32]
Progress = Callable[[float], None]

MAX_TOKENS = 4096
# Up to this size the weights of every layer and head are kept; above, a head is computed anew
# from the hidden states when it is looked at.
KEEP_BYTES = 256 * 2**20
OVERVIEW_CELLS = 64

_WEIGHTS = WeightCache()


@dataclass(frozen=True)
class Overview:
    """Every head's weights, reduced to at most 64 × 64 cells.

    Attributes:
        mean: Mean weight of each cell [layers, heads, m, m].
        maximum: Largest weight of each cell [layers, heads, m, m].
        cell: How many tokens one cell spans along each axis.
    """

    mean: FloatArray
    maximum: FloatArray
    cell: int


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run gives; everything in it belongs to its own request.

    Attributes:
        request: What was asked for.
        tokens: The tokens, with their places in the text.
        is_unknown: Whether each token is outside the vocabulary, and so a zero vector.
        config: The encoder's configuration, heads adjusted.
        overview: Every head, small.
        keeps_attentions: Whether all weights are in memory.
        seconds: How long the run took, from text to result.
        warnings: What the user should know, as sentences.
    """

    request: RunRequest
    tokens: tuple[Token, ...]
    is_unknown: tuple[bool, ...]
    config: EncoderConfig
    overview: Overview
    keeps_attentions: bool
    seconds: float
    warnings: tuple[str, ...]
    _encoder: TransformerEncoder = field(repr=False)
    _output: EncoderOutput = field(repr=False)

    @property
    def attentions(self) -> FloatArray:
        """The weights of every layer and head [layers, heads, n, n], float32."""
        if self.keeps_attentions:
            return np.stack([weights[0].numpy() for weights in self._output.attentions])
        layers = range(self.config.num_layers)
        with torch.inference_mode():
            return np.stack([self._encoder.weights_of(self._output, i)[0].numpy() for i in layers])

    @property
    def hidden_states(self) -> FloatArray:
        """The input of the first layer, then the output of each [layers + 1, n, D], float32."""
        return np.stack([hidden[0].numpy() for hidden in self._output.hidden_states])

    @property
    def last_hidden_state(self) -> FloatArray:
        """The output of the last layer [n, D], float32."""
        last: FloatArray = self._output.last_hidden_state[0].numpy()
        return last

    def weights(self, layer: int, head: int) -> FloatArray:
        """The attention weights [n, n] of one head, query by key; both counted from 0.

        ``head`` may be :data:`~posenc_model.request.MEAN_HEAD`: the mean over the layer's heads.
        """
        heads = self._heads(layer, head)
        if self.keeps_attentions:
            chosen = self._output.attentions[layer][0, heads]
            return _numpy(chosen.mean(0) if head == MEAN_HEAD else chosen[0])
        with torch.inference_mode():
            total: Tensor | None = None
            for index in range(*heads.indices(self.config.num_heads)):
                one = slice(index, index + 1)
                weights = self._encoder.weights_of(self._output, layer, one)[0, 0]
                total = weights if total is None else total.add_(weights)
            assert total is not None
            return _numpy(total / self.config.num_heads if head == MEAN_HEAD else total)

    def scores(self, layer: int, head: int) -> FloatArray:
        """The scores before softmax [n, n] of one head; layer and head counted from 0."""
        heads = self._heads(layer, head)
        with torch.inference_mode():
            return _numpy(self._encoder.scores_of(self._output, layer, heads)[0].mean(0))

    def score_parts(self, layer: int, head: int) -> dict[str, FloatArray]:
        """The exact parts of the scores, by name, [n, n] each; they add up to ``scores``."""
        heads = self._heads(layer, head)
        with torch.inference_mode():
            parts = self._encoder.score_parts(self._output, layer, heads)
            return {name: _numpy(part[0].mean(0)) for name, part in parts.items()}

    def _heads(self, layer: int, head: int) -> slice:
        if not 0 <= layer < self.config.num_layers:
            raise IndexError(f"Layer {layer} is not in 0 … {self.config.num_layers - 1}.")
        if head == MEAN_HEAD:
            return slice(0, self.config.num_heads)
        if not 0 <= head < self.config.num_heads:
            raise IndexError(f"Head {head} is not in 0 … {self.config.num_heads - 1}.")
        return slice(head, head + 1)


def _numpy(tensor: Tensor) -> FloatArray:
    array: FloatArray = tensor.numpy()
    return array


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
    settings = request.settings
    tokenizer = get_tokenizer(settings.nlp_pipeline)
    tokens, warnings = _tokens(tokenizer, request.text)
    embedding = _embedding(settings, tokens, tokenizer)
    words = [token.text for token in tokens]
    if not settings.unk_ignore:
        require_known(embedding, words)
    config = EncoderConfig(
        width=embedding.width,
        num_layers=settings.num_layers,
        num_heads=settings.num_heads,
        positional_encoding=settings.positional_encoding,
        encoding_options=settings.encoding_options,
        seed=settings.seed,
    )
    if is_cancelled():
        raise RunCancelled
    encoder = TransformerEncoder(config, _WEIGHTS.seeded(config.seed))
    n = len(tokens)
    keep = 4 * config.num_layers * config.num_heads * n * n <= KEEP_BYTES
    if not keep:
        warnings.append(
            f"{n:,} tokens: the weights of all heads together would fill too much memory, "
            "so each head is computed when you look at it."
        )
    overview = _OverviewMaker(config.num_layers, config.num_heads, n)

    def on_block(layer: int, weights: Tensor, first_row: int) -> None:
        if is_cancelled():
            raise RunCancelled
        overview.add(layer, weights[0], first_row)
        rows_done = first_row + weights.shape[-2]
        on_progress((layer + rows_done / n) / config.num_layers)

    with torch.inference_mode():
        vectors = torch.from_numpy(embedding.vectors(words))[None]
        output = encoder(
            vectors,
            keep_attentions=keep,
            on_block=on_block,
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


def encode(text: str, **settings: object) -> RunResult:
    """Runs the encoder on ``text``; the settings are those of the program, by name.

    >>> result = encode("one two three", positional_encoding="rel", clip_distance=4, num_layers=2)
    >>> result.attentions.shape
    (2, 8, 3, 3)

    Raises:
        PosencError: A setting is not allowed, or the text has no words.
    """
    return run(RunRequest(0, text, Settings.of(settings)))


def _tokens(tokenizer: Tokenizer, text: str) -> tuple[tuple[Token, ...], list[str]]:
    tokens = tokenizer.tokenize(text)
    if not tokens:
        sentence = "Type a sentence to see how its words attend to each other."
        if text.strip():
            sentence = f"{tokenizer.title} finds no words in this text."
        raise PosencError(sentence, "text")
    if len(tokens) > MAX_TOKENS:
        warning = f"The text has {len(tokens):,} tokens; the first {MAX_TOKENS:,} are shown."
        return tokens[:MAX_TOKENS], [warning]
    return tokens, []


@functools.lru_cache(maxsize=4)
def _random_embedding(width: int, seed: int) -> RandomEmbedding:
    return RandomEmbedding(width, seed)


def _embedding(settings: Settings, tokens: Sequence[Token], tokenizer: Tokenizer) -> Embedding:
    if settings.embedding == "random":
        return _random_embedding(settings.width, settings.seed)
    words: Iterable[str] = (token.text for token in tokens)
    return OneHotEmbedding(load_vocabulary(settings.vocabulary, words, tokenizer))


class _OverviewMaker:
    """Reduces weights to an :class:`Overview` while they are made, block by block."""

    def __init__(self, layers: int, heads: int, n: int) -> None:
        self._n = n
        self._cell = -(-n // OVERVIEW_CELLS)
        self._cells = -(-n // self._cell)
        # Whole cells per block, so that each is reduced in one go.
        self.rows_per_block = self._cell * max(1, 128 // self._cell)
        shape = (layers, heads, self._cells, self._cells)
        self._mean = np.zeros(shape, dtype=np.float32)
        self._maximum = np.zeros(shape, dtype=np.float32)

    def add(self, layer: int, weights: Tensor, first_row: int) -> None:
        """Takes the weights [h, r, n] of the queries from ``first_row`` on."""
        heads, rows, n = weights.shape
        cell, cells = self._cell, self._cells
        first = first_row // cell
        last = first + -(-rows // cell)
        if cell == 1:
            self._mean[layer, :, first:last] = self._maximum[layer, :, first:last] = weights.numpy()
            return
        padded = torch.nn.functional.pad(
            weights, (0, cells * cell - n, 0, (last - first) * cell - rows)
        ).view(heads, last - first, cell, cells, cell)
        self._mean[layer, :, first:last] = padded.sum((2, 4)).numpy()
        self._maximum[layer, :, first:last] = padded.amax((2, 4)).numpy()

    def result(self) -> Overview:
        if self._cell > 1:
            spans = np.full(self._cells, self._cell, dtype=np.float32)
            spans[-1] = self._n - self._cell * (self._cells - 1)
            self._mean /= spans[:, None] * spans[None, :]
        return Overview(self._mean, self._maximum, self._cell)
