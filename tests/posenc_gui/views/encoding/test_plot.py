"""The plots of the pictures of encodings."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from posenc_gui.theme import DARK, apply_theme, picture_style
from posenc_gui.views.encoding.plot import PointedPlot
from posenc_gui.views.encoding.scale import ColorScale


@pytest.fixture
def plot(qtbot):
    plot = PointedPlot("across", "up", "Something", points_up=True)
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    plot.show()
    plot.show_image(np.arange(6.0).reshape(2, 3), -1, 6.0)
    plot.show_range((-1.5, 1.5), (-0.5, 1.5), downwards=True)
    return plot


def test_a_cell_lies_around_its_whole_numbers(plot):
    box = plot.item.getViewBox()
    for spot in ((-1, 0), (1, 1), (0, 1)):
        point = plot.canvas.mapFromScene(box.mapViewToScene(QPoint(*spot)))
        assert plot.spot_at(point) == spot
    assert plot.spot_at(QPoint(0, 0)) is None


def test_rows_count_downwards(plot):
    box = plot.item.getViewBox()
    assert box.mapViewToScene(QPoint(0, 0)).y() < box.mapViewToScene(QPoint(0, 1)).y()


def test_pointing_stays_inside_and_tells_once(plot):
    told = []
    plot.pointed.connect(told.append)
    plot.point_at((100, -5))
    plot.point_at((7, 0))
    plot.point_at(None)
    assert told == [(1, 0), None]
    assert plot.marked_at("pointed") is None


def test_shades_and_marks_come_and_go(plot):
    plot.shade([(0.0, 1.0), (1.0, 2.0)])
    plot.shade([(0.5, 1.5)])
    assert plot.shaded() == [(0.5, 1.5)]
    plot.mark("pair", 1.0)
    assert plot.marked_at("pair") == 1.0
    plot.mark("pair", None)
    assert plot.marked_at("pair") is None


def test_colours_follow_the_theme(plot):
    plot.mark("pair", 0.0)
    plot.draw("line", [0, 1], [0, 1])

    def colors():
        mark = plot._marks["pair"].pen.color().name()
        return mark, plot._lines["line"].opts["pen"].color().name()

    light = colors()
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    apply_theme(application, DARK)
    assert colors() != light
    assert colors()[0] == picture_style(plot.palette(), plot.font()).highlight.name()


def test_the_colour_scale_is_painted(qtbot):
    scale = ColorScale("value")
    qtbot.addWidget(scale)
    scale.resize(300, 24)
    scale.show_largest(2.5)
    image = scale.grab().toImage()
    assert len({image.pixelColor(x, 12).name() for x in range(300)}) > 20
