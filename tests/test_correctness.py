"""What has to hold for every positional encoding.

``python tests/test_correctness.py`` prints one line for each property and encoding; pytest runs the
same functions. Encoders are small and in float32 unless a test says otherwise, and are given
standard normal word vectors.
"""

import inspect
import math
import sys
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch
from torch import Tensor

from posenc_model.attention import MultiHeadAttention
from posenc_model.config import EncoderConfig
from posenc_model.encoder import EncoderOutput, TransformerEncoder
from posenc_model.encodings import ENCODINGS
from posenc_model.encodings.sinusoidal import sinusoids

WIDTH = 16


def pytest_generate_tests(metafunc) -> None:
    """Runs each test that has an argument ``encoding`` for every entry of the registry."""
    if "encoding" in metafunc.fixturenames:
        metafunc.parametrize("encoding", ENCODINGS)


def encoder_with(encoding: str, **sizes: object) -> TransformerEncoder:
    sizes = {"width": WIDTH, "num_layers": 2, "num_heads": 4, **sizes}
    return TransformerEncoder(EncoderConfig(positional_encoding=encoding, **sizes))


def words(b: int, n: int, seed: int = 0) -> Tensor:
    return torch.randn(b, n, WIDTH, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def run(encoder: TransformerEncoder, x: Tensor, mask: Tensor | None = None) -> EncoderOutput:
    return encoder(x, mask)


def assert_same_sentence(one: EncoderOutput, many: EncoderOutput, row: int, tolerance: float):
    """Compares the weights, absolutely, and all hidden states, relative to the largest number."""
    n = one.last_hidden_state.shape[1]
    for alone, batched in zip(one.attentions, many.attentions, strict=True):
        assert (alone[0] - batched[row, :, :n, :n]).abs().max() <= tolerance
    for alone, batched in zip(one.hidden_states, many.hidden_states, strict=True):
        assert (alone[0] - batched[row, :n]).abs().max() <= tolerance * alone.abs().max()


def check_batch_independence(encoder: TransformerEncoder, dtype: torch.dtype, tolerance: float):
    short, long = words(1, 9, seed=1).to(dtype), words(1, 25, seed=2).to(dtype)
    alone, long_alone = run(encoder, short), run(encoder, long)
    assert_same_sentence(alone, run(encoder, torch.cat([long[:, :9], short])), 1, tolerance)
    for filler in (0.0, 5.0):
        padded = torch.full((2, 25, WIDTH), filler, dtype=dtype)
        padded[0, :9], padded[1] = short[0], long[0]
        mask = torch.ones(2, 25, dtype=torch.bool)
        mask[0, 9:] = False
        together = run(encoder, padded, mask)
        assert_same_sentence(alone, together, 0, tolerance)
        assert_same_sentence(long_alone, together, 1, tolerance)


def test_a_sentence_alone_equals_the_same_sentence_in_a_batch_padded_or_not(encoding):
    check_batch_independence(encoder_with(encoding), torch.float32, 1e-6)


def test_a_sentence_alone_equals_the_same_sentence_in_a_batch_to_all_digits(encoding):
    """In float64, where nothing but rounding can differ, and through more layers."""
    encoder = encoder_with(encoding, num_layers=6).double()
    check_batch_independence(encoder, torch.float64, 1e-13)


def test_each_layer_runs_exactly_once(encoding):
    for layers in (1, 3):
        encoder = encoder_with(encoding, num_layers=layers)
        runs: Counter[str] = Counter()
        for name, module in encoder.named_modules():
            if isinstance(module, (MultiHeadAttention, torch.nn.LayerNorm)):
                module.register_forward_hook(lambda *_, n=name, runs=runs: runs.update([n]))
        output = run(encoder, words(1, 5))
        parts = ("attention", "attention_norm", "feed_forward_norm")
        assert runs == {f"layers.{i}.{part}": 1 for i in range(layers) for part in parts}
        assert len(output.attentions) == layers
        assert len(output.hidden_states) == layers + 1


def test_a_masked_key_gets_weight_exactly_zero(encoding):
    encoder = encoder_with(encoding)
    padding = torch.ones(2, 20, dtype=torch.bool)
    padding[0, 12:] = False
    padding[1, 3] = False
    for weights in run(encoder, words(2, 20), padding).attentions:
        assert (weights[0, :, :, 12:] == 0).all()
        assert (weights[1, :, :, 3] == 0).all()
        assert (weights[0, :, :, :12] > 0).all()
    causal = torch.ones(2, 20, 20, dtype=torch.bool).tril()
    for weights in run(encoder, words(2, 20), causal).attentions:
        assert (weights.triu(1) == 0).all()


def test_a_fully_masked_query_row_is_all_zeros_and_never_nan(encoding):
    encoder = encoder_with(encoding)
    mask = torch.ones(2, 6, 6, dtype=torch.bool)
    mask[0, 4] = False
    output = run(encoder, words(2, 6), mask)
    for weights in output.attentions:
        assert (weights[0, :, 4] == 0).all()
        assert torch.isfinite(weights).all()
        assert torch.allclose(weights[0, :, :4].sum(-1), torch.ones(4, 4))
    assert all(torch.isfinite(hidden).all() for hidden in output.hidden_states)


def test_a_sentence_of_nothing_but_padding_gives_no_nan(encoding):
    mask = torch.tensor([[True] * 6, [False] * 6])
    output = run(encoder_with(encoding), words(2, 6), mask)
    assert (output.attentions[1][1] == 0).all()
    assert torch.isfinite(output.last_hidden_state).all()


def test_rows_sum_to_one(encoding):
    for n in (1, 2, 40):
        for weights in run(encoder_with(encoding), words(2, n)).attentions:
            assert (weights.sum(-1) - 1).abs().max() <= 1e-6
            assert (weights >= 0).all()


def test_buffers_and_parameters_follow_the_module(encoding):
    encoder = encoder_with(encoding)
    before = run(encoder, words(1, 30)).last_hidden_state
    encoder.double()
    tensors = [*encoder.parameters(), *encoder.buffers()]
    assert {tensor.dtype for tensor in tensors} == {torch.float64}
    after = run(encoder, words(1, 30).double()).last_hidden_state
    assert after.dtype == torch.float64
    assert torch.allclose(before.double(), after, atol=1e-5)
    encoder.to("meta")
    assert {t.device.type for t in [*encoder.parameters(), *encoder.buffers()]} == {"meta"}
    moved = run(encoder, torch.zeros(1, 60, WIDTH, dtype=torch.float64, device="meta"))
    assert moved.last_hidden_state.device.type == "meta"


def test_a_stay_in_a_coarse_format_leaves_no_trace_in_buffers(encoding):
    encoder = encoder_with(encoding)
    expected = run(encoder, words(1, 30)).last_hidden_state
    weights = {name: tensor.clone() for name, tensor in encoder.state_dict().items()}
    run(encoder.bfloat16(), words(1, 30).bfloat16())
    encoder.float().load_state_dict(weights)
    assert torch.equal(run(encoder, words(1, 30)).last_hidden_state, expected)


def test_all_that_is_learned_or_fixed_is_saved_or_made_anew_on_load(encoding):
    trained = encoder_with(encoding, seed=1)
    with torch.no_grad():
        for parameter in trained.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3)))
    expected = run(trained, words(1, 30)).last_hidden_state
    loaded = encoder_with(encoding, seed=2)
    run(loaded, words(1, 4))
    loaded.load_state_dict(trained.state_dict(), strict=True)
    assert torch.equal(run(loaded, words(1, 30)).last_hidden_state, expected)


