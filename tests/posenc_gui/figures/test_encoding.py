"""The encoding itself as it is exported."""

from dataclasses import replace

import numpy as np
import pytest
from pictures import export_of

from posenc_gui.figures.bag import BagFigure
from posenc_gui.figures.charts import ChartsFigure
from posenc_gui.figures.grid import GridFigure
from posenc_gui.figures.make import make_figure
from posenc_model import encode
from posenc_model.encodings.pictures import NOT_BY_DISTANCE
from posenc_model.errors import PosencError
from posenc_model.exporters import Export
from posenc_model.exporters.look import Look
from posenc_model.exporters.spec import Spec
from posenc_model.request import MEAN_HEAD

TEXT = "one two three four"


def exported(encoding, settings=None, look=None, **spec):
    chosen = {"positional_encoding": encoding, **(settings or {})}
    return export_of(TEXT, view="encoding", settings=chosen, look=look, **spec)


def levels_of_steps(curve):
    """The value at each distance."""
    return np.asarray(curve.up)[::2]


def test_abs_shows_waves_and_products():
    figure = make_figure(exported("abs", cell=(3, 1), reach=6, heads=None, layers=None))
    assert isinstance(figure, ChartsFigure)  # one for all layers and heads
    (waves,), (products, one) = figure.columns
    places, pairs = np.arange(7)[:, None], np.arange(4)
    angles = places / 10_000.0 ** (2 * pairs / 8)
    np.testing.assert_allclose(waves.cells.values[:, 0::2], np.sin(angles), atol=1e-6)
    np.testing.assert_allclose(waves.cells.values[:, 1::2], np.cos(angles), atol=1e-6)
    assert {(mark.at, mark.is_across) for mark in waves.marks} == {(1, False), (3, False)}
    assert products.curves[0].across.tolist() == list(range(-6, 7))
    assert products.curves[0].up[6] == pytest.approx(4)  # of a place with itself
    distance_2 = np.cos(2 / 10_000.0 ** (2 * pairs / 8)).sum()
    assert products.curves[0].up[8] == pytest.approx(distance_2)
    assert products.marks[0].at == -2
    assert one.curves[0].up[5] == pytest.approx(distance_2)
    assert figure.title == "abs, random"
    assert "8 dimensions, base 10,000" in figure.caption


def test_places_go_as_far_as_the_pair():
    figure = make_figure(exported("abs", cell=(3, 0), reach=1))
    assert figure.charts[0].cells.values.shape == (4, 8)
    assert figure.charts[1].marks == ()  # three places away is not shown


def test_rel_shows_vectors_and_what_they_add():
    export = exported("rel", {"clip_distance": 2}, heads=(1,), layers=(1,), cell=(1, 3), reach=4)
    figure = make_figure(export)
    (keys, values), (scores,) = figure.columns
    table = export.result.picture_numbers(1).keys
    assert keys.cells.values.shape == (4, 9)
    np.testing.assert_array_equal(keys.cells.values[:, 4], table[2])
    np.testing.assert_array_equal(keys.cells.values[:, 0], table[0])  # clipped
    np.testing.assert_array_equal(keys.cells.values[:, 8], table[4])
    largest = float(np.abs(table).max())
    assert keys.cells.levels == (-largest, largest)
    np.testing.assert_array_equal(
        values.cells.values[:, 5], export.result.picture_numbers(1).values[3]
    )
    line, words = scores.curves
    position = export.result.score_parts(1, 1)["position"][1]
    np.testing.assert_allclose(levels_of_steps(line)[3:7], position, atol=1e-6)
    assert (words.kind, words.across.tolist()) == ("points", [-1, 0, 1, 2])
    np.testing.assert_allclose(words.up, position, atol=1e-6)
    assert scores.spans == [(-4.5, -1.5), (1.5, 4.5)]
    assert scores.title == "Added to the scores of ‘two’"
    assert scores.marks[0].name == "‘two’ → ‘four’, distance +2"
    assert figure.title.endswith("layer 2 · head 2")
    assert "scores of token 2, layer 2, head 2" in figure.caption


def test_rel_without_value_vectors_has_no_picture_of_them():
    figure = make_figure(exported("rel", {"relative_values": False}))
    assert [chart.title for chart in figure.columns[0]] == ["Key vectors aᴷ"]


def test_several_heads_are_in_one_picture_and_several_layers_side_by_side():
    figure = make_figure(exported("rel", heads=None, layers=None))
    assert isinstance(figure, GridFigure)
    assert figure.names == [("layer 1", "1"), ("layer 2", "2")]
    scores = figure.figures[1].charts[-1]
    assert [(curve.name, curve.head) for curve in scores.curves] == [("head 1", 0), ("head 2", 1)]
    assert figure.title.endswith("all 2 layers · all 2 heads")


