"""The whole encoder, compared with torch's, and its weights across processes."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from posenc_model.encodings import ENCODINGS
from posenc_model.encodings.sinusoidal import sinusoids

ROOT = Path(__file__).resolve().parents[2]


def torchs_encoder_with_the_weights_of(encoder):
    """torch's own post-norm encoder, whose projections of q, k and v get no bias."""
    config = encoder.config
    layer = nn.TransformerEncoderLayer(
        config.width,
        config.num_heads,
        config.feed_forward_width,
        activation="relu",
        batch_first=True,
        norm_first=False,
    )
    reference = nn.TransformerEncoder(layer, config.num_layers, enable_nested_tensor=False).eval()
    with torch.no_grad():
        for theirs, ours in zip(reference.layers, encoder.layers, strict=True):
            theirs.self_attn.in_proj_weight.copy_(ours.attention.in_projection)
            theirs.self_attn.in_proj_bias.zero_()
            theirs.self_attn.out_proj.weight.copy_(ours.attention.out_projection)
            theirs.self_attn.out_proj.bias.zero_()
            theirs.linear1.weight.copy_(ours.inner_weight)
            theirs.linear1.bias.copy_(ours.inner_bias)
            theirs.linear2.weight.copy_(ours.outer_weight)
            theirs.linear2.bias.copy_(ours.outer_bias)
            for name in ("weight", "bias"):
                getattr(theirs.norm1, name).copy_(getattr(ours.attention_norm, name))
                getattr(theirs.norm2, name).copy_(getattr(ours.feed_forward_norm, name))
    return reference


@pytest.mark.parametrize("encoding", ["none", "abs"])
@pytest.mark.parametrize("layers", [1, 4])
def test_the_whole_encoder_equals_torchs(make_encoder, make_words, encoding, layers):
    encoder = make_encoder(encoding, num_layers=layers, inner_width=24)
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if "norm" in name or "bias" in name:  # new ones are all 1 or 0, which hides mix-ups
                generator = torch.Generator().manual_seed(len(name))
                parameter.add_(torch.randn(parameter.shape, generator=generator) / 4)
    reference = torchs_encoder_with_the_weights_of(encoder)
    x = make_words(b=3, n=11)
    given = x + sinusoids(11, 16).float() if encoding == "abs" else x
    real = torch.ones(3, 11, dtype=torch.bool)
    real[2, 7:] = False
    with torch.no_grad():
        ours = encoder(x, real).last_hidden_state
        theirs = reference(given, src_key_padding_mask=~real)
    torch.testing.assert_close(ours[real], theirs[real], atol=2e-5, rtol=0)


def test_shapes_of_the_output(make_encoder, make_words):
    with torch.no_grad():
        output = make_encoder("t5", num_layers=3)(make_words(b=2, n=5))
    assert output.last_hidden_state.shape == (2, 5, 16)
    assert [hidden.shape for hidden in output.hidden_states] == [(2, 5, 16)] * 4
    assert [weights.shape for weights in output.attentions] == [(2, 4, 5, 5)] * 3
    assert torch.equal(output.hidden_states[-1], output.last_hidden_state)


def test_a_new_encoder_does_not_drop_anything(make_encoder):
    assert not any(module.training for module in make_encoder("rel").modules())


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_same_seed_twice_is_bit_identical_and_another_seed_is_not(
    make_encoder, make_words, encoding
):
    results = []
    for seed in (4, 4, 5):
        torch.manual_seed(seed * 100 + len(results))  # torch's own state has no say
        with torch.no_grad():
            results.append(make_encoder(encoding, seed=seed)(make_words()).last_hidden_state)
    assert torch.equal(results[0], results[1])
    assert not torch.allclose(results[0], results[2], atol=0.01)


def test_any_two_encodings_share_every_weight_that_both_have(make_encoder):
    states = [make_encoder(encoding).state_dict() for encoding in ENCODINGS]
    common = set.intersection(*(set(state) for state in states))
    assert {name.split(".")[0] for name in common} == {"layers"}
    for state in states:
        own = {name.split(".")[0] for name in set(state) - common}
        assert own <= {"encoding"}
        assert all(torch.equal(state[name], states[0][name]) for name in common)


def test_a_layer_keeps_its_weights_when_layers_or_heads_are_added(make_encoder):
    few = make_encoder("rel", num_layers=1, num_heads=4)
    more_layers = make_encoder("rel", num_layers=3, num_heads=4).state_dict()
    for name, tensor in few.state_dict().items():
        assert torch.equal(tensor, more_layers[name])
    more_heads = make_encoder("none", num_layers=1, num_heads=8).state_dict()
    for name, tensor in make_encoder("none", num_layers=1, num_heads=2).state_dict().items():
        assert torch.equal(tensor, more_heads[name])


def test_no_two_weights_of_an_encoder_are_the_same_numbers(make_encoder):
    encoder = make_encoder("rel", num_layers=3, width=16, inner_width=16)
    firsts = [p.flatten()[:3] for p in encoder.parameters() if p.flatten()[:3].unique().numel() > 1]
    assert len({tuple(first.tolist()) for first in firsts}) == len(firsts)


LOAD_AND_COMPARE = """
import sys
import torch
from posenc_model.config import EncoderConfig
from posenc_model.encoder import TransformerEncoder

for case in torch.load(sys.argv[1], weights_only=True):
    with torch.inference_mode():
        again = TransformerEncoder(EncoderConfig(**case["config"]))
        assert torch.equal(again(case["x"]).last_hidden_state, case["untrained"]), "same seed"
        loaded = TransformerEncoder(EncoderConfig(**{**case["config"], "seed": 99}))
        loaded.load_state_dict(case["state"])
        assert torch.equal(loaded(case["x"]).last_hidden_state, case["trained"]), "loaded"
    print(case["config"]["positional_encoding"])
"""


def test_a_new_process_gives_the_same_from_the_seed_and_from_saved_weights(
    make_encoder, make_words, tmp_path
):
    cases = []
    for encoding in ENCODINGS:
        encoder = make_encoder(encoding, seed=7)
        config = {
            field.name: getattr(encoder.config, field.name)
            for field in dataclasses.fields(encoder.config)
            if field.init
        }
        x = make_words(n=40)
        with torch.inference_mode():
            untrained = encoder(x).last_hidden_state.clone()
        with torch.no_grad():
            for parameter in encoder.parameters():
                parameter.mul_(1.5).add_(0.01)
        with torch.inference_mode():
            trained = encoder(x).last_hidden_state.clone()
        state = encoder.state_dict()
        cases.append(
            {"config": config, "x": x, "untrained": untrained, "trained": trained, "state": state}
        )
    torch.save(cases, tmp_path / "cases.pt")
    done = subprocess.run(
        [sys.executable, "-c", LOAD_AND_COMPARE, str(tmp_path / "cases.pt")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(ENCODINGS)
