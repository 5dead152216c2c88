"""The picture of a distance profile: its bars, measured."""

import numpy as np
import pytest
from pictures import export_of, export_style
from pictures import painted as painted_figure
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QImage

from posenc_gui.figures.grid import GridFigure
from posenc_gui.figures.make import make_figure
from posenc_gui.figures.profile import ProfileFigure, paint_profile, plan_profile, profile_figure
from posenc_gui.painting import painting
from posenc_model.analysis import head_profile
from posenc_model.request import MEAN_HEAD

SIZE = QSizeF(500, 300)
BLUE = QColor("#0000ff")


def figure(means=(0.1, 0.2, 0.4, 0.3, 0.0), without=None, pairs=None, full_pairs=1):
    means = np.array(means, float)
    reach = len(means) // 2
    if pairs is None:
        pairs = len(means) - np.abs(np.arange(-reach, reach + 1))
    return ProfileFigure(
        pairs=np.array(pairs),
        means=means,
        without=None if without is None else np.array(without, float),
        full_pairs=full_pairs,
    )


def painted(shown, marked=None):
    style = export_style()
    layout = plan_profile(shown, SIZE, style)
    image = QImage(SIZE.toSize(), QImage.Format.Format_RGB32)
    with painting(image) as painter:
        painter.fillRect(image.rect(), style.background)
        paint_profile(painter, shown, layout, style, BLUE, marked)
    return image, layout


def bar_height(image, layout, distance, color=BLUE):
    """How many pixels of a bar's middle have its colour."""
    x = int(layout.center(distance))
    rows = range(int(layout.area.top()) - 2, int(layout.area.bottom()))
    return sum(image.pixelColor(x, y).rgb() == color.rgb() for y in rows)


def test_bars_are_as_high_as_their_means():
    image, layout = painted(figure())
    unit = layout.area.height() / layout.top
    for distance, mean in zip(range(-2, 3), (0.1, 0.2, 0.4, 0.3, 0.0), strict=True):
        assert bar_height(image, layout, distance) == pytest.approx(mean * unit, abs=3)


def test_each_bar_is_found_where_it_is_drawn():
    layout = plan_profile(figure(), SIZE, export_style())
    for distance in range(-2, 3):
        assert layout.distance_at(layout.center(distance)) == distance
    assert layout.distance_at(layout.area.left() - 1) is None
    assert layout.distance_at(layout.area.right() + 1) is None


def test_few_pairs_are_paler():
    shown = figure((0.4, 0.4, 0.4), pairs=(1, 4, 2), full_pairs=4)
    image, layout = painted(shown)
    y = int(layout.area.bottom()) - 4
    left, middle, right = (
        image.pixelColor(int(layout.center(d)), y).lightness() for d in (-1, 0, 1)
    )
    assert left > right > middle
    assert image.pixelColor(int(layout.center(0)), y) == BLUE


def test_a_marked_bar_has_the_other_colour():
    image, layout = painted(figure(), marked=-1)
    highlight = export_style().highlight
    assert bar_height(image, layout, -1, highlight) > 10
    assert bar_height(image, layout, 0, highlight) == 0


def test_the_line_without_position_is_where_its_means_are():
    without = (0.3, 0.3, 0.3, 0.3, 0.3)
    plain, _ = painted(figure())
    image, layout = painted(figure(without=without))
    assert len(layout.legend) == 2
    y = round(layout.height(0.3))
    x = int((layout.center(-2) + layout.center(-1)) / 2)  # between two bars
    column = [image.pixelColor(x, y + d).lightness() for d in range(-8, 9)]
    assert abs(int(np.argmin(column)) - 8) <= 1
    assert min(column) < 120
    assert image != plain


def test_the_line_raises_the_scale():
    assert plan_profile(figure(without=(0.9,) * 5), SIZE, export_style()).top >= 0.9
    assert plan_profile(figure(), SIZE, export_style()).top < 0.9


