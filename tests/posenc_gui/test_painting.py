"""Painting that raises."""

import pytest
from pictures import page_of
from PySide6.QtGui import QImage

from posenc_gui.figures import exporters
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.painting import painting


def test_a_painter_is_ended_where_painting_raises():
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    with pytest.raises(ZeroDivisionError), painting(image):
        1 / 0  # noqa: B018
    assert not image.paintingActive()


@pytest.mark.parametrize(
    "render",
    [exporters.render_png, exporters.render_svg, exporters.render_pdf, exporters.render_tiff],
)
def test_a_picture_that_cannot_be_painted_is_an_error_and_no_abort(render):
    figure = MatrixFigure([[0.0]], ["a"], ["a"])  # a list has no shape
    with pytest.raises(AttributeError):
        render(page_of(figure), "{}")
