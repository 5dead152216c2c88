"""Multi-head attention, compared with torch's own and with hand-written sums."""

import math

import pytest
import torch
from torch import nn

from posenc_model.attention import full_mask, masked_softmax
from posenc_model.encodings import ENCODINGS


@pytest.mark.parametrize("encoding", ["none", "abs"])
@pytest.mark.parametrize("heads", [1, 2, 8])
def test_weights_and_output_equal_torchs_multihead_attention(
    make_encoder, make_words, encoding, heads
):
    encoder = make_encoder(encoding, num_heads=heads)
    attention = encoder.layers[0].attention
    reference = nn.MultiheadAttention(16, heads, bias=False, batch_first=True).eval()
    x = make_words(b=3, n=9)
    real = torch.ones(3, 9, dtype=torch.bool)
    real[1, 6:] = False
    with torch.no_grad():
        reference.in_proj_weight.copy_(attention.in_projection)
        reference.out_proj.weight.copy_(attention.out_projection)
        output, weights = attention(x, encoder.encoding, full_mask(real))
        expected_output, expected = reference(
            x, x, x, key_padding_mask=~real, average_attn_weights=False
        )
    torch.testing.assert_close(weights, expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(output, expected_output, atol=1e-5, rtol=0)


def test_masked_softmax_by_hand():
    scores = torch.tensor([[[[1.0, 2.0, 50.0], [3.0, 3.0, 0.0]]]])
    mask = torch.tensor([[True, True, False], [False, False, False]])
    first = 1 / (1 + math.e)
    expected = torch.tensor([[[[first, 1 - first, 0.0], [0.0, 0.0, 0.0]]]])
    torch.testing.assert_close(masked_softmax(scores, mask), expected, atol=1e-7, rtol=0)


def test_masked_softmax_survives_scores_of_minus_infinity_and_huge_ones():
    scores = torch.tensor([[[[-math.inf, 1e30, 1e30], [-1e30, -1e30, -math.inf]]]])
    mask = torch.ones(2, 3, dtype=torch.bool)
    expected = torch.tensor([[[[0.0, 0.5, 0.5], [0.5, 0.5, 0.0]]]])
    assert torch.equal(masked_softmax(scores, mask), expected)


def test_a_fully_masked_row_sends_no_nan_into_the_gradients(make_encoder, make_words):
    for encoding in ENCODINGS:
        encoder = make_encoder(encoding)
        mask = torch.ones(1, 7, 7, dtype=torch.bool)
        mask[0, 3] = False
        encoder(make_words(), mask).last_hidden_state.pow(2).sum().backward()
        assert all(torch.isfinite(parameter.grad).all() for parameter in encoder.parameters())


def test_masks_take_the_shape_of_scores():
    assert full_mask(torch.ones(2, 5, dtype=torch.bool)).shape == (2, 1, 1, 5)
    assert full_mask(torch.ones(2, 5, 5, dtype=torch.bool)).shape == (2, 1, 5, 5)


def test_masks_that_could_be_misread_are_refused():
    with pytest.raises(TypeError, match="has to be bool"):
        full_mask(torch.ones(2, 5))
    with pytest.raises(ValueError, match=r"\[b, n\] or \[b, n, n\]"):
        full_mask(torch.ones(5, dtype=torch.bool))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("masked", [None, "keys", "pairs"])
def test_weights_made_anew_equal_the_kept_ones(make_encoder, make_words, encoding, masked):
    encoder = make_encoder(encoding)
    mask = None if masked is None else torch.ones(2, 40, dtype=torch.bool)
    if masked:
        mask[0, 33:] = False
    if masked == "pairs":
        mask = mask[:, None, :] & torch.ones(40, 40, dtype=torch.bool).tril()
    with torch.no_grad():
        output = encoder(make_words(b=2, n=40), mask)
        for layer, kept in enumerate(output.attentions):
            anew = encoder.weights_of(output, layer)
            torch.testing.assert_close(anew, kept, atol=1e-6, rtol=0)
            some = encoder.weights_of(output, layer, slice(1, 3), first_row=11, rows=20)
            torch.testing.assert_close(some, kept[:, 1:3, 11:31], atol=1e-6, rtol=0)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rows", [1, 7, 16])
def test_blocks_give_what_all_rows_at_once_give(make_encoder, make_words, encoding, rows):
    encoder = make_encoder(encoding)
    x = make_words(b=2, n=30)
    mask = torch.ones(2, 30, 30, dtype=torch.bool).tril()
    seen = [torch.zeros(2, 4, 30, 30) for _ in range(2)]
    starts = []

    def on_block(layer, weights, first_row):
        starts.append((layer, first_row))
        seen[layer][:, :, first_row : first_row + weights.shape[2]] = weights

    with torch.no_grad():
        whole = encoder(x, mask)
        blocks = encoder(x, mask, keep_attentions=False, on_block=on_block, rows_per_block=rows)
    assert starts == [(layer, first) for layer in range(2) for first in range(0, 30, rows)]
    for layer in range(2):
        torch.testing.assert_close(seen[layer], whole.attentions[layer], atol=1e-6, rtol=0)
    torch.testing.assert_close(blocks.last_hidden_state, whole.last_hidden_state, atol=1e-5, rtol=0)


def test_weights_that_are_not_wanted_are_not_kept(make_encoder, make_words):
    encoder = make_encoder("rel")
    with torch.no_grad():
        without = encoder(make_words(n=30), keep_attentions=False, rows_per_block=8)
        kept = encoder(make_words(n=30))
    assert without.attentions == ()
    torch.testing.assert_close(without.last_hidden_state, kept.last_hidden_state)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_one_heads_scores_and_parts_are_those_of_all_heads(make_encoder, make_words, encoding):
    encoder = make_encoder(encoding)
    with torch.no_grad():
        output = encoder(make_words(n=20))
        for head in range(4):
            one = slice(head, head + 1)
            all_scores, scores = encoder.scores_of(output, 1), encoder.scores_of(output, 1, one)
            torch.testing.assert_close(scores, all_scores[:, one])
            all_parts = encoder.score_parts(output, 0)
            for name, part in encoder.score_parts(output, 0, one).items():
                torch.testing.assert_close(part, all_parts[name][:, one])


def test_scores_are_divided_by_the_root_of_the_head_width(make_encoder, make_words):
    scaled, unscaled = make_encoder("none"), make_encoder("none", scale_scores=False)
    with torch.no_grad():
        divided = scaled.scores_of(scaled(make_words()), 0)
        plain = unscaled.scores_of(unscaled(make_words()), 0)
    torch.testing.assert_close(divided * 2, plain)  # heads of width 4


def test_dropout_acts_in_training_only(make_encoder, make_words):
    encoder = make_encoder("none", dropout=0.5)
    with torch.no_grad():
        still = encoder(make_words()).last_hidden_state
        torch.manual_seed(0)
        trained = encoder.train()(make_words()).last_hidden_state
        assert not torch.allclose(trained, still)
        assert torch.equal(encoder.eval()(make_words()).last_hidden_state, still)
