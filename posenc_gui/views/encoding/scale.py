"""What the colours of an image mean, in one line."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.figures.colormaps import SIGNED_COLOR_MAP, color_of
from posenc_gui.figures.matrix import Style
from posenc_gui.painting import painting
from posenc_gui.theme import picture_style

_MOST_WIDTH = 160.0
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def paint_scale(painter: QPainter, rect: QRectF, name: str, largest: float, style: Style) -> None:
    """Paints name, lower end, colours and upper end of a scale from −largest to largest."""
    metrics = QFontMetricsF(style.font)
    gap = 0.4 * metrics.height()
    low, high = f"−{largest:.2g}", f"+{largest:.2g}"
    x = rect.left()
    painter.setFont(style.font)
    painter.setPen(style.muted)
    for text in (name, low):
        width = metrics.horizontalAdvance(text)
        painter.drawText(QRectF(x, rect.top(), width + 2, rect.height()), _LEFT, text)
        x += width + gap
    room = rect.right() - x - gap - metrics.horizontalAdvance(high)
    bar = QRectF(x, 0, max(10.0, min(_MOST_WIDTH, room)), 0.7 * metrics.height())
    bar.moveTop(rect.center().y() - bar.height() / 2)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for step in range(33):
        share = step / 32
        gradient.setColorAt(share, color_of(2 * share - 1, (-1.0, 1.0), SIGNED_COLOR_MAP))
    painter.fillRect(bar, gradient)
    painter.drawRect(bar)
    painter.drawText(QRectF(bar.right() + gap, rect.top(), 200, rect.height()), _LEFT, high)


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
            paint_scale(painter, QRectF(self.rect()), self._name, self.largest, style)
