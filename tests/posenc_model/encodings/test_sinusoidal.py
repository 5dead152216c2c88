"""Sinusoids, compared with the formula in numpy's float64."""

import numpy as np
import pytest
import torch

from posenc_model.encodings.sinusoidal import sinusoids


def published(length: int, width: int, base: float) -> np.ndarray:
    """PE(pos, 2k) = sin(pos / base^(2k/D)), PE(pos, 2k+1) = cos of the same angle."""
    table = np.zeros((length, width))
    for k in range(width):
        angle = np.arange(length) / np.power(base, 2 * (k // 2) / width)
        table[:, k] = np.sin(angle) if k % 2 == 0 else np.cos(angle)
    return table


@pytest.mark.parametrize("width", [1, 2, 3, 16, 39, 512])
@pytest.mark.parametrize("base", [1.0, 10.0, 10_000.0])
def test_sinusoids_equal_the_formula_at_even_and_odd_widths(width, base):
    table = sinusoids(600, width, base)
    assert table.shape == (600, width)
    np.testing.assert_allclose(table.numpy(), published(600, width, base), atol=1e-9)


def test_far_positions_keep_their_fraction():
    """In float32, 100,000 / 10,000^(2k/D) would be off by more than 1e-3."""
    table = sinusoids(100_001, 6)
    np.testing.assert_allclose(table[-1], published(100_001, 6, 10_000.0)[-1], atol=1e-9)


def test_the_base_that_is_set_is_used(make_encoder, make_words):
    x = make_words(n=20)
    with torch.no_grad():
        first = make_encoder("abs", encoding_options={"base": 7.0}).encoding.embed(x)
    np.testing.assert_allclose((first - x)[0], published(20, 16, 7.0), atol=1e-6)


def test_the_table_grows_and_stays_right(make_encoder):
    encoding = make_encoder("abs").encoding
    for length in (3, 50, 10, 200):
        vectors = encoding.position_vectors(length)
        np.testing.assert_allclose(vectors, published(length, 16, 10_000.0), atol=1e-6)


def test_sinusoids_are_not_learned_and_not_saved(make_encoder):
    encoding = make_encoder("abs").encoding
    encoding.position_vectors(30)
    assert list(encoding.parameters()) == []
    assert encoding.state_dict() == {}


def test_the_four_parts_are_what_each_pair_of_inputs_scores(make_encoder, make_words):
    """Each part is projected by hand in float64, head by head."""
    encoder = make_encoder("abs", num_layers=1, num_heads=2)
    x = make_words(n=9)
    with torch.no_grad():
        parts = encoder.score_parts(encoder(x), 0)
    word, position = x[0].double().numpy(), published(9, 16, 10_000.0)
    projection = encoder.layers[0].attention.in_projection.detach().double().numpy()
    sides = {"content": word, "position": position}
    assert len(parts) == 4
    for query_side, query in sides.items():
        for key_side, key in sides.items():
            for head in range(2):
                rows = slice(8 * head, 8 * head + 8)
                q, k = query @ projection[:16][rows].T, key @ projection[16:32][rows].T
                part = parts[f"{query_side}·{key_side}"][0, head]
                np.testing.assert_allclose(part, q @ k.T / np.sqrt(8), atol=1e-5)


def test_deeper_layers_say_that_position_is_mixed_in(make_encoder, make_words):
    encoder = make_encoder("abs")
    with torch.no_grad():
        assert list(encoder.score_parts(encoder(make_words()), 1)) == ["mixed"]
    assert encoder.encoding.content_part(0) == "content·content"
    assert encoder.encoding.content_part(1) is None


def test_an_encoder_that_ran_in_inference_mode_can_be_trained(make_encoder, make_words):
    encoder = make_encoder("abs", num_layers=1)
    with torch.inference_mode():
        encoder(make_words(n=12))
    parts = encoder.score_parts(encoder(make_words(n=12)), 0)
    parts["position·position"].sum().backward()
    assert encoder.layers[0].attention.in_projection.grad.any()
