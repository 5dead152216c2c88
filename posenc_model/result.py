"""What a run gives: frozen, and carrying the request it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from posenc_model.attention import masked_softmax
from posenc_model.config import EncoderConfig
from posenc_model.encoder import EncoderOutput, TransformerEncoder
from posenc_model.encodings.base import POSITION
from posenc_model.encodings.pictures import PictureNumbers
from posenc_model.notebook import result_html
from posenc_model.overview import Overview
from posenc_model.request import MEAN_HEAD, RunRequest
from posenc_model.tokenizers import Token
from posenc_model.trained_encoder import Guesses

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class RunResult(ABC):
    """What a run gives; everything in it belongs to its own request.

    Layers and heads count from 0. Where a head is asked for, ``MEAN_HEAD`` means the mean over the
    layer's heads.

    Attributes:
        request: What was asked for.
        tokens: The tokens, with their places in the text.
        is_unknown: Whether each token is outside the vocabulary, and so a zero vector.
        num_layers: How many layers there are.
        num_heads: How many heads each layer has.
        encoding_title: The encoding's name (``"t5"``), or what the model is called.
        weights_title: Where the weights come from (``"trained"``, ``"random, seed 0"``).
        overview: Every head, small.
        keeps_attentions: Whether all weights are in memory. If not, those of a head are computed
            from the hidden states when they are asked for.
        seconds: How long the run took, from text to result.
        warnings: What the user should know, as sentences.
        guesses: What a trained encoder guesses for each hidden token.
        can_guess: Whether tokens can be hidden at all.
    """

    request: RunRequest
    tokens: tuple[Token, ...]
    is_unknown: tuple[bool, ...]
    num_layers: int
    num_heads: int
    encoding_title: str
    weights_title: str
    overview: Overview
    keeps_attentions: bool
    seconds: float
    warnings: tuple[str, ...]
    guesses: tuple[Guesses, ...] = ()
    can_guess: bool = False

    @property
    @abstractmethod
    def attentions(self) -> FloatArray:
        """The weights of every layer and head [layers, heads, n, n]."""

    @property
    @abstractmethod
    def hidden_states(self) -> FloatArray | None:
        """The input of the first layer, then the output of each [layers + 1, n, D].

        ``None`` where only weights are known.
        """

    @property
    def last_hidden_state(self) -> FloatArray | None:
        """The output of the last layer [n, D]; ``None`` where only weights are known."""
        states = self.hidden_states
        return None if states is None else states[-1]

    @property
    def mask(self) -> NDArray[np.bool_] | None:
        """Which keys each query may look at [n, n]; ``None`` where it is all of them."""
        return None

    @abstractmethod
    def weights(self, layer: int, head: int) -> FloatArray:
        """The attention weights [n, n] of one head, query by key."""

    @abstractmethod
    def scores(self, layer: int, head: int) -> FloatArray | None:
        """The scores before softmax [n, n] of one head; ``None`` where only weights are known."""

    @abstractmethod
    def score_parts(self, layer: int, head: int) -> dict[str, FloatArray]:
        """The exact parts of the scores, by name, [n, n] each; they add up to ``scores``.

        Empty where they are not known.
        """

    @abstractmethod
    def weights_without_position(self, layer: int, head: int) -> FloatArray | None:
        """The softmax [n, n] of the content part alone: what it would be without position here.

        ``None`` where there is no such part in this layer. Positions that reached the layer's input
        through the layers before it stay in it.
        """

    @property
    @abstractmethod
    def has_scores(self) -> bool:
        """Whether ``scores`` gives any."""

    @abstractmethod
    def split_reason(self, layer: int) -> str | None:
        """Why the scores of this layer are not split into content and position, as a sentence.

        ``None`` where they are.
        """

    @abstractmethod
    def content_part(self, layer: int) -> str | None:
        """The name of the part that does not depend on position; ``None`` where there is none."""

    @abstractmethod
    def part_names(self, layer: int) -> tuple[str, ...]:
        """The names of the parts that ``score_parts`` gives for this layer."""

    @property
    def encoding_name(self) -> str | None:
        """The encoding's name in ``ENCODINGS``; ``None`` where the encoder is none of ours."""
        return None

    def picture_numbers(self, layer: int) -> PictureNumbers | None:
        """What the encoding's own picture shows; ``None`` where the encoder is none of ours."""
        return None

    def added_by_distance(self, layer: int, head: int, query: int, reach: int) -> FloatArray | None:
        """What position adds to the scores of one query at distances −reach … reach.

        Whether or not the text has a token there. ``None`` where it adds nothing of its own.
        """
        return None

    def _heads(self, layer: int, head: int) -> slice:
        if not 0 <= layer < self.num_layers:
            raise IndexError(f"Layer {layer} is not in 0 … {self.num_layers - 1}.")
        if head == MEAN_HEAD:
            return slice(0, self.num_heads)
        if not 0 <= head < self.num_heads:
            raise IndexError(f"Head {head} is not in 0 … {self.num_heads - 1}.")
        return slice(head, head + 1)

    def _repr_html_(self) -> str:
        """The picture a notebook shows: the last layer's mean over heads."""
        layer = self.num_layers - 1
        title = f"{self.encoding_title} · layer {layer + 1} · mean over heads"
        words = [token.text for token in self.tokens]
        return result_html(self.weights(layer, MEAN_HEAD), words, title)


