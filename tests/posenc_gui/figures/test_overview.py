"""All heads as one picture."""

import numpy as np
import pytest
from pictures import export_of, export_style, painted
from PySide6.QtCore import QSizeF

from posenc_gui.figures.make import make_figure
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.overview import OverviewFigure
from posenc_model.errors import PosencError

LOW, HIGH = "#440154", "#fde725"


def tile(value):
    return MatrixFigure(np.full((2, 2), value, np.float32), ("", ""), ("", ""))


def color_at(image, x, y):
    return image.pixelColor(int(x), int(y)).name()


@pytest.mark.parametrize("limit", [10**6, 0], ids=["rectangles", "images"])
def test_layers_go_down_and_heads_across(monkeypatch, limit):
    monkeypatch.setattr("posenc_gui.figures.overview.MAX_RECTANGLES", limit)
    values = [[0, 0, 1], [0, 0, 0]]
    figure = OverviewFigure([tile(v) for row in values for v in row], (0, 1), (0, 1, 2))
    style = export_style()
    height = figure.height_for(600, style)
    image = painted(figure, QSizeF(600, height), scale=1.0)
    left, right = figure._sides(style)
    above = figure._above(22)
    pitch = (600 - left - right) / 3
    for row in range(2):
        for column in range(3):
            found = color_at(image, left + (column + 0.4) * pitch, above + (row + 0.4) * pitch + 4)
            assert found == (HIGH if values[row][column] else LOW)


def test_it_shows_the_weights_of_every_chosen_head():
    export = export_of("one two three four", layers=(1,), heads=None, view="overview")
    figure = make_figure(export)
    assert (figure.layers, figure.heads) == ((1,), (0, 1))
    for head, matrix in enumerate(figure.matrices):
        assert np.array_equal(matrix.matrix, export.result.weights(1, head))
        assert matrix.levels == (0.0, 1.0)
    assert figure.title == "t5, random · layer 2 · all 2 heads"


def test_long_texts_are_reduced_to_the_largest_of_each_block():
    text = " ".join(f"w{i}" for i in range(70))
    export = export_of(text, layers=(0,), heads=(1,), view="overview")
    figure = make_figure(export)
    weights = export.result.weights(0, 1)
    assert figure.matrices[0].matrix.shape == (35, 35)
    assert figure.matrices[0].matrix[3, 5] == weights[6:8, 10:12].max()
    assert "each cell the largest of 2 × 2" in figure.caption
    chosen = make_figure(
        export_of(text, layers=(0,), heads=(1,), view="overview", tokens=tuple(range(70)))
    )
    assert chosen.matrices[0].matrix.shape == (70, 70)


def test_a_head_that_is_not_there_is_said():
    with pytest.raises(PosencError, match="head is 3, but has to be from 1 to 2"):
        make_figure(export_of(heads=(2,), view="overview"))
