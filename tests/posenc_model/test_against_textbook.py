"""The encoder against the formulas written out, over shapes, sizes, masks and options."""

import numpy as np
import pytest
import textbook
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_model.config import EncoderConfig
from posenc_model.encoder import TransformerEncoder
from posenc_model.encodings import ENCODINGS

OPTIONS = {
    "t5": st.fixed_dictionaries(
        {"num_buckets": st.integers(4, 40), "max_distance": st.integers(11, 150)}
    ),
    "rel": st.fixed_dictionaries(
        {"clip_distance": st.integers(1, 80), "relative_values": st.booleans()}
    ),
    "abs": st.fixed_dictionaries({"base": st.floats(2, 1e5)}),
}


def encoder_of(width: int, heads: int, layers: int, encoding: str, options: dict, seed: int):
    encoder = TransformerEncoder(
        EncoderConfig(
            width=width,
            num_heads=heads,
            num_layers=layers,
            positional_encoding=encoding,
            encoding_options=options,
            inner_width=width + 3,
            seed=seed,
        )
    )
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        # New gains and biases are ones and zeros, which would hide a missing or exchanged one.
        for parameter in encoder.parameters():
            if parameter.dim() == 1:
                parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return encoder


def compare(encoder: TransformerEncoder, words: torch.Tensor, mask: torch.Tensor) -> None:
    state = {name: tensor.double().numpy() for name, tensor in encoder.state_dict().items()}
    full = mask[:, None, :].expand(-1, words.shape[1], -1) if mask.dim() == 2 else mask
    with torch.no_grad():
        output = encoder(words, mask)
        for row in range(len(words)):
            seen = textbook.run(state, encoder.config, words[row].numpy(), full[row].numpy())
            for layer, weights in enumerate(seen["weights"]):
                got = output.attentions[layer][row].numpy()
                np.testing.assert_allclose(got, weights, atol=2e-5)
                assert (got[:, ~full[row].numpy()] == 0).all()
                parts = encoder.score_parts(output, layer)
                if "position" in parts:
                    np.testing.assert_allclose(
                        parts["position"][row].numpy(), seen["position"][layer], atol=1e-4
                    )
                total = sum(parts.values())
                torch.testing.assert_close(
                    total, encoder.scores_of(output, layer), atol=1e-5, rtol=0
                )
            for hidden, expected in zip(output.hidden_states, seen["hidden"], strict=True):
                np.testing.assert_allclose(hidden[row].numpy(), expected, atol=2e-4)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=25)
@given(data=st.data())
def test_any_shape_and_mask(encoding, data):
    width = data.draw(st.integers(2, 17), "width")
    heads = data.draw(st.sampled_from([h for h in range(1, width + 1) if width % h == 0]), "heads")
    layers = data.draw(st.integers(1, 2), "layers")
    n = data.draw(st.integers(1, 20), "tokens")
    b = data.draw(st.integers(1, 3), "batch")
    options = data.draw(OPTIONS.get(encoding, st.just({})), "options")
    seed = data.draw(st.integers(0, 1000), "seed")
    generator = torch.Generator().manual_seed(seed)
    words = torch.randn(b, n, width, generator=generator)
    shape = (b, n) if data.draw(st.booleans(), "key mask") else (b, n, n)
    mask = torch.rand(shape, generator=generator) < data.draw(st.sampled_from([0.0, 0.6, 1.0]))
    compare(encoder_of(width, heads, layers, encoding, options, seed), words, mask)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", [129, 300])
def test_long_texts(encoding, n):
    words = torch.randn(1, n, 9, generator=torch.Generator().manual_seed(n))
    compare(encoder_of(9, 3, 1, encoding, {}, seed=n), words, torch.ones(1, n, dtype=torch.bool))
