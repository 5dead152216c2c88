"""For the tests of the model: small encoders and words to feed them."""

from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
import torch
from torch import Tensor

from posenc_model.config import EncoderConfig
from posenc_model.encoder import TransformerEncoder

hypothesis.settings.register_profile("posenc", deadline=None, database=None)
hypothesis.settings.load_profile("posenc")

MakeEncoder = Callable[..., TransformerEncoder]
MakeWords = Callable[..., Tensor]


@pytest.fixture
def make_encoder() -> MakeEncoder:
    """Makes an encoder of width 16 with 2 layers and 4 heads, unless told otherwise."""

    def make(encoding: str, **sizes: Any) -> TransformerEncoder:
        sizes = {"width": 16, "num_layers": 2, "num_heads": 4, **sizes}
        return TransformerEncoder(EncoderConfig(positional_encoding=encoding, **sizes))

    return make


@pytest.fixture
def make_words() -> MakeWords:
    """Makes standard normal word vectors [b, n, D]."""

    def make(b: int = 1, n: int = 7, width: int = 16, seed: int = 0) -> Tensor:
        return torch.randn(b, n, width, generator=torch.Generator().manual_seed(seed))

    return make