def test_lengths_past_any_table_or_maximum_work(encoding):
    """The score of a pair depends on the pair alone, so a long text's first scores are a short's.

    700 tokens exceed the 512 of the original's tables, the clip distance and the last bucket.
    """
    encoder = encoder_with(encoding, num_layers=1)
    x = words(1, 700)
    short, long = run(encoder, x[:, :5]), run(encoder, x)
    assert torch.isfinite(long.last_hidden_state).all()
    assert (long.attentions[0].sum(-1) - 1).abs().max() <= 1e-5
    with torch.no_grad():
        first = encoder.scores_of(long, 0)[:, :, :5, :5]
        assert torch.allclose(encoder.scores_of(short, 0), first, atol=1e-5)
    fresh = run(encoder_with(encoding, num_layers=1), x)
    assert torch.equal(fresh.last_hidden_state, long.last_hidden_state)


def test_the_parts_add_up_to_the_scores(encoding):
    encoder = encoder_with(encoding, num_layers=3)
    output = run(encoder, words(2, 40))
    with torch.no_grad():
        for layer in range(3):
            parts = encoder.score_parts(output, layer)
            assert tuple(parts) == encoder.encoding.part_names(layer)
            scores = encoder.scores_of(output, layer)
            assert (sum(parts.values()) - scores).abs().max() <= 1e-5
            assert torch.allclose(scores.softmax(-1), output.attentions[layer], atol=1e-6)


