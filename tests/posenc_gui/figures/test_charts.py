"""Several charts as one picture."""

import numpy as np
import pytest
from pictures import export_style, painted, pixels_of
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFontMetricsF

from posenc_gui.figures.chart import Chart, Curve, Mark
from posenc_gui.figures.charts import ChartsFigure
from posenc_gui.figures.lines import head_color


@pytest.fixture
def line():
    """The height of a line of type."""
    return QFontMetricsF(export_style().font).height()


def chart(name="a curve", kind="main", head=None):
    curve = Curve(np.array([-5.0, 5.0]), np.array([5.0, 5.0]), kind, name, head)
    return Chart("T", "distance", "value", (-5.5, 5.5), (0, 10), curves=(curve,))


def place(figure, size, head):
    """Where the level line of a head is: its middle column and row."""
    wanted = head_color(head, export_style()).getRgb()[:3]
    pixels = pixels_of(painted(figure, size, scale=1)).astype(int)
    is_line = np.abs(pixels - wanted).max(2) < 60
    rows = np.flatnonzero(is_line.sum(1) > 100)  # the samples of the legend are shorter
    return float(np.flatnonzero(is_line[rows[0]]).mean()), rows[0]


def test_wide_columns_stand_side_by_side_and_else_one_below_the_other(line):
    columns = [[chart("a", head=0)], [chart("b", head=1), chart("c", head=2)]]
    figure = ChartsFigure(columns)
    wide, narrow = QSizeF(40 * line, 20 * line), QSizeF(24 * line, 34 * line)
    first, second, third = (place(figure, wide, head) for head in range(3))
    assert first[0] < wide.width() / 2 < second[0] == pytest.approx(third[0], abs=2)
    assert second[1] < first[1] < third[1]
    first, second, third = (place(figure, narrow, head) for head in range(3))
    assert first[0] == pytest.approx(second[0], abs=2) == pytest.approx(third[0], abs=2)
    assert first[1] < second[1] < third[1]


def test_it_wants_as_much_height_as_its_charts_need(line):
    two = ChartsFigure([[chart()], [chart()]])
    one = ChartsFigure([[chart()]])
    narrow, wide = 24 * line, 40 * line
    assert two.height_for(narrow, export_style()) > 1.8 * one.height_for(narrow, export_style())
    assert two.height_for(wide, export_style()) < 1.2 * one.height_for(wide / 2, export_style())
    # Where it is too narrow to be read, it is made smaller as a whole.
    assert one.height_for(4 * line, export_style()) == pytest.approx(
        one.height_for(16 * line, export_style()) / 4
    )


def test_the_legend_says_each_thing_once_in_a_fixed_order():
    marked = Chart("T", "a", "b", (0, 1), (0, 1), marks=(Mark(0, "pair"),))
    figure = ChartsFigure([[marked, chart("many", "many")], [chart("head 1"), marked]])
    assert [(sample.kind, sample.name) for sample in figure.samples] == [
        ("main", "head 1"),
        ("many", "many"),
        ("mark", "pair"),
    ]


def test_a_long_legend_takes_more_lines_and_the_charts_less(line):
    names = [f"a curve with a long name {n}" for n in range(6)]
    many = ChartsFigure([[chart(name, head=n) for n, name in enumerate(names)]])
    few = ChartsFigure([[chart("a", head=0)] * 6])
    width = 30 * line
    assert many.height_for(width, export_style()) > few.height_for(width, export_style()) + 2 * line
