"""All layers × heads at once: one small picture each, to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from posenc_gui.figures.colormaps import color_image
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of
from posenc_gui.views.base import ARROW_STEPS

if TYPE_CHECKING:
    from posenc_model.overview import Overview

_GAP = 3.0


class OverviewMosaic(QWidget):
    """Layers downwards, heads across; all small pictures are one image."""

    head_chosen = Signal(int, int)  # layer and head, from 0

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("All layers and heads: arrow keys choose one")
        self._image: QImage | None = None
        self._tile_pixels = 1
        self._layers = self._heads = 0
        self._chosen: tuple[int, int] | None = None
        self._is_old = False

    def show_overview(
        self, overview: Overview, levels: tuple[float, float], color_map: str
    ) -> None:
        """Shows the largest weight of each cell, so that nothing strong gets lost."""
        layers, heads, m, _ = overview.maximum.shape
        mosaic = np.ascontiguousarray(overview.maximum.transpose(0, 2, 1, 3))
        self._image = color_image(mosaic.reshape(layers * m, heads * m), levels, color_map)
        self._tile_pixels, self._layers, self._heads = m, layers, heads
        self.update()

    def show_nothing(self) -> None:
        self._image = None
        self._layers = self._heads = 0
        self.update()

    def set_old(self, is_old: bool) -> None:
        """Marks the pictures as those of an earlier text or setting."""
        self._is_old = is_old
        self.update()

    def choose(self, layer: int, head: int) -> None:
        """Frames the picture of a head; a negative head frames the whole layer."""
        self._chosen = (layer, head)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, 420)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 120)

    def tile_rect(self, layer: int, head: int) -> QRectF:
        """Where the picture of a head is."""
        origin, side = self._geometry()
        step = side + _GAP
        return QRectF(origin.x() + head * step, origin.y() + layer * step, side, side)

    def _geometry(self) -> tuple[QPointF, float]:
        metrics = QFontMetricsF(self.font())
        left = metrics.horizontalAdvance("00") + metrics.height() * 1.6
        top = metrics.height() * 2.6
        width = (self.width() - left - 4) / max(1, self._heads) - _GAP
        height = (self.height() - top - 4) / max(1, self._layers) - _GAP
        return QPointF(left, top), max(2.0, float(int(min(width, height, 160.0))))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image is not None:
            with painting(self) as painter:
                self._paint(painter, self._image)

    def _paint(self, painter: QPainter, image: QImage) -> None:
        colors = colors_of(self.palette())
        m = self._tile_pixels
        side = self.tile_rect(0, 0).width()
        # Reduced without smoothing, whole rows would vanish; enlarged with it, cells would blur.
        is_reduced = side * self.devicePixelRatioF() < m
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_reduced)
        for layer in range(self._layers):
            for head in range(self._heads):
                source = QRectF(head * m, layer * m, m, m)
                painter.drawImage(self.tile_rect(layer, head), image, source)
        if self._is_old:
            veil = self.palette().window().color()
            veil.setAlphaF(0.75)
            corner = self.tile_rect(self._layers - 1, self._heads - 1)
            painter.fillRect(self.tile_rect(0, 0).united(corner), veil)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 1.5))
            painter.drawRect(self.rect().adjusted(1, 1, -2, -2))
        self._paint_names(painter, side)
        if self._chosen is not None and self._chosen[0] < self._layers:
            layer, head = self._chosen
            first, last = (head, head) if head >= 0 else (0, self._heads - 1)
            frame = self.tile_rect(layer, first).united(self.tile_rect(layer, last))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(colors.accent), 2.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame.adjusted(-2, -2, 2, 2), 2, 2)

    def _paint_names(self, painter: QPainter, side: float) -> None:
        colors = colors_of(self.palette())
        metrics = QFontMetricsF(self.font())
        line = metrics.height()
        first = self.tile_rect(0, 0)
        last = self.tile_rect(self._layers - 1, self._heads - 1)
        painter.setPen(QColor(colors.muted))
        center = Qt.AlignmentFlag.AlignCenter
        across = QRectF(first.left(), first.top() - 2.4 * line, last.right() - first.left(), line)
        painter.drawText(across, center, "head")
        painter.save()
        painter.translate(line * 0.7, (first.top() + last.bottom()) / 2)
        painter.rotate(-90)
        painter.drawText(QRectF(-60, -line / 2, 120, line), center, "layer")
        painter.restore()
        painter.setPen(QColor(colors.text))
        across_step = max(1, int(np.ceil(metrics.horizontalAdvance("00") / (side + _GAP))))
        for head in range(0, self._heads, across_step):
            rect = self.tile_rect(0, head)
            box = QRectF(rect.center().x() - 20, rect.top() - 1.3 * line, 40, line)
            painter.drawText(box, center, str(head + 1))
        down_step = max(1, int(np.ceil(0.9 * line / (side + _GAP))))
        for layer in range(0, self._layers, down_step):
            rect = self.tile_rect(layer, 0)
            box = QRectF(0, rect.center().y() - line / 2, rect.left() - 5, line)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, right, str(layer + 1))

    def _at(self, position: QPointF) -> tuple[int, int] | None:
        if self._image is None:
            return None
        origin, side = self._geometry()
        column = int((position.x() - origin.x()) // (side + _GAP))
        row = int((position.y() - origin.y()) // (side + _GAP))
        if 0 <= row < self._layers and 0 <= column < self._heads:
            return row, column
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        tile = self._at(event.position())
        if tile is not None:
            self.head_chosen.emit(*tile)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in ARROW_STEPS and self._chosen is not None and self._layers:
            down, right = ARROW_STEPS[key]
            layer = max(0, min(self._chosen[0] + down, self._layers - 1))
            head = max(0, min(self._chosen[1] + right, self._heads - 1))
            self.head_chosen.emit(layer, head)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tile = self._at(QPointF(event.pos()))
            if tile is not None:
                QToolTip.showText(
                    event.globalPos(), f"Layer {tile[0] + 1}, head {tile[1] + 1}", self
                )
            return True
        return super().event(event)
