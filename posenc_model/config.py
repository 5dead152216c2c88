"""The configuration of an encoder: frozen, and validated once, when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from posenc_model.encodings import ENCODINGS, EncodingInfo, encoding_choices
from posenc_model.options import Option, Value, check_all

# The sizes that every part of the program shares. The maxima are what a laptop can hold.
NUM_HEADS = Option(
    name="num_heads",
    kind="int",
    default=8,
    minimum=1,
    maximum=64,
    label="Heads",
    help="How many attention patterns each layer computes side by side.",
)
NUM_LAYERS = Option(
    name="num_layers",
    kind="int",
    default=12,
    minimum=1,
    maximum=48,
    label="Layers",
    help="How many blocks the words pass through, one after the other.",
)
POSITIONAL_ENCODING = Option(
    name="positional_encoding",
    kind="choice",
    default="t5",
    choices=encoding_choices,
    label="Encoding",
    help="How the encoder is told where each word stands.",
)
SEED = Option(
    name="seed",
    kind="int",
    default=0,
    minimum=0,
    maximum=2**31 - 1,
    label="Seed",
    help="Chooses one set of random weights; the same seed gives the same picture again.",
)
WIDTH = Option(
    name="width",
    kind="int",
    default=512,
    minimum=1,
    maximum=1024,
    label="Width",
    help="How many numbers stand for each word inside the encoder.",
    needs=("embedding", "random"),
)
_INNER_WIDTH = Option(
    name="inner_width",
    kind="int",
    default=2048,
    minimum=1,
    maximum=2**22,
    label="Inner width",
    help="Width of the feed-forward layer inside each block.",
)
_DROPOUT = Option(
    name="dropout",
    kind="float",
    default=0.1,
    minimum=0.0,
    maximum=0.99,
    label="Dropout",
    help="Share of activations dropped in training; never at inference.",
)
_SCALE_SCORES = Option(
    name="scale_scores",
    kind="bool",
    default=True,
    label="Divide scores by √d",
    help="Off for weights that were trained without the division, as T5's were.",
)


def nearest_divisor(width: int, wanted: int) -> int:
    """The divisor of ``width`` closest to ``wanted``; of two equally close ones the smaller."""
    divisors = (d for d in range(1, width + 1) if width % d == 0)
    return min(divisors, key=lambda d: (abs(d - wanted), d))


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """Everything that, together with the weights, determines an encoder.

    Notation used throughout the package: D is the model width, h the number of heads, d = D/h the
    width of one head, n the number of tokens, b the batch size.

    Attributes:
        width: D, the model width.
        num_layers: Number of blocks.
        num_heads: h. A number that does not divide ``width`` is replaced by the nearest divisor
            (a tie takes the smaller) and ``warnings`` says so.
        positional_encoding: A name in :data:`posenc_model.encodings.ENCODINGS`.
        encoding_options: The encoding's own parameters as (name, value) pairs, complete and in
            the declared order; a mapping is accepted and may leave out defaults.
        inner_width: Width of the feed-forward layer; 4·D where it is ``None``.
        dropout: Probability of dropping an activation, in training only.
        scale_scores: Whether q·k is divided by √d. T5's published weights expect that it is not.
        seed: Seed of the random weights.
        warnings: What the user should be told about this configuration, as sentences.

    Raises:
        PosencError: A value is not allowed; the sentence names it.
    """

    width: int = 512
    num_layers: int = 12
    num_heads: int = 8
    positional_encoding: str = "t5"
    encoding_options: tuple[tuple[str, Value], ...] | Mapping[str, Any] = ()
    inner_width: int | None = None
    dropout: float = 0.1
    scale_scores: bool = True
    seed: int = 0
    warnings: tuple[str, ...] = field(init=False, default=(), compare=False)

    def __post_init__(self) -> None:
        # WIDTH's own maximum is for forms; a vocabulary or a file may bring a wider model.
        replace(WIDTH, maximum=2**20).check(self.width)
        for option in (NUM_LAYERS, NUM_HEADS, POSITIONAL_ENCODING, SEED, _DROPOUT, _SCALE_SCORES):
            option.check(getattr(self, option.name))
        if self.inner_width is not None:
            _INNER_WIDTH.check(self.inner_width)
        options = check_all(self.encoding.options, dict(self.encoding_options))
        self.encoding.check(options)
        object.__setattr__(self, "encoding_options", tuple(options.items()))
        divisor = nearest_divisor(self.width, self.num_heads)
        if divisor != self.num_heads:
            sentence = (
                f"{self.num_heads} heads do not divide the width {self.width}; "
                f"the nearest number that does is used: {divisor}."
            )
            object.__setattr__(self, "num_heads", divisor)
            object.__setattr__(self, "warnings", (sentence,))

    @property
    def encoding(self) -> EncodingInfo:
        """The registry's entry of the positional encoding."""
        return ENCODINGS[self.positional_encoding]

    @property
    def options(self) -> dict[str, Value]:
        """The encoding's own parameters by name."""
        return dict(self.encoding_options)

    @property
    def head_width(self) -> int:
        """d, the width of one head."""
        return self.width // self.num_heads

    @property
    def feed_forward_width(self) -> int:
        """The inner width, resolved."""
        return 4 * self.width if self.inner_width is None else self.inner_width

    @property
    def score_scale(self) -> float:
        """What q·k is multiplied by: 1/√d, or 1 where scores are not scaled."""
        return float(self.head_width**-0.5) if self.scale_scores else 1.0
