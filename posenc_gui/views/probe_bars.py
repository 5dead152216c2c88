"""A bar for each layer: how far something moved there."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from posenc_gui.figures.labels import visible
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of

_TOPS = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0)
_WIDEST = 46.0
_OTHERS_OPACITY = 0.55


def share_text(share: float) -> str:
    """A share as percent; rounding errors are 0."""
    percent = 100 * share
    if percent < 0.05:
        return "0 %"
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.1f} %"


class LayerBars(QWidget):
    """Bars with their values, those of the chosen layer stronger; a click chooses a layer.

    Args:
        title: What the bars show.
        explanation: How it is worked out.
    """

    layer_chosen = Signal(int)  # from 0

    def __init__(self, title: str, explanation: str) -> None:
        super().__init__()
        self._title, self._explanation = title, explanation
        self.values: tuple[float, ...] = ()
        self._names: tuple[str, ...] = ()
        self._layers: tuple[int | None, ...] = ()
        self._chosen: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_values((), (), ())

    def set_values(
        self, values: Sequence[float], names: Sequence[str], layers: Sequence[int | None]
    ) -> None:
        """Shows other bars.

        Args:
            values: Shares; 1 is 100 %.
            names: What stands below each bar.
            layers: Which layer each belongs to, from 0; ``None`` for none.
        """
        self.values, self._names, self._layers = tuple(values), tuple(names), tuple(layers)
        told = ", ".join(
            f"{name} {share_text(value)}" for name, value in zip(names, values, strict=True)
        )
        self.setAccessibleName(f"{self._title}: {told}" if told else self._title)
        self.update()

    def choose(self, layer: int) -> None:
        """Makes the bar of a layer stronger, without telling anybody."""
        self._chosen = layer
        self.update()

    @property
    def top(self) -> float:
        """What a bar of full height stands for."""
        largest = max(self.values, default=0.0)
        return next((top for top in _TOPS if largest <= top), max(largest, _TOPS[-1]))

    def sizeHint(self) -> QSize:
        return QSize(200, int(5.8 * QFontMetricsF(self.font()).height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def _area(self) -> QRectF:
        """Where the bars themselves are, from 0 to the top of the scale."""
        line = QFontMetricsF(self.font()).height()
        return QRectF(self.rect()).adjusted(8, 2.4 * line, -8, -1.3 * line)

    def bar_rect(self, index: int) -> QRectF:
        """Where a bar is."""
        area = self._area()
        pitch = area.width() / max(1, len(self.values))
        width = min(_WIDEST, pitch * 0.7)
        height = area.height() * min(1.0, self.values[index] / self.top)
        center = area.left() + (index + 0.5) * pitch
        return QRectF(center - width / 2, area.bottom() - height, width, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = colors_of(self.palette())
        metrics = QFontMetricsF(self.font())
        line = metrics.height()
        area = self._area()
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(colors.line), 1.0))
            painter.setBrush(QColor(colors.base))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            painter.setPen(QColor(colors.text))
            title = metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, area.width())
            self._write(
                painter, QPointF(self.rect().center().x(), line * 0.75), title, area.width()
            )
            painter.setPen(QPen(QColor(colors.muted), 1.0))
            painter.drawLine(area.bottomLeft(), area.bottomRight())
            pitch = area.width() / max(1, len(self.values))
            names = self._step(metrics, self._names, pitch)
            numbers = self._step(metrics, [share_text(value) for value in self.values], pitch)
            for index, value in enumerate(self.values):
                bar = self.bar_rect(index)
                is_chosen = self._layers[index] == self._chosen
                painter.setOpacity(1.0 if is_chosen else _OTHERS_OPACITY)
                painter.fillRect(bar, QColor(colors.accent))
                painter.setOpacity(1.0)
                center = bar.center().x()
                painter.setPen(QColor(colors.text if is_chosen else colors.muted))
                if index % names == 0:
                    below = QPointF(center, area.bottom() + line * 0.6)
                    self._write(painter, below, visible(self._names[index]), pitch * names)
                if index % numbers == 0:
                    above = QPointF(center, bar.top() - line * 0.5)
                    self._write(painter, above, share_text(value), pitch * numbers)

    @staticmethod
    def _step(metrics: QFontMetricsF, texts: Sequence[str], pitch: float) -> int:
        """Every how many bars there is room for a text."""
        widest = max((metrics.horizontalAdvance(text) for text in texts), default=0.0)
        return max(1, int(-(-(widest + 2) // max(pitch, 1.0))))

    def _write(self, painter: QPainter, center: QPointF, text: str, width: float) -> None:
        line = QFontMetricsF(self.font()).height()
        box = QRectF(center.x() - width / 2, center.y() - line / 2, width, line)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip
        painter.drawText(box, flags, text)

    def _at(self, position: QPointF) -> int | None:
        area = self._area()
        if not self.values or not area.left() <= position.x() < area.right():
            return None
        if position.y() < area.top() - 1.3 * QFontMetricsF(self.font()).height():
            return None
        return int((position.x() - area.left()) / area.width() * len(self.values))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._at(event.position())
        layer = None if index is None else self._layers[index]
        if layer is not None and event.button() == Qt.MouseButton.LeftButton:
            self.layer_chosen.emit(layer)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _tip(self, position: QPointF) -> str:
        index = self._at(position)
        if index is None:
            return self._explanation
        layer = self._layers[index]
        where = "Before layer 1" if layer is None else f"Layer {layer + 1}"
        return f"{where}: {share_text(self.values[index])}\n{self._explanation}"