@pytest.mark.parametrize("head", [0, MEAN_HEAD])
def test_t5_shows_buckets_and_bias(head):
    export = exported("t5", {"num_buckets": 8, "max_distance": 16}, heads=(head,), reach=20)
    figure = make_figure(export)
    (staircase,), (bias,) = figure.columns
    buckets = levels_of_steps(staircase.curves[0])
    assert buckets[20:23].tolist() == [0, 5, 6]
    assert buckets[18:21].tolist() == [2, 1, 0]
    assert staircase.y == (0, 7)
    numbers = export.result.picture_numbers(0)
    expected = numbers.bias.mean(1) if head == MEAN_HEAD else numbers.bias[:, 0]
    *others, chosen = bias.curves
    np.testing.assert_allclose(levels_of_steps(chosen), expected[buckets.astype(int)], atol=1e-6)
    assert [curve.kind for curve in others] == ["many", "many"]
    # Shaded: from where the last bucket of each side begins.
    first = next(d for d in range(20) if buckets[20 + d] == 7)
    assert staircase.spans == bias.spans == [(-20.5, 0.5 - first), (first - 0.5, 20.5)]
    assert "layer" not in figure.title


def test_t5_is_the_same_for_all_layers():
    figure = make_figure(exported("t5", layers=None, heads=None))
    assert isinstance(figure, ChartsFigure)
    kinds = [(curve.kind, curve.head) for curve in figure.charts[1].curves]
    assert kinds == [("main", 0), ("main", 1)]


def test_none_is_a_bag():
    figure = make_figure(exported("none", heads=None))
    assert isinstance(figure, BagFigure)
    assert list(figure.words()) == TEXT.split()
    assert "‘one two three four’ and ‘four three two one’ are the same" in figure.caption


@pytest.mark.parametrize("encoding", ["abs", "rel", "t5", "none"])
def test_the_caption_has_the_text_and_the_words_are_those_of_the_pair(encoding):
    figure = make_figure(exported(encoding, cell=(0, 2)))
    assert TEXT in figure.caption
    assert encoding in figure.caption
    assert {"one", "three"} <= set(figure.words())


def test_the_look_says_the_range_and_whether_there_is_a_scale():
    look = Look(color_range="-1,3", color_bar=False)
    cells = make_figure(exported("rel", look=look)).charts[0].cells
    assert (cells.levels, cells.has_scale) == ((-1.0, 3.0), False)


# --- encoders that are not ours ------------------------------------------------------------------

N = 4
LINES = np.array([[0, 0, 1, 2, 3, 0, 0], [5, 4, 3, 2, 1, 0, -1]], np.float32)


def matrix(line):
    return np.stack([line[N - 1 - row : 2 * N - 1 - row] for row in range(N)])


@pytest.fixture
def given(tmp_path):
    """Attention from a file: two layers, two heads, four words."""
    weights = np.random.default_rng(0).dirichlet(np.ones(N), (2, 2, N)).astype(np.float32)
    path = tmp_path / "other.npz"
    np.savez(path, weights=weights, tokens=np.array(list("abcd")))
    return encode("unused", weights=str(path))


def exported_of(result, **spec):
    return Export((result,), Spec(view="encoding", **spec), Look(), "picture.svg")


def test_a_bias_by_distance_is_read_off_the_scores(given):
    def parts(layer, head):
        return {"position": matrix(LINES[head]) * (layer + 1)}

    result = replace(given, _parts=parts, parts_reason=None)
    figure = make_figure(exported_of(result, layers=(1,), heads=(1,), reach=2))
    (chart,) = figure.charts
    np.testing.assert_array_equal(levels_of_steps(chart.curves[-1]), 2 * LINES[1][1:6])
    assert chart.x == (-2.5, 2.5)
    assert figure.title.endswith("layer 2 · head 2")
    assert make_figure(exported_of(result, reach=9)).charts[0].x == (-3.5, 3.5)


def test_what_is_not_known_is_said(given):
    with pytest.raises(PosencError) as caught:
        make_figure(exported_of(given))
    assert caught.value.sentence == "The file holds weights only: nothing is known of an encoding."
    odd = {"position": np.eye(N, dtype=np.float32)[[0, 2, 1, 3]]}
    result = replace(given, _parts=lambda layer, head: odd, parts_reason=None)
    with pytest.raises(PosencError) as caught:
        make_figure(exported_of(result))
    assert caught.value.sentence == NOT_BY_DISTANCE


def test_what_there_is_not_is_refused():
    with pytest.raises(PosencError, match="token is 8, but has to be from 1 to 4"):
        make_figure(exported("t5", cell=(7, 0)))
    with pytest.raises(PosencError, match="layer is 5"):
        make_figure(exported("rel", layers=(4,)))
