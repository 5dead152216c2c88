"""What holds for every encoder, whatever its sizes and whatever the text's length."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_model.config import EncoderConfig
from posenc_model.encoder import TransformerEncoder
from posenc_model.encodings import ENCODINGS


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=20)
@given(
    width=st.integers(1, 21),
    wanted_heads=st.integers(1, 12),
    n=st.integers(1, 300),
    b=st.integers(1, 3),
    share=st.sampled_from([0.02, 0.5, 1.0]),
    seed=st.integers(0, 10_000),
)
def test_weights_are_shares_of_what_may_be_looked_at(
    encoding, width, wanted_heads, n, b, share, seed
):
    config = EncoderConfig(
        width=width,
        num_heads=wanted_heads,
        num_layers=2,
        positional_encoding=encoding,
        seed=seed,
    )
    encoder = TransformerEncoder(config)
    generator = torch.Generator().manual_seed(seed)
    words = torch.randn(b, n, width, generator=generator)
    mask = torch.rand(b, n, generator=generator) < share
    with torch.no_grad():
        output = encoder(words, mask)
        blocks = encoder(words, mask, keep_attentions=False, rows_per_block=37)
    assert width % config.num_heads == 0
    assert output.last_hidden_state.shape == (b, n, width)
    for weights in output.attentions:
        assert weights.shape == (b, config.num_heads, n, n)
        assert not weights.isnan().any()
        assert (weights >= 0).all()
        assert (weights.transpose(1, 3)[~mask] == 0).all()
        sums = weights.sum(-1)
        expected = mask.any(-1)[:, None, None].expand_as(sums).float()
        torch.testing.assert_close(sums, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(
        blocks.last_hidden_state, output.last_hidden_state, atol=1e-4, rtol=0
    )
