"""Measures of attention, against values worked out by hand or by scipy-free definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc_model import encode
from posenc_model.analysis import (
    MEASURES,
    agreement,
    diagonal_share,
    entropy,
    head_measures,
    head_profile,
    known_measures,
    mean_distance,
    measure_heads,
    offset_profile,
    ranking,
    relative_entropy,
    rollout,
    total_variation,
)
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import RunCancelled
from posenc_model.request import MEAN_HEAD

SMALL = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}

HAND = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5]])
UNIFORM = np.full((3, 3), 1 / 3)


def random_weights(seed: int, *shape: int) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(size=shape)
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(-1, keepdims=True)


def test_entropy_by_hand():
    assert entropy(HAND) == pytest.approx((1 + 0 + 1.5) / 3)
    assert entropy(UNIFORM) == pytest.approx(math.log2(3))
    assert entropy(np.eye(4)) == 0


def test_relative_entropy_is_one_for_uniform_attention_and_for_a_single_token():
    assert relative_entropy(UNIFORM) == pytest.approx(1)
    assert relative_entropy(HAND) == pytest.approx(2.5 / 3 / math.log2(3))
    assert relative_entropy(np.ones((1, 1))) == 1


def test_mean_distance_by_hand():
    assert mean_distance(HAND) == pytest.approx((0.5 + 0 + 0.25 * 2 + 0.25) / 3)
    assert mean_distance(np.eye(5)) == 0


def test_diagonal_share_by_hand():
    assert diagonal_share(HAND) == pytest.approx((0.5 + 1 + 0.5) / 3)


def test_the_profile_by_hand():
    distances, means = offset_profile(HAND)
    assert distances.tolist() == [-2, -1, 0, 1, 2]
    assert means == pytest.approx([0.25, 0.125, 2 / 3, 0.25, 0.0])


def test_total_variation_by_hand():
    assert total_variation(HAND, HAND) == 0
    assert total_variation(np.eye(3), np.eye(3)[[1, 2, 0]]) == pytest.approx(1)
    expected = (0.5 * (1 / 6 + 1 / 6 + 1 / 3) + 0.5 * (4 / 3) + 0.5 * (1 / 12 * 2 + 1 / 6)) / 3
    assert total_variation(HAND, UNIFORM) == pytest.approx(expected)


def test_agreement_is_one_for_equal_heads_and_zero_for_disjoint_ones():
    assert agreement(HAND, HAND) == pytest.approx(1)
    assert agreement(np.eye(3), np.eye(3)[[1, 2, 0]]) == pytest.approx(0)
    # One row by hand: p = (1, 0), q = (½, ½), middle (¾, ¼).
    p, q = np.array([[1.0, 0.0]] * 2), np.array([[0.5, 0.5]] * 2)
    divergence = (math.log2(4 / 3) + 0.5 * math.log2(2 / 3) + 0.5 * math.log2(2)) / 2
    assert agreement(p, q) == pytest.approx(1 - divergence)


def test_rollout_by_hand_on_two_layers():
    first, second = random_weights(1, 2, 3, 3), random_weights(2, 2, 3, 3)
    one = 0.5 * (first[0] + first[1]) / 2 + 0.5 * np.eye(3)
    two = 0.5 * (second[0] + second[1]) / 2 + 0.5 * np.eye(3)
    rolled = rollout(np.stack([first, second]))
    np.testing.assert_allclose(rolled[0], one, atol=1e-12)
    for i in range(3):
        for j in range(3):
            assert rolled[1, i, j] == pytest.approx(sum(two[i, k] * one[k, j] for k in range(3)))


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 3))
def test_measures_stay_within_their_bounds(seed, n, heads):
    weights, others = random_weights(seed, heads, n, n), random_weights(seed + 1, heads, n, n)
    for measure in (relative_entropy, diagonal_share):
        values = measure(weights)
        assert values.shape == (heads,)
        assert ((values >= 0) & (values <= 1 + 1e-12)).all()
    assert ((mean_distance(weights) >= 0) & (mean_distance(weights) <= n - 1)).all()
    for measure in (total_variation, agreement):
        values = measure(weights, others)
        assert ((values >= -1e-12) & (values <= 1 + 1e-12)).all()
        np.testing.assert_allclose(values, measure(others, weights))
    np.testing.assert_allclose(rollout(weights[None])[-1].sum(-1), 1)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_head_gets_every_measure(encoding):
    result = encode(
        "one two three four five six",
        positional_encoding=encoding,
        num_layers=2,
        num_heads=2,
        width=16,
        nlp_pipeline="whitespace",
    )
    measures = head_measures(result)
    assert set(measures) == set(MEASURES)
    for layer in range(2):
        for head in range(2):
            weights = result.weights(layer, head).astype(np.float64)
            rows = [-sum(w * math.log2(w) for w in row if w > 0) for row in weights]
            assert measures["entropy"][layer, head] == pytest.approx(np.mean(rows))
            parts = result.score_parts(layer, head)
            content = result.weights_without_position(layer, head)
            if content is None:
                assert math.isnan(measures["position_dependence"][layer, head])
                continue
            exponentials = np.exp(next(iter(parts.values())).astype(np.float64))
            expected = exponentials / exponentials.sum(-1, keepdims=True)
            np.testing.assert_allclose(content, expected, atol=1e-6)
            moved = np.abs(weights - expected).sum(-1).mean() / 2
            assert measures["position_dependence"][layer, head] == pytest.approx(moved, abs=1e-6)


def test_only_deeper_layers_of_sinusoids_have_no_split():
    names = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
    result = encode("one two three", positional_encoding="abs", **names)
    assert result.weights_without_position(0, 0) is not None
    assert result.weights_without_position(1, 0) is None
    assert result.part_names(1) == ("mixed",)


def test_rows_that_do_not_sum_to_one_count_as_if_divided_by_their_sum():
    half = HAND / 2
    assert entropy(half) == pytest.approx(entropy(HAND))
    assert mean_distance(half) == pytest.approx(mean_distance(HAND))
    assert diagonal_share(half) == pytest.approx(diagonal_share(HAND) / 2)  # what really is there
    negative = np.array([[0.5, -0.25], [0.0, 1.0]])
    assert entropy(negative) == 0


def test_a_row_of_nothing_counts_for_neither_entropy_nor_distance():
    weights = np.array([[0.0, 0.0, 0.0], [0.25, 0.5, 0.25], [0.0, 0.0, 0.0]])
    assert entropy(weights) == pytest.approx(1.5)
    assert mean_distance(weights) == pytest.approx(0.5)
    assert np.isnan(entropy(np.zeros((2, 2))))


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 3))
def test_the_profile_is_the_mean_over_the_pairs_of_each_distance(seed, n, heads):
    weights = random_weights(seed, heads, n, n)
    distances, means = offset_profile(weights)
    for index, distance in enumerate(distances):
        pairs = [(i, i + distance) for i in range(n) if 0 <= i + distance < n]
        for head in range(heads):
            expected = sum(weights[head, i, j] for i, j in pairs) / len(pairs)
            assert means[head, index] == pytest.approx(expected)


def test_previous_and_next_are_the_means_beside_the_diagonal():
    result = encode("one two three four five", **SMALL)
    measures, known = head_measures(result), known_measures(result)
    for layer in range(2):
        for head in range(2):
            w = result.weights(layer, head).astype(np.float64)
            before = sum(w[i, i - 1] for i in range(1, 5)) / 4
            after = sum(w[i, i + 1] for i in range(4)) / 4
            for found in (measures, known):
                assert found["previous"][layer, head] == pytest.approx(before)
                assert found["next"][layer, head] == pytest.approx(after)
    assert np.isnan(known["entropy"]).all()


def test_a_single_token_has_no_neighbours():
    measures = head_measures(encode("one", **SMALL))
    assert np.isnan(measures["previous"]).all()
    assert np.isnan(measures["next"]).all()
    assert (measures["diagonal_share"] == 1).all()
    assert (measures["entropy"] == 0).all()


def test_heads_are_measured_alike_in_blocks_of_rows(monkeypatch):
    result = encode("one two three four five six seven", **SMALL)
    whole = head_measures(result)
    monkeypatch.setattr("posenc_model.analysis._ROWS_AT_ONCE_CELLS", 14)  # two rows
    for name, values in head_measures(result).items():
        np.testing.assert_allclose(values, whole[name], rtol=1e-12)


def test_some_heads_can_be_measured_alone():
    result = encode("one two three", **SMALL)
    measured = measure_heads(result, [(1, 0)])
    assert measured.result is result
    assert list(measured.values) == [(1, 0)]
    whole = head_measures(result)
    assert measured.values[1, 0] == {name: whole[name][1, 0] for name in MEASURES}


def test_measuring_can_be_ended_between_blocks_of_rows(monkeypatch):
    result = encode("one two three", **SMALL)
    monkeypatch.setattr("posenc_model.analysis._ROWS_AT_ONCE_CELLS", 3)
    answers = iter([False, False, True])
    with pytest.raises(RunCancelled):
        measure_heads(result, [(0, 0)], lambda: next(answers))
    assert next(answers, None) is None
    with pytest.raises(RunCancelled):
        head_measures(result, lambda: True)
    with pytest.raises(RunCancelled):
        head_profile(result, 0, 0, lambda: True)


@pytest.mark.parametrize("head", [1, MEAN_HEAD])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_heads_profile_and_measures(encoding, head):
    result = encode("one two three four", positional_encoding=encoding, **SMALL)
    profile = head_profile(result, 1, head)
    assert (profile.result, profile.layer, profile.head) == (result, 1, head)
    assert profile.distances.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert profile.pairs.tolist() == [1, 2, 3, 4, 3, 2, 1]
    heads = [head] if head >= 0 else [0, 1]
    mean = np.mean([result.weights(1, one).astype(np.float64) for one in heads], axis=0)
    np.testing.assert_allclose(profile.means, offset_profile(mean)[1], atol=1e-7)
    assert profile.values["entropy"] == pytest.approx(float(entropy(mean)), rel=1e-6)
    without = result.weights_without_position(1, head)
    assert (profile.means_without is None) == (without is None)
    assert (encoding == "abs") == (without is None)
    if without is not None:
        np.testing.assert_allclose(profile.means_without, offset_profile(without)[1])
        moved = float(total_variation(mean, without))
        assert profile.values["position_dependence"] == pytest.approx(moved, abs=1e-6)


def test_the_ranking_puts_missing_values_last_either_way():
    values = [[0.5, np.nan, 0.1], [0.5, 0.9, np.nan]]
    assert ranking(values).tolist() == [4, 0, 3, 2, 1, 5]
    assert ranking(values, descending=False).tolist() == [2, 0, 3, 4, 1, 5]
