"""What a run gives: frozen, and carrying the request it answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from posenc_model.attention import masked_softmax
from posenc_model.config import EncoderConfig
from posenc_model.encoder import EncoderOutput, TransformerEncoder
from posenc_model.notebook import result_html
from posenc_model.overview import Overview
from posenc_model.request import MEAN_HEAD, RunRequest
from posenc_model.tokenizers import Token

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run gives; everything in it belongs to its own request.

    Layers and heads count from 0. Where a head is asked for, ``MEAN_HEAD`` means the mean over the
    layer's heads.

    Attributes:
        request: What was asked for.
        tokens: The tokens, with their places in the text.
        is_unknown: Whether each token is outside the vocabulary, and so a zero vector.
        config: The encoder's configuration, heads adjusted.
        overview: Every head, small.
        keeps_attentions: Whether all weights are in memory. If not, those of a head are computed
            from the hidden states when they are asked for.
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
        """The weights of every layer and head [layers, heads, n, n]."""
        if self.keeps_attentions:
            return np.stack([weights[0].numpy() for weights in self._output.attentions])
        layers = range(self.config.num_layers)
        with torch.inference_mode():
            return np.stack([self._encoder.weights_of(self._output, i)[0].numpy() for i in layers])

    @property
    def hidden_states(self) -> FloatArray:
        """The input of the first layer, then the output of each [layers + 1, n, D]."""
        return np.stack([hidden[0].numpy() for hidden in self._output.hidden_states])

    @property
    def last_hidden_state(self) -> FloatArray:
        """The output of the last layer [n, D]."""
        return _numpy(self._output.last_hidden_state[0])

    def weights(self, layer: int, head: int) -> FloatArray:
        """The attention weights [n, n] of one head, query by key."""
        heads = self._heads(layer, head)
        if self.keeps_attentions:
            chosen = self._output.attentions[layer][0, heads]
            return _numpy(chosen.mean(0) if head == MEAN_HEAD else chosen[0])
        with torch.inference_mode():
            return self._mean(
                self._encoder.weights_of(self._output, layer, one)[0, 0] for one in _each(heads)
            )

    def scores(self, layer: int, head: int) -> FloatArray:
        """The scores before softmax [n, n] of one head."""
        heads = self._heads(layer, head)
        with torch.inference_mode():
            return self._mean(
                self._encoder.scores_of(self._output, layer, one)[0, 0] for one in _each(heads)
            )

    def score_parts(self, layer: int, head: int) -> dict[str, FloatArray]:
        """The exact parts of the scores, by name, [n, n] each; they add up to ``scores``."""
        heads = self._heads(layer, head)
        with torch.inference_mode():
            parts = self._encoder.score_parts(self._output, layer, heads)
            return {name: _numpy(part[0].mean(0)) for name, part in parts.items()}

    def weights_without_position(self, layer: int, head: int) -> FloatArray | None:
        """The softmax [n, n] of the content part alone: what it would be without position here.

        ``None`` where the encoding has no such part in this layer. Positions that reached the
        layer's input through the layers before it stay in it.
        """
        heads = self._heads(layer, head)
        name = self._encoder.encoding.content_part(layer)
        if name is None:
            return None
        with torch.inference_mode():
            return self._mean(
                masked_softmax(
                    self._encoder.score_parts(self._output, layer, one)[name], self._output.mask
                )[0, 0]
                for one in _each(heads)
            )

    def part_names(self, layer: int) -> tuple[str, ...]:
        """The names of the parts that ``score_parts`` gives for this layer."""
        return self._encoder.encoding.part_names(layer)

    def _heads(self, layer: int, head: int) -> slice:
        if not 0 <= layer < self.config.num_layers:
            raise IndexError(f"Layer {layer} is not in 0 … {self.config.num_layers - 1}.")
        if head == MEAN_HEAD:
            return slice(0, self.config.num_heads)
        if not 0 <= head < self.config.num_heads:
            raise IndexError(f"Head {head} is not in 0 … {self.config.num_heads - 1}.")
        return slice(head, head + 1)

    @staticmethod
    def _mean(matrices: Iterable[Tensor]) -> FloatArray:
        """The mean of some matrices, of which only two are in memory at a time."""
        total, count = None, 0
        for matrix in matrices:
            total = matrix if total is None else total + matrix
            count += 1
        assert total is not None
        return _numpy(total if count == 1 else total / count)

    def _repr_html_(self) -> str:
        """The picture a notebook shows: the last layer's mean over heads."""
        layer = self.config.num_layers - 1
        title = f"{self.config.positional_encoding} · layer {layer + 1} · mean over heads"
        words = [token.text for token in self.tokens]
        return result_html(self.weights(layer, MEAN_HEAD), words, title)


def _each(heads: slice) -> Iterator[slice]:
    return (slice(head, head + 1) for head in range(heads.start, heads.stop))


def _numpy(tensor: Tensor) -> FloatArray:
    """The tensor's numbers, read-only: they may be those the result itself keeps."""
    array: FloatArray = tensor.numpy()
    array.flags.writeable = False
    return array
