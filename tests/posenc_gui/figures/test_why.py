"""The picture of a cell taken apart: its bars, measured."""

import numpy as np
import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QImage

from posenc_gui.figures.exporters import export_style
from posenc_gui.figures.why import PART_COLORS, WhyFigure, paint_why, why_height
from posenc_gui.painting import painting

WIDTH = 400


def figure(**changed):
    shown = {
        "parts": (("content", 1.0), ("position", -3.0)),
        "score": -2.0,
        "words": ["a", "b", "c"],
        "key": 1,
        "row": np.array([0.2, 0.6, 0.2], np.float32),
        "row_without": np.array([0.5, 0.25, 0.25], np.float32),
    }
    return WhyFigure(**{**shown, **changed})


def painted(shown):
    style = export_style()
    height = int(why_height(shown, style.font)) + 1
    image = QImage(WIDTH, height, QImage.Format.Format_RGB32)
    with painting(image) as painter:
        paint_why(painter, shown, QSizeF(WIDTH, height), style)
    return image


def span(image, color):
    """First and last column in which a colour is seen."""
    wanted = QColor(color).rgb()
    columns = [
        x
        for x in range(image.width())
        if any(image.pixel(x, y) == wanted for y in range(image.height()))
    ]
    return columns[0], columns[-1]


def test_parts_are_stacked_and_as_long_as_they_are_large():
    image = painted(figure())
    content, position = span(image, PART_COLORS[0]), span(image, PART_COLORS[1])
    unit = content[1] - content[0] + 1
    assert position[1] - position[0] + 1 == pytest.approx(3 * unit, abs=6)
    # Content goes right from 0; position begins where content ends and goes left.
    assert position[1] == pytest.approx(content[1], abs=2)
    assert position[0] < content[0]


def test_the_asked_key_stands_out_and_weights_have_lengths():
    image = painted(figure())
    style = export_style()
    first, last = span(image, style.highlight)
    assert last - first > 50


def test_all_keys_of_a_short_text_are_shown_in_order():
    assert figure().shown_keys() == [0, 1, 2]


def test_a_long_text_shows_the_strongest_and_the_asked_one():
    row = np.linspace(0.001, 0.05, 40).astype(np.float32)
    shown = figure(words=["w"] * 40, key=0, row=row, row_without=None).shown_keys()
    assert shown == [0, *range(30, 40)]


def test_what_only_position_hides_is_shown_too():
    row = np.full(40, 1 / 40, np.float32)
    without = row.copy()
    without[7] = 0.4
    shown = figure(words=["w"] * 40, key=0, row=row, row_without=without).shown_keys()
    assert 7 in shown


def test_nothing_is_painted_below_the_height(qtbot):
    for shown in (figure(), figure(parts=(), score=None, row_without=None)):
        image = painted(shown)
        background = export_style().background.rgb()
        bottom = image.height() - 1
        assert all(image.pixel(x, bottom) == background for x in range(WIDTH))
