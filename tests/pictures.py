"""What tests of pictures share: figures painted and pages written, at sizes that can be checked."""

import numpy as np
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont, QImage

from posenc_gui.figures.page import Page
from posenc_gui.figures.style import Style
from posenc_gui.fonts import figure_font
from posenc_gui.painting import painting
from posenc_model.exporters import Export
from posenc_model.exporters.look import Look
from posenc_model.exporters.spec import Spec
from posenc_model.request import RunRequest
from posenc_model.run import run
from posenc_model.settings import Settings

SIZE = QSizeF(900, 800)
# With type of 12 points, a unit of a picture is a 96th of an inch.
LOOK = Look(width_mm=900 / 96 * 25.4, height_mm=800 / 96 * 25.4, font_size=12, dpi=96)
SMALL = {"num_layers": 2, "num_heads": 2, "width": 8}


def export_style() -> Style:
    """The style of exported pictures."""
    return Style(figure_font("Noto Sans"))


def export_font() -> QFont:
    """Their type."""
    return export_style().font


def painted(figure, size=SIZE, scale=2.0, margin=0):
    """A figure on its ground, with a margin of ground around the area that it may paint on."""
    style = export_style()
    pixels = (size + QSizeF(2 * margin, 2 * margin)) * scale
    image = QImage(int(pixels.width()), int(pixels.height()), QImage.Format.Format_RGB32)
    image.fill(style.background)
    with painting(image) as painter:
        painter.scale(scale, scale)
        painter.translate(margin, margin)
        figure.paint(painter, size, style)
    return image


def pixels_of(image):
    """The colours of an image, [height, width, 3]."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def page_of(figure, look=LOOK):
    """A figure as a page."""
    return Page(figure, look)


def export_of(
    text="one two three", name="picture.svg", settings=None, look=None, small=True, **spec
):
    """An export, of a small encoder with random weights unless told otherwise."""
    chosen = {**(SMALL if small else {}), **(settings or {})}
    result = run(RunRequest(0, text, Settings.of(chosen)))
    return Export((result,), Spec(**spec), look or Look(dpi=72), name)
