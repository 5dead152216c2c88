"""A small question mark that asks for an explanation."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from posenc_gui.painting import painting
from posenc_gui.theme import colors_of

TOPIC = "explanation"
"""The property of a widget that names the text about it, for F1."""


class HelpButton(QAbstractButton):
    """Asks for one text. The keyboard has F1 instead, so that fields stay one Tab apart.

    Args:
        topic: Which text; empty where whoever listens knows.
        about: What it explains, for the tool tip.
    """

    asked = Signal(str)

    def __init__(self, topic: str, about: str) -> None:
        super().__init__()
        self.topic = topic
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(f"Explains {about} (F1)")
        self.setAccessibleName(f"Explain {about}")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.asked.emit(self.topic)

    def event(self, event: QEvent) -> bool:
        # A setting that has no effect now can be asked about all the same.
        if event.type() == QEvent.Type.MouseButtonRelease and not self.isEnabled():
            self._on_clicked()
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        side = self.fontMetrics().height()
        return QSize(side, side)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = colors_of(self.palette())
        is_hot = self.underMouse() or self.isDown()
        side = min(self.width(), self.height()) - 3.0
        circle = QRectF(0, 0, side, side)
        circle.moveCenter(QRectF(self.rect()).center())
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 0.8)
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(colors.accent if is_hot else colors.muted), 1.0))
            painter.setBrush(QColor(colors.accent) if is_hot else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(circle)
            painter.setFont(font)
            painter.setPen(QColor(colors.on_accent if is_hot else colors.muted))
            painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, "?")
