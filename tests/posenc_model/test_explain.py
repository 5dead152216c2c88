"""One cell taken apart, against formulas worked out from the encoder's own tensors."""

import numpy as np
import pytest

from posenc_model import encode
from posenc_model.errors import PosencError
from posenc_model.explain import explain_cell
from posenc_model.request import MEAN_HEAD

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "the dog bites the man"


def softmax(row):
    shares = np.exp(row - row.max())
    return shares / shares.sum()


def content_scores(result, layer, head):
    """q·k/√d from the layer's input and its projections, in plain NumPy."""
    attention = result._encoder.layers[layer].attention
    states = result.hidden_states[layer].astype(np.float64)
    projection = attention.in_projection.detach().numpy().astype(np.float64)
    d = 16 // 2
    rows = slice(head * d, (head + 1) * d)
    q = states @ projection[:16][rows].T
    k = states @ projection[16:32][rows].T
    return q @ k.T / np.sqrt(d)


@pytest.mark.parametrize("layer", [0, 1])
def test_t5_is_content_and_the_bias_of_its_bucket(layer):
    result = encode(TEXT, positional_encoding="t5", **SETTINGS)
    bias = result._encoder.encoding.bias.detach().numpy()
    content = content_scores(result, layer, 1)
    cell = explain_cell(result, layer, 1, query=3, key=1)
    # Two places to the left are bucket 2 (Raffel et al. 2019).
    assert cell.parts["position"] == pytest.approx(bias[2, 1], abs=1e-6)
    assert cell.parts["content"] == pytest.approx(content[3, 1], abs=1e-5)
    assert cell.score == pytest.approx(content[3, 1] + bias[2, 1], abs=1e-5)
    np.testing.assert_allclose(cell.row_without, softmax(content[3]), atol=1e-6)
    buckets = [3, 2, 1, 0, 17]
    np.testing.assert_allclose(cell.row, softmax(content[3] + bias[buckets, 1]), atol=1e-6)
    assert (cell.distance, cell.reason) == (-2, None)
    assert cell.weight == pytest.approx(float(cell.row[1]))
    assert cell.weight_without == pytest.approx(float(cell.row_without[1]))


def test_abs_has_four_parts_in_the_first_layer():
    result = encode(TEXT, positional_encoding="abs", **SETTINGS)
    cell = explain_cell(result, 0, 0, query=0, key=4)
    assert len(cell.parts) == 4
    assert sum(cell.parts.values()) == pytest.approx(content_scores(result, 0, 0)[0, 4], abs=1e-5)
    assert cell.row_without is not None


def test_abs_says_why_deeper_layers_are_not_split():
    cell = explain_cell(encode(TEXT, positional_encoding="abs", **SETTINGS), 1, 0, 0, 4)
    assert list(cell.parts) == ["mixed"]
    assert cell.row_without is None
    assert cell.weight_without is None
    assert "before layer 1" in cell.reason


def test_none_is_all_content():
    cell = explain_cell(encode(TEXT, positional_encoding="none", **SETTINGS), 1, 1, 2, 0)
    assert list(cell.parts) == ["content"]
    np.testing.assert_allclose(cell.row, cell.row_without, atol=1e-6)


def test_the_mean_over_heads_has_no_score():
    with pytest.raises(PosencError, match="choose one head"):
        explain_cell(encode(TEXT, **SETTINGS), 0, MEAN_HEAD, 0, 0)


def test_weights_from_a_file_have_no_parts(tmp_path):
    weights = np.full((1, 1, 2, 2), 0.5, dtype=np.float32)
    np.savez(tmp_path / "a.npz", weights=weights, tokens=np.array(["a", "b"]))
    cell = explain_cell(encode("", weights=str(tmp_path / "a.npz")), 0, 0, 0, 1)
    assert (cell.parts, cell.score, cell.row_without) == ({}, None, None)
    assert cell.weight == 0.5
    assert "weights only" in cell.reason
