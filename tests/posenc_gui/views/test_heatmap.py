"""The heat map alone, with matrices made by hand: right way up, hover, masked cells."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QMainWindow

from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.views.heatmap import HeatmapPlot

LOW, HIGH = QColor("#440154"), QColor("#fde725")  # the ends of viridis, as published


def near(color, other):
    return max(abs(a - b) for a, b in zip(color.getRgb()[:3], other.getRgb()[:3], strict=True)) <= 3


@pytest.fixture
def plot(qtbot):
    # In a window, as in the program: pyqtgraph's close() takes a view that stands alone apart.
    window = QMainWindow()
    qtbot.addWidget(window)
    plot = HeatmapPlot()
    window.setCentralWidget(plot)
    window.resize(600, 500)
    window.show()
    yield plot  # noqa: PT022 - while this waits, the window lives


@pytest.fixture
def one_cell():
    """Case 2: only A[0, 2] = 1 in a 3×5 matrix."""
    matrix = np.zeros((3, 5), dtype=np.float32)
    matrix[0, 2] = 1
    return MatrixFigure(
        matrix,
        tuple(f"query {i}" for i in range(1, 4)),
        tuple(f"key {i}" for i in range(1, 6)),
    )


def test_one_cell_is_in_its_row_and_column(plot, one_cell):
    plot.show_figure(one_cell, one_cell.matrix)
    image = plot.grab().toImage()
    cells = plot.layout_now.cells
    bright = [
        (x, y)
        for x in range(int(cells.left()), int(cells.right()))
        for y in range(int(cells.top()), int(cells.bottom()))
        if near(image.pixelColor(x, y), HIGH)
    ]
    xs, ys = [x for x, _ in bright], [y for _, y in bright]
    width, height = cells.width() / 5, cells.height() / 3
    assert min(xs) == pytest.approx(cells.left() + 2 * width, abs=1.5)
    assert max(xs) == pytest.approx(cells.left() + 3 * width, abs=1.5)
    assert min(ys) == pytest.approx(cells.top(), abs=1.5)
    assert max(ys) == pytest.approx(cells.top() + height, abs=1.5)
    assert width == pytest.approx(height)
    for row in range(3):
        for column in range(5):
            color = image.pixelColor(plot.layout_now.cell_rect(row, column).center().toPoint())
            assert near(color, HIGH if (row, column) == (0, 2) else LOW)


def test_hover_agrees_with_the_array(qtbot, plot, one_cell, hover):
    plot.show_figure(one_cell, one_cell.matrix)
    cells = plot.layout_now.cells
    for row in range(3):
        for column in range(5):
            point = QPointF(
                cells.left() + (column + 0.3) * cells.width() / 5,
                cells.top() + (row + 0.7) * cells.height() / 3,
            )
            with qtbot.waitSignal(plot.cell_marked) as marked:
                hover(plot.viewport(), point)
            assert marked.args == [(row, column)]
    with qtbot.waitSignal(plot.cell_marked) as marked:
        hover(plot.viewport(), QPointF(cells.left() - 3, cells.center().y()))
    assert marked.args == [None]


def test_tips_name_query_and_key(plot, one_cell):
    plot.show_figure(one_cell, one_cell.matrix)
    cells = plot.layout_now.cells
    left = QPointF(cells.left() - 10, cells.top() + cells.height() * 0.9)
    above = QPointF(cells.left() + cells.width() * 0.5, cells.top() - 8)
    assert plot.tip_at(left) == "Query 3:\nquery 3"
    assert plot.tip_at(above) == "Key 3:\nkey 3"
    assert plot.tip_at(cells.center()) == ""
    assert plot.tip_at(QPointF(1, 1)) == ""


def test_masked_cells(plot):
    """Case 3: no colour of the scale for what is masked, the rest as ever."""
    nan = np.nan
    matrix = np.array([[0.0, 1.0, nan], [nan, nan, nan], [1.0, 0.0, 0.5]], dtype=np.float32)
    figure = MatrixFigure(matrix, ("a", "b", "c"), ("a", "b", "c"))
    plot.show_figure(figure, matrix)
    image = plot.grab().toImage()
    middle = QColor("#21918c")  # viridis at 0.5
    expected = [[LOW, HIGH, None], [None] * 3, [HIGH, LOW, middle]]
    for row in range(3):
        for column in range(3):
            point = plot.layout_now.cell_rect(row, column).center() + QPointF(0, 9)
            color = image.pixelColor(point.toPoint())
            wanted = expected[row][column]
            if wanted is None:
                assert near(color, QColor("#cfd4dc"))  # the grey of pictures, not a weight's
            else:
                assert near(color, wanted)


def test_constant_matrices_are_drawn_on_the_given_scale(plot):
    for value, wanted in ((0.0, LOW), (1.0, HIGH)):
        matrix = np.full((4, 4), value, dtype=np.float32)
        plot.show_figure(MatrixFigure(matrix, "abcd", "abcd"), matrix)
        image = plot.grab().toImage()
        center = plot.layout_now.cell_rect(1, 2).center()
        assert near(image.pixelColor(center.toPoint()), wanted)
        assert tuple(plot.image.levels) == (0.0, 1.0)


def test_another_shape_forgets_zoom_and_mark(plot, one_cell):
    plot.show_figure(one_cell, one_cell.matrix)
    plot.mark((2, 4))
    small = np.eye(2, dtype=np.float32)
    plot.show_figure(MatrixFigure(small, "ab", "ab"), small)
    assert plot.marked is None
    assert plot.layout_now.visible_columns == pytest.approx((0, 2))
    image = plot.grab().toImage()
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        color = image.pixelColor(plot.layout_now.cell_rect(row, column).center().toPoint())
        assert near(color, HIGH if row == column else LOW)


def test_nothing(plot, one_cell):
    plot.show_figure(one_cell, one_cell.matrix)
    plot.show_nothing()
    image = plot.grab().toImage()
    colors = {image.pixel(x, y) for x in range(0, 600, 7) for y in range(0, 500, 7)}
    assert len(colors) == 1
    assert plot.tip_at(QPointF(100, 100)) == ""


def test_cells_stay_square_and_inside_at_any_size(plot, one_cell):
    for width, height in ((600, 500), (300, 700), (900, 260)):
        plot.window().resize(width, height)
        QApplication.processEvents()
        assert (plot.width(), plot.height()) == (width, height)
        plot.show_figure(one_cell, one_cell.matrix)
        cells, bar = plot.layout_now.cells, plot.layout_now.bar
        assert cells.width() / 5 == pytest.approx(cells.height() / 3)
        assert cells.left() >= 0
        assert cells.top() >= 0
        assert cells.bottom() <= height
        assert bar.right() <= width
        assert bar.left() > cells.right()
