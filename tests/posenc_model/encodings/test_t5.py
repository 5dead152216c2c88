"""T5's bucketed bias: the table of the specification, and Hugging Face's code."""

import warnings

import pytest
import torch

from posenc_model.config import EncoderConfig
from posenc_model.encodings.t5 import bucket_starts, buckets_of
from posenc_model.errors import PosencError


@pytest.fixture(scope="module")
def published_buckets():
    """Hugging Face's ``_relative_position_bucket``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # another project's imports are not under test
        modeling_t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    return modeling_t5.T5Attention._relative_position_bucket


@pytest.mark.parametrize(
    ("distance", "bucket"),
    [(0, 0), (-1, 1), (1, 17), (-8, 8), (8, 24), (-90, 14), (-91, 15), (-1000, 15), (1000, 31)],
)
def test_the_buckets_of_the_specification(distance, bucket):
    assert buckets_of(torch.tensor([distance]), 32, 128).tolist() == [bucket]


def test_the_ranges_of_the_specification_in_both_directions():
    ranges = [(a, a, a) for a in range(8)]
    ranges += [(8, 11, 8), (12, 15, 9), (16, 22, 10), (23, 31, 11), (32, 45, 12), (46, 63, 13)]
    ranges += [(64, 90, 14), (91, 5000, 15)]
    for first, last, bucket in ranges:
        distances = torch.arange(first, last + 1)
        assert (buckets_of(-distances, 32, 128) == bucket).all()
        if first:
            assert (buckets_of(distances, 32, 128) == bucket + 16).all()


def test_saturation_starts_at_91_and_not_at_128():
    assert buckets_of(torch.tensor([-90, -91, -127, -128]), 32, 128).tolist() == [14, 15, 15, 15]
    assert bucket_starts(32, 128)[-1] == 91


def test_bucket_16_is_never_used():
    used = buckets_of(torch.arange(-3000, 3001), 32, 128).unique().tolist()
    assert used == [b for b in range(32) if b != 16]


def test_whole_numbers_give_the_rule_of_the_specification():
    """8 + the largest m ≤ 7 with a² ≥ 64·2^m."""
    for a in range(8, 2000):
        bucket = 8 + max(m for m in range(8) if a * a >= 64 * 2**m)
        assert buckets_of(torch.tensor(-a), 32, 128).item() == bucket


@pytest.mark.parametrize("num_buckets", [4, 5, 6, 7, 8, 10, 16, 31, 32, 33, 64, 128, 512])
def test_buckets_equal_hugging_faces(published_buckets, num_buckets):
    distances = torch.arange(-3000, 3001)
    for max_distance in (2, 3, 5, 8, 9, 16, 17, 20, 50, 64, 100, 127, 128, 129, 500, 8192, 10**5):
        if max_distance > num_buckets / 4:
            ours = buckets_of(distances, num_buckets, max_distance)
            theirs = published_buckets(distances, True, num_buckets, max_distance)
            assert torch.equal(ours, theirs), max_distance


def test_buckets_stay_exact_where_the_model_is_in_bfloat16(make_encoder):
    encoder = make_encoder("t5", num_heads=1).bfloat16()
    with torch.no_grad():
        encoder.encoding.bias.copy_(torch.arange(32)[:, None])
        bias = encoder.encoding.by_offset(-90, 0)[0]
    assert [bias[90 - a].item() for a in (16, 32, 90)] == [10, 12, 14]


@pytest.mark.parametrize("num_buckets", [3, 1, 0, -32])
def test_fewer_than_four_buckets_are_refused(num_buckets):
    with pytest.raises(PosencError, match=r"num_buckets is .* from 4 to 512") as refusal:
        EncoderConfig(encoding_options={"num_buckets": num_buckets})
    assert refusal.value.setting == "num_buckets"


@pytest.mark.parametrize(("num_buckets", "max_distance"), [(32, 8), (32, 2), (64, 16), (12, 3)])
def test_a_maximum_distance_of_up_to_a_quarter_of_the_buckets_is_refused(num_buckets, max_distance):
    options = {"num_buckets": num_buckets, "max_distance": max_distance}
    with pytest.raises(PosencError, match=f"maximum distance is {max_distance}, .*{num_buckets}"):
        EncoderConfig(encoding_options=options)
    options["max_distance"] = num_buckets // 4 + 1
    assert EncoderConfig(encoding_options=options).options["max_distance"] == num_buckets // 4 + 1


def test_there_is_one_table_for_all_layers_among_the_models_parameters(make_encoder):
    encoder = make_encoder("t5", num_layers=3, num_heads=2, encoding_options={"num_buckets": 8})
    tables = list(encoder.encoding.parameters())
    assert [tuple(table.shape) for table in tables] == [(8, 2)]
    assert any(parameter is tables[0] for parameter in encoder.parameters())


def test_the_bias_is_added_unscaled_to_the_scores_of_every_layer(make_encoder, make_words):
    encoder = make_encoder("t5", num_layers=3)
    bias = encoder.encoding.bias.detach()
    with torch.no_grad():
        output = encoder(make_words(n=30))
        for layer in range(3):
            position = encoder.score_parts(output, layer)["position"][0]
            for i, j in ((0, 0), (0, 1), (1, 0), (0, 8), (29, 0), (12, 29), (29, 28)):
                bucket = buckets_of(torch.tensor(j - i), 32, 128)
                assert torch.equal(position[:, i, j], bias[bucket])


@pytest.mark.parametrize("rows", [1, 7, 16, 1000])
def test_block_by_block_equals_all_at_once(make_encoder, make_words, rows):
    encoder = make_encoder("t5")
    x = make_words(b=2, n=41)
    with torch.no_grad():
        blocks = encoder(x, keep_attentions=False, rows_per_block=rows)
        whole = encoder(x)
    torch.testing.assert_close(blocks.last_hidden_state, whole.last_hidden_state, atol=1e-5, rtol=0)


def test_every_bucket_that_is_used_is_trained_and_the_unused_one_is_not(make_encoder, make_words):
    encoder = make_encoder("t5").train()
    encoder(make_words(n=100)).last_hidden_state.pow(3).sum().backward()
    reached = encoder.encoding.bias.grad.any(dim=1)
    assert reached.nonzero().flatten().tolist() == [b for b in range(32) if b != 16]


def test_a_head_keeps_its_bias_when_there_are_more_heads(make_encoder):
    few, many = make_encoder("t5", num_heads=2), make_encoder("t5", num_heads=4)
    assert torch.equal(few.encoding.bias, many.encoding.bias[:, :2])


def test_without_scaling_the_attention_is_that_of_hugging_faces_t5(make_encoder, make_words):
    """One layer's weights and output with T5's own convention: no division by √d."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # another project's imports are not under test
        modeling_t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
        theirs = modeling_t5.T5Attention(
            modeling_t5.T5Config(d_model=16, d_kv=4, num_heads=4, dropout_rate=0.0),
            has_relative_attention_bias=True,
        ).eval()
    encoder = make_encoder("t5", num_layers=1, scale_scores=False)
    attention = encoder.layers[0].attention
    x = make_words(b=2, n=120)
    with torch.no_grad():
        parts = attention.in_projection.split(16)
        for linear, weight in zip((theirs.q, theirs.k, theirs.v), parts, strict=True):
            linear.weight.copy_(weight)
        theirs.o.weight.copy_(attention.out_projection)
        theirs.relative_attention_bias.weight.copy_(encoder.encoding.bias)
        expected = theirs(x)[0]
        output, _ = attention(x, encoder.encoding)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=1e-5)
