"""One chart: where its numbers land."""

import numpy as np
import pytest
from pictures import export_font, export_style
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage

from posenc_gui.figures import chart as module
from posenc_gui.figures.chart import (
    Cells,
    Chart,
    Curve,
    Mark,
    paint_chart,
    paint_scale,
    plan_chart,
    spans_beyond,
    steps,
    whole_ticks,
)
from posenc_gui.figures.colormaps import SIGNED_COLOR_MAP, color_of
from posenc_gui.figures.lines import head_color
from posenc_gui.painting import painting

BOX = QRectF(10, 10, 500, 300)


def chart(**changed):
    shown = {"title": "T", "across": "distance", "up": "value", "x": (-5.5, 5.5), "y": (0, 10)}
    return Chart(**{**shown, **changed})


def painted(shown, box=BOX, scale=1):
    size = (box.adjusted(0, 0, 20, 20).size() * scale).toSize()
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(export_style().background)
    with painting(image) as painter:
        painter.scale(scale, scale)
        paint_chart(painter, shown, box, export_style())
    return image


def rows_of(image, x, color):
    return [y for y in range(image.height()) if image.pixelColor(int(x), y) == QColor(color)]


def test_steps_are_level_around_each_distance():
    across, up = steps(np.array([-1, 0]), np.array([3.0, 5.0]))
    assert across.tolist() == [-1.5, -0.5, -0.5, 0.5]
    assert up.tolist() == [3, 3, 5, 5]


def test_spans_begin_half_before_the_first_distance():
    assert spans_beyond(3, 10) == [(-10.5, -2.5), (2.5, 10.5)]
    assert spans_beyond(10, 10) == [(-10.5, -9.5), (9.5, 10.5)]
    assert spans_beyond(11, 10) == []


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (-2.5, 2.5, 12, [-2, -1, 0, 1, 2]),
        (-30.5, 30.5, 6, [-20, 0, 20]),
        (0, 31, 4, [0, 10, 20, 30]),
        (-0.5, 0.5, 3, [0]),
        (-4095.5, 4095.5, 1, [-4000, -2000, 0, 2000, 4000]),
        (0, 1, 0, [0, 1]),
    ],
)
def test_whole_ticks_are_round(low, high, most, ticks):
    assert whole_ticks(low, high, most) == ticks


def test_a_curve_is_where_its_numbers_are():
    curve = Curve(np.array([-5.0, 5.0]), np.array([2.0, 8.0]))
    image, layout = painted(chart(curves=(curve,))), plan_chart(chart(), BOX, export_style())
    for x, y in ((-4, 2.6), (0, 5.0), (4, 7.4)):
        rows = rows_of(image, layout.x_of(x), export_style().accent)
        assert np.mean(rows) == pytest.approx(layout.y_of(y), abs=1.5)
    # Twice as far up is twice as high above 0.
    zero = layout.y_of(0)
    assert zero - layout.y_of(8) == pytest.approx(2 * (zero - layout.y_of(4)))


def test_of_several_heads_each_has_its_colour():
    lines = np.array([-5.0, 5.0])
    curves = [Curve(lines, np.array([n, n]), "main", f"head {n}", n) for n in (1, 3)]
    image, layout = painted(chart(curves=curves)), plan_chart(chart(), BOX, export_style())
    for n in (1, 3):
        assert rows_of(image, layout.x_of(0), head_color(n, export_style()))


def test_points_are_dots():
    shown = chart(curves=(Curve(np.array([2]), np.array([5.0]), "points"),))
    image, layout = painted(shown), plan_chart(shown, BOX, export_style())
    assert image.pixelColor(round(layout.x_of(2)), round(layout.y_of(5))) == export_style().text


@pytest.mark.parametrize("most", [10**6, 0], ids=["rectangles", "one image"])
@pytest.mark.parametrize("scale", [1, 3])
def test_cells_have_the_colours_of_their_values(monkeypatch, most, scale):
    monkeypatch.setattr(module, "MAX_RECTANGLES", most)
    values = np.array([[-1, 0, 1], [0.5, -0.5, 0]], np.float32)
    shown = chart(x=(-1.5, 1.5), y=(-0.5, 1.5), cells=Cells(values, -1, (-1.0, 1.0)))
    image, layout = painted(shown, scale=scale), plan_chart(shown, BOX, export_style())
    for row in range(2):
        for column in range(3):
            wanted = color_of(float(values[row, column]), (-1.0, 1.0), SIGNED_COLOR_MAP)
            for dx, dy in ((0, 0), (-0.4, -0.4), (0.4, 0.4)):
                x, y = layout.x_of(column - 1 + dx) * scale, layout.y_of(row + dy) * scale
                seen = image.pixelColor(int(x), int(y)).getRgb()
                assert np.abs(np.subtract(seen, wanted.getRgb())).max() <= 3
    assert layout.y_of(0) < layout.y_of(1)  # the first row is on top