def test_inference_is_deterministic_whatever_the_number_of_layers(encoding):
    for layers in (1, 5):
        encoder = encoder_with(encoding, num_layers=layers, dropout=0.9)
        without = encoder_with(encoding, num_layers=layers, dropout=0.0)
        result = run(encoder, words(1, 8)).last_hidden_state
        assert torch.equal(run(encoder, words(1, 8)).last_hidden_state, result)
        assert torch.equal(run(without, words(1, 8)).last_hidden_state, result)


def test_gradients_reach_every_parameter(encoding):
    encoder = encoder_with(encoding).train()
    encoder(words(2, 40)).last_hidden_state.pow(3).sum().backward()
    unreached = [
        name for name, p in encoder.named_parameters() if p.grad is None or not p.grad.any()
    ]
    assert unreached == []


def test_without_position_shuffled_words_give_the_shuffled_result():
    difference = _difference_after_shuffling("none")
    assert difference <= 1e-5


def test_with_position_shuffled_words_give_another_result(encoding):
    if encoding != "none":
        assert _difference_after_shuffling(encoding) > 0.01


def _difference_after_shuffling(encoding: str) -> float:
    encoder = encoder_with(encoding)
    x = words(1, 12)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(5))
    straight, shuffled = run(encoder, x), run(encoder, x[:, order])
    hidden = straight.last_hidden_state[:, order] - shuffled.last_hidden_state
    weights = straight.attentions[-1][:, :, order][..., order] - shuffled.attentions[-1]
    return max(hidden.abs().max().item(), weights.abs().max().item())


def test_the_sinusoid_is_the_formula_written_out_by_hand():
    for width, base in ((6, 10_000.0), (7, 10_000.0), (16, 100.0), (1, 10_000.0)):
        table = sinusoids(50, width, base)
        assert table.shape == (50, width)
        for position in range(50):
            for place in range(width):
                angle = position / base ** ((place - place % 2) / width)
                expected = math.cos(angle) if place % 2 else math.sin(angle)
                assert abs(table[position, place].item() - expected) <= 1e-12


def test_the_sinusoid_is_added_once_before_the_first_layer_and_under_no_other_name(encoding):
    x = words(1, 9)
    output = run(encoder_with(encoding), x)
    added = output.hidden_states[0] - x
    expected = sinusoids(9, WIDTH).float() if encoding == "abs" else torch.zeros(9, WIDTH)
    assert (added[0] - expected).abs().max() <= 1e-6


def main() -> int:
    """Prints a line for each property and encoding; returns 1 if one does not hold."""
    failed = 0
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    for name, test in tests:
        takes_encoding = "encoding" in inspect.signature(test).parameters
        for encoding in ENCODINGS if takes_encoding else (None,):
            try:
                test(*([encoding] if encoding else []))
                verdict = "holds"
            except Exception:
                traceback.print_exc()
                verdict, failed = "FAILS", failed + 1
            print(f"{verdict}  {encoding or '-':5} {name.removeprefix('test_').replace('_', ' ')}")
    print("Every property holds." if not failed else f"{failed} did not hold.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