@pytest.mark.parametrize("largest", [1.0, 0.4, 0.031, 2e-6, 0.0])
def test_the_scale_has_round_numbers_up_to_the_largest(largest):
    layout = plan_profile(figure((0.0, largest, 0.0)), SIZE, export_style())
    assert layout.top >= largest * 0.999
    assert layout.ticks[0] == 0
    assert layout.ticks[-1] == pytest.approx(layout.top)
    assert 2 <= len(layout.ticks) <= 6
    step = layout.ticks[1] / 10 ** np.floor(np.log10(layout.ticks[1]) + 1e-9)
    assert min(abs(step - n) for n in (1, 2, 5)) < 1e-6


def test_no_strong_distance_gets_lost_where_several_share_a_pixel():
    means = np.full(8001, 0.001)
    means[4000 + 2000] = 0.5
    image, layout = painted(figure(means))
    assert layout.width < 0.1
    x = int(layout.center(2000))
    top = int(layout.area.top() + 0.2 * layout.area.height())
    found = [image.pixelColor(column, top) for column in range(x - 3, x + 4)]
    assert any(color.blue() > 200 and color.red() < 200 for color in found)


def test_numbers_below_do_not_overlap():
    style = export_style()
    for reach in (1, 4, 30, 119, 4095):
        shown = figure(np.full(2 * reach + 1, 0.1))
        for width in (220, 500):
            layout = plan_profile(shown, QSizeF(width, 200), style)
            assert layout.step * layout.width >= 25 or reach < 2


# --- as it is exported ---------------------------------------------------------------------------


def test_the_picture_is_that_of_the_head_and_as_far_as_asked():
    export = export_of("a b c d e f", view="profile", layers=(1,), heads=(1,), reach=2)
    shown, profile = make_figure(export), head_profile(export.result, 1, 1)
    assert shown.reach == 2
    np.testing.assert_array_equal(shown.means, profile.means[3:8])
    np.testing.assert_array_equal(shown.without, profile.means_without[3:8])
    assert shown.pairs.tolist() == [4, 5, 6, 5, 4]
    assert shown.title.endswith("layer 2 · head 2")
    for said in ("up to 2 to both sides", "layer 2, head 2", "t5", "a b c d e f"):
        assert said in shown.caption
    assert list(shown.words()) == []


def test_a_reach_beyond_the_text_shows_all_of_it():
    shown = make_figure(export_of("a b c", view="profile", heads=(MEAN_HEAD,)))
    assert shown.reach == 2
    assert "up to 2 to both sides, layer 1, mean over heads" in shown.caption


def test_several_heads_stand_side_by_side():
    shown = make_figure(export_of(view="profile", heads=None))
    assert isinstance(shown, GridFigure)
    assert len(shown.figures) == 2
    assert "all 2 heads" in shown.caption


def test_exported_bars_have_the_accent_and_are_as_high_as_their_means():
    shown = figure()
    image = painted_figure(shown, SIZE, scale=1)
    layout, accent = plan_profile(shown, SIZE, export_style()), export_style().accent
    unit = layout.area.height() / layout.top
    for distance, mean in ((-2, 0.1), (0, 0.4), (1, 0.3)):
        assert bar_height(image, layout, distance, accent) == pytest.approx(mean * unit, abs=3)


def test_it_is_about_half_as_high_as_wide_and_scaled_where_it_is_small():
    style = export_style()
    line = QFontMetricsF(style.font).height()
    assert figure().height_for(1000, style) == pytest.approx(500)
    narrow = figure().height_for(9 * line, style)
    assert narrow == pytest.approx(figure().height_for(18 * line, style) / 2)


def test_the_outermost_numbers_stay_inside():
    style = export_style()
    widest = QFontMetricsF(style.font).horizontalAdvance("−5,000")
    reach = 5000
    layout = plan_profile(figure(np.full(2 * reach + 1, 0.1)), SIZE, style)
    last = reach // layout.step * layout.step
    assert layout.center(last) + widest / 2 <= SIZE.width() + 1
    assert layout.center(-last) - widest / 2 >= QFontMetricsF(style.font).horizontalAdvance("pairs")


def test_a_profile_is_cut_to_a_reach():
    result = export_of("a b c d").result
    whole = profile_figure(head_profile(result, 0, 0))
    assert (whole.reach, whole.full_pairs) == (3, 4)
    np.testing.assert_array_equal(
        profile_figure(head_profile(result, 0, 0), 1).means, whole.means[2:5]
    )
