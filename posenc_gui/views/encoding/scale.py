"""What the colours of an image mean, in one line."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.figures.chart import paint_scale
from posenc_gui.painting import painting
from posenc_gui.theme import picture_style


class ColorScale(QWidget):
    """The scale of a signed image.

    Args:
        name: What the numbers are.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.largest = 1.0
        self.setMinimumHeight(self.fontMetrics().height() + 4)
        self.setAccessibleName(f"Colours: {name}")

    def show_largest(self, largest: float) -> None:
        """Sets the ends of the scale, −largest and largest."""
        self.largest = largest
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        style = picture_style(self.palette(), self.font())
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            levels = (-self.largest, self.largest)
            paint_scale(painter, QRectF(self.rect()), self._name, levels, style)