def test_cells_below_some_pixels_are_smoothed_in_an_image():
    values = np.tile(np.array([1.0, -1.0], np.float32), (2, 1000))
    shown = chart(x=(-0.5, 1999.5), y=(-0.5, 1.5), cells=Cells(values, 0, (-1.0, 1.0)))
    image, layout = painted(shown), plan_chart(shown, BOX, export_style())
    y = int(layout.y_of(0))
    middle = range(int(layout.area.left()) + 5, int(layout.area.right()) - 5)
    colors = np.array([image.pixelColor(x, y).getRgb()[:3] for x in middle])
    assert np.ptp(colors, axis=0).max() < 60  # no stripes that nobody computed


def test_spans_are_shaded_beneath_curves_and_stand_above_images():
    span = {"spans": [(-5.5, -2.5)], "span_name": "far"}
    plain = chart(**span)
    image, layout = painted(plain), plan_chart(plain, BOX, export_style())
    y = round(layout.y_of(9.5))
    inside, outside = (image.pixelColor(round(layout.x_of(x)), y) for x in (-4.3, 0.3))
    assert outside == export_style().background
    assert inside.lightness() < 240
    cells = Cells(np.zeros((3, 11), np.float32), -5, (-1.0, 1.0))
    shown = chart(y=(-0.5, 2.5), cells=cells, **span)
    image, layout = painted(shown), plan_chart(shown, BOX, export_style())
    above = round(layout.area.top()) - 4
    inside, outside = (image.pixelColor(round(layout.x_of(x)), above) for x in (-4.3, 0.3))
    assert outside == export_style().background
    assert inside.lightness() < 220
    y = round(layout.y_of(1))
    assert image.pixelColor(round(layout.x_of(-4.3)), y) == image.pixelColor(
        round(layout.x_of(0.3)), y
    )


@pytest.mark.parametrize("has_cells", [False, True])
def test_marks_go_from_edge_to_edge(has_cells):
    cells = Cells(np.zeros((11, 11), np.float32), -5, (-1.0, 1.0)) if has_cells else None
    shown = chart(cells=cells, y=(-0.5, 10.5), marks=(Mark(2, "m"), Mark(3, "m", is_across=False)))
    image, layout = painted(shown), plan_chart(shown, BOX, export_style())
    rows = rows_of(image, layout.x_of(2), export_style().highlight)
    assert min(rows) < layout.area.top() + 8
    assert max(rows) > layout.area.bottom() - 8
    y = layout.y_of(3)
    assert any(
        image.pixelColor(x, int(y)) == export_style().highlight
        for x in range(int(layout.area.left()), int(layout.area.left()) + 10)
    )


def test_what_a_legend_explains():
    curves = (
        Curve(np.zeros(1), np.zeros(1), "many"),
        Curve(np.zeros(1), np.zeros(1), "main", "head 2", 1),
    )
    shown = chart(curves=curves, marks=(Mark(0, "pair"),), spans=[(0, 1)], span_name="far")
    assert shown.samples() == [("main", "head 2", 1), ("mark", "pair", None), ("span", "far", None)]


@pytest.mark.parametrize("width", [360, 900])
@pytest.mark.parametrize("reach", [1, 30, 4000])
def test_numbers_below_do_not_touch_and_stay_inside(width, reach):
    box = QRectF(0, 0, width, 200)
    layout = plan_chart(chart(x=(-reach - 0.5, reach + 0.5)), box, export_style())
    metrics = QFontMetricsF(export_style().font)
    places = [layout.x_of(tick) for tick in layout.x_ticks]
    halves = [metrics.horizontalAdvance(f"−{abs(tick):.0f}") / 2 for tick in layout.x_ticks]
    assert len(places) >= 2
    assert places[0] - halves[0] >= -1
    assert places[-1] + halves[-1] <= width + 1
    for index in range(len(places) - 1):
        assert places[index] + halves[index] + 4 < places[index + 1] - halves[index + 1]


def test_the_scale_has_its_ends_and_colours():
    image = QImage(300, 24, QImage.Format.Format_RGB32)
    image.fill(export_style().background)
    with painting(image) as painter:
        paint_scale(painter, QRectF(0, 0, 300, 24), "value", (-2.5, 2.5), export_style())
    assert len({image.pixelColor(x, 12).name() for x in range(300)}) > 20
    metrics = QFontMetricsF(export_font())
    # Name, lower end, colours, upper end; nothing after them.
    wide = metrics.horizontalAdvance("value−2.5+2.5") + 9.2 * metrics.height()
    last = max(x for x in range(300) if image.pixelColor(x, 12) != export_style().background)
    assert last <= wide