@dataclass(frozen=True, eq=False, kw_only=True)
class EncodedResult(RunResult):
    """What our own encoder gives: scores and their exact parts as well.

    Attributes:
        config: The encoder's configuration, heads adjusted.
    """

    config: EncoderConfig
    _encoder: TransformerEncoder = field(repr=False)
    _output: EncoderOutput = field(repr=False)

    @property
    def attentions(self) -> FloatArray:
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
        heads = self._heads(layer, head)
        if self.keeps_attentions:
            chosen = self._output.attentions[layer][0, heads]
            return _numpy(chosen.mean(0) if head == MEAN_HEAD else chosen[0])
        with torch.inference_mode():
            return self._mean(
                self._encoder.weights_of(self._output, layer, one)[0, 0] for one in _each(heads)
            )

    def scores(self, layer: int, head: int) -> FloatArray:
        heads = self._heads(layer, head)
        with torch.inference_mode():
            return self._mean(
                self._encoder.scores_of(self._output, layer, one)[0, 0] for one in _each(heads)
            )

    def score_parts(self, layer: int, head: int) -> dict[str, FloatArray]:
        heads = self._heads(layer, head)
        with torch.inference_mode():
            parts = self._encoder.score_parts(self._output, layer, heads)
            return {name: _numpy(part[0].mean(0)) for name, part in parts.items()}

    def weights_without_position(self, layer: int, head: int) -> FloatArray | None:
        heads = self._heads(layer, head)
        name = self.content_part(layer)
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
        return self._encoder.encoding.part_names(layer)

    @property
    def mask(self) -> NDArray[np.bool_] | None:
        n = len(self.tokens)
        mask = self._output.mask
        return None if mask is None else mask[0, 0].expand(n, n).numpy()

    @property
    def has_scores(self) -> bool:
        return True

    def split_reason(self, layer: int) -> str | None:
        return self._encoder.encoding.split_reason(layer)

    def content_part(self, layer: int) -> str | None:
        return self._encoder.encoding.content_part(layer)

    @property
    def encoding_name(self) -> str:
        return self.config.positional_encoding

    def picture_numbers(self, layer: int) -> PictureNumbers:
        return self._encoder.encoding.picture_numbers(layer)

    def added_by_distance(self, layer: int, head: int, query: int, reach: int) -> FloatArray | None:
        if POSITION not in self.part_names(layer):
            return None
        heads = self._heads(layer, head)
        with torch.inference_mode():
            added = self._encoder.added_by_distance(self._output, layer, query, reach, heads)
            return _numpy(added[0].mean(0))

    @staticmethod
    def _mean(matrices: Iterable[Tensor]) -> FloatArray:
        """The mean of some matrices, of which only two are in memory at a time."""
        total, count = None, 0
        for matrix in matrices:
            total = matrix if total is None else total + matrix
            count += 1
        assert total is not None
        return _numpy(total if count == 1 else total / count)


def _each(heads: slice) -> Iterator[slice]:
    return (slice(head, head + 1) for head in range(heads.start, heads.stop))


def _numpy(tensor: Tensor) -> FloatArray:
    """The tensor's numbers, read-only: they may be those the result itself keeps."""
    array: FloatArray = tensor.numpy()
    array.flags.writeable = False
    return array
