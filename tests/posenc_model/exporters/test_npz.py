"""Arrays of a result, read back with NumPy and with the program itself."""

import io

import numpy as np
import pytest

from posenc_model.attention_file import read_attention_file
from posenc_model.errors import PosencError
from posenc_model.exporters import DATA_EXPORTERS, Export
from posenc_model.exporters.look import Look
from posenc_model.exporters.provenance import provenance_json
from posenc_model.exporters.results import with_compared
from posenc_model.exporters.spec import Spec
from posenc_model.request import MEAN_HEAD
from posenc_model.run import encode

TEXT = "She said 她们 😀 then"
SMALL = {"nlp_pipeline": "whitespace", "width": 16, "num_layers": 2, "num_heads": 2}


@pytest.fixture(scope="module")
def result():
    return encode(TEXT, **SMALL)


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Attention that somebody else computed, of which only the weights are known."""
    path = tmp_path_factory.mktemp("given") / "theirs.npz"
    np.savez(path, weights=np.full((2, 2, 3, 3), 1 / 3), tokens=np.array(["a", "b", "c"]))
    return encode("", weights=str(path))


def exported(result, **spec):
    spec = Spec(**{"layers": None, "heads": None, **spec})
    return Export(with_compared(result, spec, ""), spec, Look(), "out.npz")


def render(result, **spec):
    return DATA_EXPORTERS[".npz"].render(exported(result, **spec))


def arrays(result, **spec):
    with np.load(io.BytesIO(render(result, **spec).content), allow_pickle=False) as file:
        return dict(file)


def test_everything_that_is_known_of_a_result(result):
    found = arrays(result)
    assert set(found) == {
        *("provenance", "title", "tokens", "layers", "heads", "weights", "scores"),
        *("score_content", "score_position", "weights_without_position", "hidden_states"),
    }
    assert str(found["provenance"]) == provenance_json(exported(result))
    assert str(found["title"]) == "t5, random, seed 0"
    assert found["tokens"].tolist() == TEXT.split(" ")
    assert found["layers"].tolist() == found["heads"].tolist() == [1, 2]
    assert np.array_equal(found["weights"], result.attentions)
    assert np.array_equal(found["hidden_states"], result.hidden_states)
    assert np.array_equal(found["scores"][1, 0], result.scores(1, 0))
    assert np.array_equal(found["score_position"][1, 0], result.score_parts(1, 0)["position"])
    without = result.weights_without_position(1, 0)
    assert np.array_equal(found["weights_without_position"][1, 0], without)
    np.testing.assert_allclose(
        found["score_content"] + found["score_position"], found["scores"], atol=1e-6
    )


def test_the_chosen_layers_heads_and_words(result):
    found = arrays(result, layers=(1,), heads=(MEAN_HEAD,), tokens=(4, 0))
    assert (found["layers"].tolist(), found["heads"].tolist()) == ([2], [0])
    assert found["tokens"].tolist() == ["then", "She"]
    assert np.array_equal(found["weights"][0, 0], result.weights(1, MEAN_HEAD)[[4, 0]][:, [4, 0]])
    assert np.array_equal(found["hidden_states"], result.hidden_states[:, [4, 0]])


def test_masked_cells_are_marked_and_have_no_scores():
    result = encode(TEXT, attention_mask="causal", **SMALL)
    found = arrays(result, tokens=(0, 1, 2))
    assert np.array_equal(found["mask"], np.tri(3, dtype=bool))
    assert (found["scores"][:, :, ~found["mask"]] == -np.inf).all()
    assert np.isnan(found["score_content"][:, :, ~found["mask"]]).all()
    assert np.isfinite(found["score_content"][:, :, found["mask"]]).all()


def test_what_a_layer_does_not_have_is_not_a_number():
    result = encode(TEXT, positional_encoding="abs", **SMALL)
    found = arrays(result)
    parts = result.score_parts(0, 1)
    assert np.array_equal(found["score_position_content"][0, 1], parts["position·content"])
    assert np.isnan(found["score_position_content"][1]).all()
    assert np.isnan(found["score_mixed"][0]).all()
    assert np.isnan(found["weights_without_position"][1]).all()
    assert np.isfinite(found["scores"]).all()
    (note,) = render(result).notes
    assert note.startswith("Parts of scores that a layer of abs does not have are NaN: ")


def test_where_only_weights_are_known_there_is_nothing_else(given):
    found = arrays(given)
    assert set(found) == {"provenance", "title", "tokens", "layers", "heads", "weights"}
    assert render(given).notes == ()


def test_compared_encodings_are_named(result):
    found = arrays(result, layers=(0,), compare=("rel", "none"))
    for name in ("rel", "none"):
        other = encode(TEXT, positional_encoding=name, **SMALL)
        assert np.array_equal(found[f"{name}_weights"], other.attentions[:1])
    assert "rel_score_position" in found
    assert "none_score_position" not in found


def test_the_program_opens_it_again(result, tmp_path):
    path = tmp_path / "out.npz"
    path.write_bytes(render(result, compare=("rel",), matrix="scores").content)
    file = read_attention_file(path)
    assert np.array_equal(file.attentions, result.attentions)
    assert file.tokens == tuple(TEXT.split(" "))
    assert (file.title, file.warnings) == ("t5, random, seed 0", ())


def test_too_large_a_file_is_refused(result, monkeypatch):
    monkeypatch.setattr("posenc_model.exporters.npz.MOST_BYTES", 2000)
    with pytest.raises(PosencError, match="name fewer layers, heads or tokens"):
        render(result)
    render(result, layers=(0,), heads=(1,))


def test_the_same_bytes_each_time(result):
    assert render(result).content == render(encode(TEXT, **SMALL)).content
