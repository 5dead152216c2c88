"""The numbers in the encodings' pictures."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from posenc_model import encode
from posenc_model.encodings import ENCODINGS
from posenc_model.encodings.pictures import (
    BucketNumbers,
    PictureNumbers,
    VectorNumbers,
    WaveNumbers,
    buckets_by_distance,
    by_distance,
    clipped_rows,
    distances_of_bucket,
    position_vectors,
    products_by_distance,
    wave_frequencies,
    wave_length,
)
from posenc_model.request import MEAN_HEAD

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "one two three four five six"
ROOT = Path(__file__).resolve().parents[3]


def result_of(encoding, **more):
    return encode(TEXT, positional_encoding=encoding, **{**SETTINGS, **more})


@pytest.mark.parametrize("name", ENCODINGS)
def test_each_encoding_gives_its_numbers(name):
    result = result_of(name)
    assert result.encoding_name == name
    assert isinstance(result.picture_numbers(1), PictureNumbers)


def test_what_each_gives():
    waves = result_of("abs", base=100.0).picture_numbers(0)
    assert isinstance(waves, WaveNumbers)
    assert (waves.width, waves.base) == (16, 100.0)

    result = result_of("rel", clip_distance=3)
    vectors = result.picture_numbers(1)
    assert isinstance(vectors, VectorNumbers)
    assert vectors.clip == 3
    assert vectors.keys.shape == vectors.values.shape == (7, 8)
    assert not np.array_equal(vectors.keys, result.picture_numbers(0).keys)
    assert result_of("rel", relative_values=False).picture_numbers(0).values is None

    buckets = result_of("t5", num_buckets=8, max_distance=20).picture_numbers(1)
    assert isinstance(buckets, BucketNumbers)
    assert (buckets.buckets, buckets.max_distance, buckets.bias.shape) == (8, 20, (8, 2))


@pytest.mark.parametrize("base", [10_000.0, 100.0, 1.0])
@pytest.mark.parametrize("distance", [0, 1, -7, 30])
def test_the_product_depends_on_the_distance_only(base, distance):
    vectors = position_vectors(100, 12, base)
    expected = sum(np.cos(distance * base ** (-2 * k / 12)) for k in range(6))
    assert products_by_distance(np.array([distance]), 12, base)[0] == pytest.approx(expected)
    for i in (31, 60):
        assert vectors[i] @ vectors[i + distance] == pytest.approx(expected)


def test_place_25_against_the_others():
    vectors = position_vectors(50, 64, 10_000.0)
    np.testing.assert_allclose(
        vectors @ vectors[25], products_by_distance(np.arange(50) - 25, 64, 10_000.0)
    )
    assert products_by_distance(np.array([0]), 64, 10_000.0)[0] == 32


def test_an_odd_width_leaves_its_last_sine_out():
    assert len(wave_frequencies(5, 10.0)) == 2
    vectors = position_vectors(9, 5, 10.0)[:, :4]
    assert vectors[8] @ vectors[3] == pytest.approx(products_by_distance(np.array([5]), 5, 10.0)[0])
    assert products_by_distance(np.array([0]), 1, 10.0)[0] == 0


def test_the_length_of_a_wave():
    assert wave_length(0, 64, 10_000.0) == wave_length(1, 64, 10_000.0)
    assert wave_length(1, 64, 10_000.0) == pytest.approx(2 * np.pi)
    assert wave_length(32, 64, 10_000.0) == pytest.approx(2 * np.pi * 100)
    column = position_vectors(200, 64, 10_000.0)[:, 4]
    length = wave_length(4, 64, 10_000.0)
    assert column[7] == pytest.approx(np.sin(2 * np.pi * 7 / length))


def test_distances_beyond_the_clip_share_a_row():
    distances = np.array([-100, -4, -3, -2, 0, 2, 3, 4, 100])
    assert clipped_rows(distances, 3).tolist() == [0, 0, 0, 1, 3, 5, 6, 6, 6]


def test_the_buckets_of_the_specification():
    distances = np.array([0, -1, 1, -8, 8, -90, -91, -1000])
    expected = [0, 1, 17, 8, 24, 14, 15, 15]
    assert buckets_by_distance(distances, 32, 128).tolist() == expected


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        (0, (0, 0)),
        (-1, (1, 1)),
        (7, (7, 7)),
        (-9, (8, 11)),
        (11, (8, 11)),
        (-16, (16, 22)),
        (45, (32, 45)),
        (-64, (64, 90)),
        (91, (91, None)),
        (-5000, (91, None)),
    ],
)
def test_which_distances_share_a_bucket(distance, expected):
    assert distances_of_bucket(distance, 32, 128) == expected


@pytest.mark.parametrize("options", [(32, 128), (4, 2), (5, 9), (12, 4), (128, 40)])
def test_sharing_is_what_the_buckets_say(options):
    everything = np.arange(-300, 301)
    buckets = buckets_by_distance(everything, *options)
    for distance in (-250, -33, -5, -1, 0, 1, 2, 3, 17, 60, 299):
        first, last = distances_of_bucket(distance, *options)
        same_side = np.sign(everything) == np.sign(distance)
        alike = np.abs(everything[same_side & (buckets == buckets[distance + 300])])
        assert (alike.min(), alike.max()) == (first, 300 if last is None else last)


@pytest.mark.parametrize("name", ["rel", "t5"])
@pytest.mark.parametrize("head", [0, 1, MEAN_HEAD])
@pytest.mark.parametrize("layer", [0, 1])
def test_what_is_added_is_the_score_s_position_part(name, head, layer):
    result = result_of(name)
    n = len(result.tokens)
    part = result.score_parts(layer, head)["position"]
    for query in range(n):
        added = result.added_by_distance(layer, head, query, 40)
        assert added.shape == (81,)
        np.testing.assert_allclose(added[40 - query : 40 - query + n], part[query], atol=1e-5)


def test_what_is_added_saturates():
    added = result_of("rel", clip_distance=3).added_by_distance(0, 0, 2, 40)
    assert len(set(added[:38].tolist())) == len(set(added[43:].tolist())) == 1
    assert len(set(added.tolist())) == 7


def test_what_is_added_is_q_times_the_vector_over_root_d():
    result = result_of("rel", clip_distance=3)
    hidden = result.hidden_states[1][4]
    projection = result._encoder.layers[1].attention.in_projection.detach().numpy()
    q = projection[8:16] @ hidden  # the queries' rows of the second head
    added = result.added_by_distance(1, 1, 4, 5)
    expected = result.picture_numbers(1).keys @ q / np.sqrt(8)
    np.testing.assert_allclose(added[2:9], expected, atol=1e-5)


@pytest.mark.parametrize("name", ["abs", "none"])
def test_nothing_is_added_where_position_has_no_term_of_its_own(name):
    assert result_of(name).added_by_distance(0, 0, 1, 5) is None


def test_a_matrix_of_distances_is_read_as_a_line():
    line = np.array([5, 3, 1, 0, 2, 4, 6], np.float32)
    matrix = np.stack([line[3 - i : 7 - i] for i in range(4)])
    np.testing.assert_array_equal(by_distance(matrix), line)
    matrix[2, 3] += 1
    assert by_distance(matrix) is None
    np.testing.assert_array_equal(by_distance(np.array([[7]], np.float32)), [7])


def test_importing_it_loads_no_torch():
    code = "import sys, posenc_model.encodings.pictures; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("False\n", "")
