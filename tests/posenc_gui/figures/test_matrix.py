"""The picture of a matrix, drawn from arrays made by hand."""

import numpy as np
import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor

from posenc_gui.figures import matrix as drawing
from posenc_gui.figures.exporters import SIZE, export_style, figure_image
from posenc_gui.figures.matrix import MatrixFigure, layout_matrix, round_ticks

LOW, MIDDLE, HIGH = QColor("#440154"), QColor("#21918c"), QColor("#fde725")  # viridis
MASKED = QColor("#d5d9df")
nan = np.nan


def near(color, other):
    return max(abs(a - b) for a, b in zip(color.getRgb()[:3], other.getRgb()[:3], strict=True)) <= 3


def figure(values, **changes):
    matrix = np.array(values, dtype=np.float32)
    queries, keys = matrix.shape
    return MatrixFigure(
        matrix,
        tuple(f"query {i + 1}" for i in range(queries)),
        tuple(f"key {i + 1}" for i in range(keys)),
        **changes,
    )


def color_at(image, shown, row, column, dx=0.5, dy=0.5):
    """The colour at a place in a cell, where the cell is by plain arithmetic."""
    layout = layout_matrix(shown, SIZE, export_style().font)
    queries, keys = shown.matrix.shape
    cells, scale = layout.cells, image.width() / SIZE.width()
    x = cells.left() + (column + dx) * cells.width() / keys
    y = cells.top() + (row + dy) * cells.height() / queries
    return image.pixelColor(int(x * scale), int(y * scale))


def test_one_cell_is_in_its_row_and_column():
    """Case 2, in a file."""
    shown = figure([[0, 0, 1, 0, 0], [0] * 5, [0] * 5])
    image = figure_image(shown)
    for row in range(3):
        for column in range(5):
            wanted = HIGH if (row, column) == (0, 2) else LOW
            assert near(color_at(image, shown, row, column), wanted)


@pytest.mark.parametrize("most", [150 * 150, 0], ids=["rectangles", "one image"])
def test_masked_cells(monkeypatch, most):
    """Case 3: masked cells look like no weight at all, the others as ever."""
    monkeypatch.setattr(drawing, "MAX_RECTANGLES", most)
    shown = figure([[0, 1, nan], [nan, nan, nan], [1, 0, 0.5]])
    image = figure_image(shown)
    expected = [[LOW, HIGH, MASKED], [MASKED] * 3, [HIGH, LOW, MIDDLE]]
    for row in range(3):
        for column in range(3):
            assert near(color_at(image, shown, row, column, 0.25, 0.25), expected[row][column])


def test_masked_cells_do_not_change_the_scale():
    shown = figure([[0.5, nan], [0.5, 0.5]])
    assert near(color_at(figure_image(shown), shown, 0, 0), MIDDLE)


@pytest.mark.parametrize(("value", "wanted"), [(0.0, LOW), (0.5, MIDDLE), (1.0, HIGH)])
def test_constant_matrix(value, wanted):
    shown = figure(np.full((2, 2), value))
    assert near(color_at(figure_image(shown), shown, 1, 0), wanted)


def test_one_image_is_the_same_picture(monkeypatch):
    values = np.linspace(0, 1, 36).reshape(6, 6)
    shown = figure(values)
    crisp = figure_image(shown)
    monkeypatch.setattr(drawing, "MAX_RECTANGLES", 0)
    enlarged = figure_image(shown)
    for row in range(6):
        for column in range(6):
            for place in (0.1, 0.5, 0.9):
                one = color_at(crisp, shown, row, column, place, place)
                assert near(one, color_at(enlarged, shown, row, column, place, place))


def test_values_outside_the_levels_get_an_end_of_the_scale():
    shown = figure([[0.0, 0.2], [0.4, 1.0]], levels=(0.1, 0.4))
    image = figure_image(shown)
    assert near(color_at(image, shown, 0, 0), LOW)
    assert near(color_at(image, shown, 1, 0), HIGH)
    assert near(color_at(image, shown, 1, 1), HIGH)


def test_colour_bar_runs_from_low_to_high():
    shown = figure([[0.3]])
    image = figure_image(shown)
    bar = layout_matrix(shown, SIZE, export_style().font).bar
    scale = image.width() / SIZE.width()
    x = int(bar.center().x() * scale)
    assert near(image.pixelColor(x, int((bar.top() + 2) * scale)), HIGH)
    assert near(image.pixelColor(x, int((bar.bottom() - 2) * scale)), LOW)


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (3, 5), (12, 12), (40, 7), (1200, 1200)])
@pytest.mark.parametrize("size", [(900, 800), (420, 330)], ids=str)
def test_everything_has_its_place(queries, keys, size):
    shown = figure(np.zeros((queries, keys)), title="title")
    layout = layout_matrix(shown, QSizeF(*size), export_style().font)
    cells = layout.cells
    assert cells.width() / keys == pytest.approx(cells.height() / queries)
    assert 0 <= cells.left() < cells.right() < layout.bar.left()
    assert 0 <= cells.top() < cells.bottom() <= size[1]
    assert layout.bar.right() < size[0]
    if cells.width() / keys >= 4:
        for i in range(keys):
            edge = cells.left() + i * cells.width() / keys
            assert edge == round(edge)


def test_unknown_words_are_marked_in_the_labels():
    shown = figure([[0.5, 0.5], [0.5, 0.5]], unknown_queries=frozenset({1}))
    assert drawing._labels(shown, 0) == ["query 1", "query 2 (unknown)"]
    assert drawing._labels(shown, 1) == ["key 1", "key 2"]


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 1, 9, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 1, 2, [0, 0.5, 1]),
        (0, 0.71, 9, [0, 0.2, 0.4, 0.6]),
        (0, 0.043, 9, [0, 0.01, 0.02, 0.03, 0.04]),
        (-0.5, 0.5, 4, [-0.5, -0.25, 0, 0.25, 0.5]),
    ],
)
def test_the_scale_has_round_ticks(low, high, most, expected):
    assert round_ticks(low, high, most) == pytest.approx(expected)
