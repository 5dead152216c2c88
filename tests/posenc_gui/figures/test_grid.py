"""Several heads as one picture."""

import numpy as np
import pytest
from pictures import export_of, export_style, painted
from PySide6.QtCore import QSizeF

from posenc_gui.figures.grid import GridFigure
from posenc_gui.figures.make import make_figure
from posenc_gui.figures.matrix import MatrixFigure

LOW, HIGH = "#440154", "#fde725"


def tile(value, count=2):
    words = ("a",) * count
    return MatrixFigure(np.full((count, count), value, np.float32), words, words, is_tile=True)


def colors_of(image, color):
    """Where a colour is: pixels as an array of (y, x)."""
    width, height = image.width(), image.height()
    view = np.frombuffer(image.constBits(), np.uint8).reshape(height, -1, 4)[:, :width, :3]
    wanted = [int(color[i : i + 2], 16) for i in (5, 3, 1)]
    return np.argwhere((view == wanted).all(2))


def test_figures_stand_in_rows_in_their_order():
    names = [(f"{i}",) for i in range(4)]
    grid = GridFigure([tile(0.0), tile(0.0), tile(0.0), tile(1.0)], names, columns=2)
    image = painted(grid, QSizeF(400, 440), scale=1.0)
    bright = colors_of(image, HIGH)
    assert bright[:, 0].min() > 220  # the fourth of a 2 × 2 grid: lower half, right half
    assert bright[:, 1].min() > 200
    dark = colors_of(image, LOW)
    assert dark[:, 0].min() < 110
    assert dark[:, 1].min() < 110


@pytest.mark.parametrize(
    ("size", "columns"), [((900, 300), 3), ((300, 900), 1), ((500, 500), 2)], ids=str
)
def test_as_many_columns_as_make_the_pictures_largest(size, columns):
    grid = GridFigure([tile(0.0)] * 3, [("x",)] * 3)
    assert grid._columns_for(*size) == columns


def test_names_that_do_not_fit_are_shorter_ones():
    names = [("a name that is far too long for this", "L1 H1")] * 2
    grid = GridFigure([tile(0.0)] * 2, names, columns=2)
    from PySide6.QtGui import QFontMetricsF

    metrics = QFontMetricsF(export_style().font)
    assert grid._fitting_names(600.0, metrics)[0].startswith("a name")
    assert grid._fitting_names(80.0, metrics) == ["L1 H1"] * 2
    assert grid._fitting_names(20.0, metrics)[0].endswith("…")


def test_heads_share_one_scale():
    figure = make_figure(export_of(layers=None, heads=None, matrix="scores"))
    assert isinstance(figure, GridFigure)
    assert len({f.levels for f in figure.figures}) == 1
    largest = max(float(np.abs(f.matrix).max()) for f in figure.figures)
    assert figure.figures[0].levels == pytest.approx((-largest, largest))
    assert figure.columns == 2
    assert [names[0] for names in figure.names] == [
        "layer 1, head 1",
        "layer 1, head 2",
        "layer 2, head 1",
        "layer 2, head 2",
    ]


def test_one_head_is_no_grid():
    figure = make_figure(export_of(layers=(1,), heads=(-1,)))
    assert isinstance(figure, MatrixFigure)
    assert figure.title == "t5, random · layer 2 · mean over heads"


def test_the_title_says_which_heads():
    assert make_figure(export_of(layers=(1,), heads=None)).title == (
        "t5, random · layer 2 · all 2 heads"
    )
    assert make_figure(export_of(layers=None, heads=(1,), matrix="content")).title == (
        "t5, random · all 2 layers · head 2 · content only"
    )
