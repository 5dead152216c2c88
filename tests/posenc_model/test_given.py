"""Results of somebody else's attention and models."""

import numpy as np
import pytest

from posenc_model import encode
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.probe import probe_order
from posenc_model.request import MEAN_HEAD, RunRequest
from posenc_model.run import run
from posenc_model.settings import Settings

WORDS = ["a", "<b>", "c"]


@pytest.fixture
def npz(tmp_path):
    """A file of two layers and three heads, and its weights."""
    weights = np.random.default_rng(0).dirichlet(np.ones(3), (2, 3, 3)).astype(np.float32)
    path = tmp_path / "other.npz"
    np.savez(path, weights=weights, tokens=np.array(WORDS))
    return path, weights


def test_weights_from_a_file_are_shown_as_they_are(npz):
    path, weights = npz
    result = encode("this text is not used", weights=str(path))
    assert [token.text for token in result.tokens] == WORDS
    np.testing.assert_array_equal(result.attentions, weights)
    np.testing.assert_array_equal(result.weights(1, 2), weights[1, 2])
    np.testing.assert_allclose(result.weights(1, MEAN_HEAD), weights[1].mean(0), atol=1e-7)
    np.testing.assert_allclose(result.overview.maximum, weights)
    expected = [[(w[1, 0] + w[2, 1]) / 2 for w in layer] for layer in weights]
    np.testing.assert_allclose(result.overview.previous, expected, atol=1e-6)
    assert (result.num_layers, result.num_heads) == (2, 3)
    assert (result.encoding_title, result.weights_title) == ("attention", "other.npz")


def test_a_file_has_no_scores_and_says_why(npz):
    result = encode("", weights=str(npz[0]))
    assert result.scores(0, 0) is None
    assert result.score_parts(0, 0) == {}
    assert result.part_names(0) == ()
    assert result.weights_without_position(0, 0) is None
    assert result.last_hidden_state is None
    assert "weights only" in result.parts_reason


def test_layers_and_heads_the_file_lacks(npz):
    result = encode("", weights=str(npz[0]))
    with pytest.raises(IndexError):
        result.weights(2, 0)
    with pytest.raises(IndexError):
        result.score_parts(0, 3)


def test_other_settings_have_no_effect_on_a_file(npz):
    with pytest.raises(PosencError, match=r"num_layers has no effect with “other\.npz”"):
        encode("a", weights=str(npz[0]), num_layers=2)


def test_several_texts_give_a_result_each(npz):
    assert len(encode(["a", "b"], weights=str(npz[0]))) == 2


def test_words_cannot_be_moved_in_somebody_elses_attention(npz):
    with pytest.raises(PosencError, match="needs one of this program’s encoders"):
        probe_order("a b c", [2, 1, 0], weights=str(npz[0]))


def test_a_cancelled_run_of_a_model_ends(bert):
    settings = Settings.of({"weights": str(bert)})
    with pytest.raises(RunCancelled):
        run(RunRequest(0, "The program shows it.", settings), is_cancelled=lambda: True)


def test_a_models_weights_are_those_of_transformers(bert):
    import torch
    from transformers import AutoModel, AutoTokenizer

    text = "The program shows what each word looks at."
    tokenizer = AutoTokenizer.from_pretrained(bert, local_files_only=True)
    model = AutoModel.from_pretrained(bert, attn_implementation="eager").eval()
    with torch.inference_mode():
        expected = model(**tokenizer(text, return_tensors="pt"), output_attentions=True)
    result = encode(text, weights=str(bert))
    stacked = torch.stack(expected.attentions)[:, 0].numpy()
    np.testing.assert_allclose(result.attentions, stacked, atol=1e-6)
    np.testing.assert_allclose(
        result.last_hidden_state, expected.last_hidden_state[0].numpy(), atol=1e-5
    )
    assert (result.encoding_title, result.num_layers, result.num_heads) == ("BERT", 6, 12)
    assert result.score_parts(0, 0) == {}
    assert result.parts_reason


def test_special_tokens_left_out_and_rescaled(bert):
    text = "The program shows it."
    shown = encode(text, weights=str(bert)).attentions
    dropped = encode(text, weights=str(bert), special_tokens="drop")
    rescaled = encode(text, weights=str(bert), special_tokens="renormalise")
    np.testing.assert_allclose(dropped.attentions, shown[:, :, 1:-1, 1:-1], atol=1e-7)
    sums = shown[:, :, 1:-1, 1:-1].sum(-1, keepdims=True)
    np.testing.assert_allclose(rescaled.attentions, shown[:, :, 1:-1, 1:-1] / sums, atol=1e-6)
    assert [token.text for token in dropped.tokens] == ["the", "program", "shows", "it", "."]
    assert any("do not sum to 1" in warning for warning in dropped.warnings)
