"""Which matrices a head has, and that they are what they say."""

import numpy as np
import pytest

from posenc_model import encode
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.matrices import MATRICES, matrix_of, why_missing
from posenc_model.request import MEAN_HEAD

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "the dog bites the man"


def softmax(scores):
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_the_matrices_fit_together(encoding):
    result = encode(TEXT, positional_encoding=encoding, **SETTINGS)
    made = {name: matrix_of(result, 0, 1, name).astype(np.float64) for name in MATRICES}
    np.testing.assert_allclose(made["content"] + made["position"], made["scores"], atol=1e-5)
    np.testing.assert_allclose(softmax(made["scores"]), made["weights"], atol=1e-6)
    without = softmax(made["content"])
    np.testing.assert_allclose(made["weights"] - without, made["change"], atol=1e-6)
    np.testing.assert_allclose(made["change"].sum(-1), 0, atol=1e-6)


def test_without_position_nothing_comes_from_position():
    result = encode(TEXT, positional_encoding="none", **SETTINGS)
    assert not matrix_of(result, 1, 0, "position").any()
    np.testing.assert_allclose(matrix_of(result, 1, 0, "change"), 0, atol=1e-6)


def test_the_position_part_of_t5_depends_on_the_distance_alone():
    result = encode(TEXT, positional_encoding="t5", **SETTINGS)
    position = matrix_of(result, 1, 0, "position")
    for distance in range(-4, 5):
        assert np.ptp(np.diagonal(position, distance)) < 1e-6
    assert np.ptp(position) > 0.1


def test_the_mean_of_scores_is_the_mean():
    result = encode(TEXT, **SETTINGS)
    heads = [matrix_of(result, 0, head, "scores") for head in (0, 1)]
    np.testing.assert_allclose(matrix_of(result, 0, MEAN_HEAD, "scores"), np.mean(heads, 0), 1e-5)


@pytest.mark.parametrize("kind", ["content", "position", "change"])
def test_abs_cannot_be_split_below_the_first_layer(kind):
    result = encode(TEXT, positional_encoding="abs", **SETTINGS)
    assert why_missing(result, 0, kind) is None
    assert "only layer 1" in why_missing(result, 1, kind)
    with pytest.raises(PosencError, match="only layer 1"):
        matrix_of(result, 1, 0, kind)
    assert matrix_of(result, 1, 0, "scores").shape == (5, 5)


def test_weights_from_a_file_are_all_there_is(tmp_path):
    weights = np.full((1, 1, 2, 2), 0.5, dtype=np.float32)
    np.savez(tmp_path / "a.npz", weights=weights, tokens=np.array(["a", "b"]))
    result = encode("", weights=str(tmp_path / "a.npz"))
    np.testing.assert_array_equal(matrix_of(result, 0, 0), weights[0, 0])
    for kind in MATRICES:
        assert (why_missing(result, 0, kind) is None) == (kind == "weights")
