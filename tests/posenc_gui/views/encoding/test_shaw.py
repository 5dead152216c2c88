"""The picture of ``rel``."""

import numpy as np
import pytest

from posenc_model.request import MEAN_HEAD

CLIP = 4


@pytest.fixture
def picture(picture_of):
    return picture_of("rel", clip_distance=CLIP, head=1)


def by_distance(line):
    """The value at each whole distance of a line that is level around it."""
    return {round(x): y for x, y in zip(line[0][::2] + 0.5, line[1][::2], strict=True)}


def test_the_tables_by_distance(picture):
    numbers = picture.shown.numbers
    for plot, table in ((picture.keys, numbers.keys), (picture.values, numbers.values)):
        assert plot.values.shape == (8, 81)
        for distance, row in ((0, CLIP), (-3, 1), (4, 8), (-4, 0), (-40, 0), (40, 8)):
            np.testing.assert_array_equal(plot.values[:, 40 + distance], table[row])
    assert picture.key_scale.largest == pytest.approx(np.abs(numbers.keys).max())


def test_distances_that_share_a_vector_are_shaded(picture):
    for plot in (picture.keys, picture.values, picture.scores):
        assert plot.shaded() == [(-40.5, -3.5), (3.5, 40.5)]
    assert picture.sentence.text().startswith("Words 4 or more places away share one vector")


def test_what_the_table_does_to_the_query_s_scores(picture):
    shown = picture.shown
    drawn = by_distance(picture.scores.line("what if"))
    part = shown.result.score_parts(0, 1)["position"][shown.query]
    for key, value in enumerate(part):
        assert drawn[key - shown.query] == pytest.approx(value, abs=1e-5)
    assert drawn[-40] == drawn[-4]
    points = picture.scores.line("words")
    assert points[0].tolist() == [-3, -2, -1, 0, 1, 2]
    np.testing.assert_allclose(points[1], part, atol=1e-5)
    expected = f"{part[shown.key]:+.2f}".replace("-", "−")
    assert picture.readout.text() == (
        f"‘four’ → ‘two’, distance −2: adds {expected} to the score (layer 1, head 2)"
    )
    assert picture.scores.marked_at("pair") == -2


def test_another_layer_head_and_query(picture, shown_of):
    before = picture.scores.line("what if")[1]
    shown = shown_of("rel", clip_distance=CLIP, layer=1, head=MEAN_HEAD, query=0, key=5)
    picture.show_shown(shown)
    assert not np.array_equal(picture.scores.line("what if")[1], before)
    part = shown.result.score_parts(1, MEAN_HEAD)["position"][0]
    assert by_distance(picture.scores.line("what if"))[5] == pytest.approx(part[5], abs=1e-5)
    assert "(layer 2, mean over heads) · shares the vector of +4" in picture.readout.text()


def test_a_smaller_clip_joins_distances(picture):
    picture.what_if.sliders["clip_distance"].choose(2)
    keys = picture.shown.numbers.keys
    np.testing.assert_array_equal(picture.keys.values[:, 40 - 3], keys[CLIP - 2])
    np.testing.assert_array_equal(picture.keys.values[:, 40 + 1], keys[CLIP + 1])
    assert picture.keys.shaded() == [(-40.5, -1.5), (1.5, 40.5)]
    drawn = by_distance(picture.scores.line("what if"))
    now = by_distance(picture.scores.line("now"))
    assert drawn[3] == drawn[2] == now[2] != now[3]
    assert picture.sentence.text().startswith("With clip distance 2, words 2 or more places away")


def test_a_larger_clip_has_vectors_that_nobody_has_drawn(picture, qtbot):
    picture.what_if.sliders["clip_distance"].choose(6)
    assert np.isfinite(picture.keys.values[:, 36:45]).all()
    assert np.isnan(picture.keys.values[:, :36]).all()
    assert picture.keys.shaded() == [(-40.5, -5.5), (5.5, 40.5)]
    picture.keys.point_at((5, 0))
    assert picture.readout.text() == "distance +5: no key vector yet"
    with qtbot.waitSignal(picture.setting_wanted) as asked:
        picture.what_if.use_button.click()
    assert asked.args == ["clip_distance", 6]


def test_pointing_anywhere_points_everywhere(picture):
    picture.scores.point_at((2, 0))
    assert picture.keys.pointed_at == picture.values.pointed_at == (2, 0)
    assert picture.readout.text().endswith("· ‘six’ is there")
    picture.scores.point_at((3, 0))
    assert picture.readout.text().endswith("· no word of this text is there")
    picture.values.point_at((-1, 5))
    value = picture.shown.numbers.values[CLIP - 1, 5]
    shown = f"{value:+.2f}".replace("-", "−")
    assert picture.readout.text() == f"distance −1: value vector, dimension 5: {shown}"
    picture.values.point_at(None)
    assert picture.keys.pointed_at is None
    assert picture.readout.text().startswith("‘four’ → ‘two’")


def test_no_values_no_table(picture_of):
    picture = picture_of("rel", relative_values=False)
    assert not picture.value_part.isVisible()
    assert picture.keys.isVisible()


def test_a_large_clip_is_shown_whole(picture_of):
    picture = picture_of("rel", clip_distance=100)
    assert picture.reach == 125
    assert picture.keys.shaded() == [(-125.5, -99.5), (99.5, 125.5)]
    assert picture.what_if.value("clip_distance") == 100
