"""The picture of a matrix, drawn from arrays made by hand."""

import numpy as np
import pytest
from pictures import SIZE, export_font, export_style, painted
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor

from posenc_gui.figures import cells
from posenc_gui.figures import matrix as drawing
from posenc_gui.figures.matrix import MatrixFigure, layout_matrix

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
    layout = layout_matrix(shown, SIZE, export_font())
    queries, keys = shown.matrix.shape
    cells, scale = layout.cells, image.width() / SIZE.width()
    x = cells.left() + (column + dx) * cells.width() / keys
    y = cells.top() + (row + dy) * cells.height() / queries
    return image.pixelColor(int(x * scale), int(y * scale))


def test_one_cell_is_in_its_row_and_column():
    """Case 2, in a file."""
    shown = figure([[0, 0, 1, 0, 0], [0] * 5, [0] * 5])
    image = painted(shown)
    for row in range(3):
        for column in range(5):
            wanted = HIGH if (row, column) == (0, 2) else LOW
            assert near(color_at(image, shown, row, column), wanted)


@pytest.mark.parametrize("most", [150 * 150, 0], ids=["rectangles", "one image"])
def test_masked_cells(monkeypatch, most):
    """Case 3: masked cells look like no weight at all, the others as ever."""
    monkeypatch.setattr(cells, "MAX_RECTANGLES", most)
    shown = figure([[0, 1, nan], [nan, nan, nan], [1, 0, 0.5]])
    image = painted(shown)
    expected = [[LOW, HIGH, MASKED], [MASKED] * 3, [HIGH, LOW, MIDDLE]]
    for row in range(3):
        for column in range(3):
            assert near(color_at(image, shown, row, column, 0.25, 0.25), expected[row][column])


def test_masked_cells_do_not_change_the_scale():
    shown = figure([[0.5, nan], [0.5, 0.5]])
    assert near(color_at(painted(shown), shown, 0, 0), MIDDLE)


@pytest.mark.parametrize(("value", "wanted"), [(0.0, LOW), (0.5, MIDDLE), (1.0, HIGH)])
def test_constant_matrix(value, wanted):
    shown = figure(np.full((2, 2), value))
    assert near(color_at(painted(shown), shown, 1, 0), wanted)


def test_one_image_is_the_same_picture(monkeypatch):
    values = np.linspace(0, 1, 36).reshape(6, 6)
    shown = figure(values)
    crisp = painted(shown)
    monkeypatch.setattr(cells, "MAX_RECTANGLES", 0)
    enlarged = painted(shown)
    for row in range(6):
        for column in range(6):
            for place in (0.1, 0.5, 0.9):
                one = color_at(crisp, shown, row, column, place, place)
                assert near(one, color_at(enlarged, shown, row, column, place, place))


def test_values_outside_the_levels_get_an_end_of_the_scale():
    shown = figure([[0.0, 0.2], [0.4, 1.0]], levels=(0.1, 0.4))
    image = painted(shown)
    assert near(color_at(image, shown, 0, 0), LOW)
    assert near(color_at(image, shown, 1, 0), HIGH)
    assert near(color_at(image, shown, 1, 1), HIGH)


def test_colour_bar_runs_from_low_to_high():
    shown = figure([[0.3]])
    image = painted(shown)
    bar = layout_matrix(shown, SIZE, export_font()).bar
    scale = image.width() / SIZE.width()
    x = int(bar.center().x() * scale)
    assert near(image.pixelColor(x, int((bar.top() + 2) * scale)), HIGH)
    assert near(image.pixelColor(x, int((bar.bottom() - 2) * scale)), LOW)


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (3, 5), (12, 12), (40, 7), (1200, 1200)])
@pytest.mark.parametrize("size", [(900, 800), (420, 330)], ids=str)
def test_everything_has_its_place(queries, keys, size):
    shown = figure(np.zeros((queries, keys)), title="title")
    layout = layout_matrix(shown, QSizeF(*size), export_font())
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


def ink_of(image, shown, row, column):
    """The colours in the middle of a cell, where its number stands."""
    places = [0.5 + i / 400 for i in range(-16, 17)]
    return {color_at(image, shown, row, column, x, y).name() for x in places for y in places}


def test_numbers_stand_in_cells_in_ink_that_can_be_read():
    shown = figure([[0.0, 1.0], [0.5, 0.25]], numbers=True)
    image = painted(shown)
    assert "#ffffff" in ink_of(image, shown, 0, 0)  # white on the dark end
    assert "#000000" in ink_of(image, shown, 0, 1)  # black on the bright one
    plain = painted(figure([[0.0, 1.0], [0.5, 0.25]]))
    assert len(ink_of(plain, shown, 0, 0)) == 1


def test_numbers_that_do_not_fit_are_left_out():
    values = np.full((60, 60), 0.5)
    assert painted(figure(values, numbers=True)) == painted(figure(values))


def test_words_above_are_turned_or_level_as_wanted():
    shown = figure(np.zeros((3, 3)))
    assert not layout_matrix(shown, SIZE, export_font()).columns.turned
    turned = layout_matrix(figure(np.zeros((3, 3)), labels="turned"), SIZE, export_font())
    assert turned.columns.turned
    assert turned.columns.step == 1
    many = figure(np.zeros((80, 80)), labels="level")
    level = layout_matrix(many, SIZE, export_font()).columns
    assert not level.turned
    assert level.step > 1


def test_without_a_bar_the_cells_have_its_room():
    shown, bare = figure(np.zeros((9, 20))), figure(np.zeros((9, 20)), color_bar=False)
    with_bar = layout_matrix(shown, SIZE, export_font())
    without = layout_matrix(bare, SIZE, export_font())
    assert without.cells.width() > with_bar.cells.width()
    image = painted(bare, scale=1.0)
    x = int(with_bar.bar.center().x())
    assert image.pixelColor(x, int(with_bar.bar.top()) + 2) not in (HIGH,)


@pytest.mark.parametrize("count", [1, 3, 12, 60])
@pytest.mark.parametrize("width", [320.0, 900.0])
def test_a_picture_as_high_as_it_wants_to_be_is_full(count, width):
    """The cells are as large as the width allows, and no band is left above or below."""
    shown = figure(np.zeros((count, count)))
    height = shown.height_for(width, export_style())
    layout = layout_matrix(shown, QSizeF(width, height), export_font())
    roomy = layout_matrix(shown, QSizeF(width, 2 * height), export_font())
    assert layout.cells.width() == roomy.cells.width()
    assert height - layout.cells.bottom() < 2 * 22


def test_tiles_have_words_only_where_there_is_room():
    font = export_font()
    few, many = figure(np.zeros((3, 3)), is_tile=True), figure(np.zeros((30, 30)), is_tile=True)
    assert layout_matrix(few, QSizeF(150, 150), font).rows.room > 0
    layout = layout_matrix(many, QSizeF(150, 150), font)
    assert layout.rows.room == layout.columns.room == 0
    assert layout.cells.width() > 110
    large = layout_matrix(many, QSizeF(260, 260), font)
    assert large.rows.step > 1
    assert large.rows.room > 0


def test_what_is_crossed_out_is_said_to_be_masked():
    shown = figure([[0.5, nan], [0.5, 0.5]])
    layout = layout_matrix(shown, SIZE, export_font())
    whole = layout_matrix(figure(np.full((2, 2), 0.5)), SIZE, export_font())
    assert layout.bar.top() > whole.bar.top()
    image, scale = painted(shown), 2
    x, y = layout.bar.left() + 3, layout.cells.top() + 3
    assert near(image.pixelColor(int(x * scale), int(y * scale)), MASKED)
