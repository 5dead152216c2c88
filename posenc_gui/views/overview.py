"""All layers × heads at once: one small picture each, to choose from, in an order to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figures.colormaps import color_image
from posenc_gui.painting import painting
from posenc_gui.plain_label import PlainLabel
from posenc_gui.theme import colors_of
from posenc_gui.tips import show_tip
from posenc_gui.views.base import ARROW_STEPS
from posenc_gui.views.profiles_measurer import HeadMeasurer
from posenc_gui.views.profiles_wording import MEASURE_WORDS, missing_reason
from posenc_model.analysis import ranking

if TYPE_CHECKING:
    from posenc_gui.views.attention import AttentionView
    from posenc_model.overview import Overview

_GAP = 3.0
_LARGEST_SIDE = 160.0
# The size of names, and the least side they may leave; else they stand in tool tips only.
_NAME_SIZES = ((1.0, 28.0), (0.8, 12.0))


@dataclass(frozen=True)
class _Grid:
    """Where the heads go that are in an order: row by row.

    Attributes:
        corner: The left upper corner of the first head's room.
        columns: How many heads are in a row.
        across: From one head to the next.
        down: From one row to the next.
        side: The side of each picture.
        above: The room for a name above each picture; 0 where there are no names.
        name_size: The size of the names, as a share of the font's.
    """

    corner: QPointF
    columns: int
    across: float
    down: float
    side: float
    above: float
    name_size: float

    def tile(self, slot: int) -> QRectF:
        """The picture at a place in the order, from 0."""
        row, column = divmod(slot, self.columns)
        x = self.corner.x() + column * self.across + (self.across - _GAP - self.side) / 2
        y = self.corner.y() + row * self.down + self.above
        return QRectF(x, y, self.side, self.side)

    def slot_at(self, position: QPointF) -> int | None:
        """The place in the order at a point; it may be beyond the last head."""
        column = int((position.x() - self.corner.x()) // self.across)
        row = int((position.y() - self.corner.y()) // self.down)
        return row * self.columns + column if 0 <= column < self.columns and row >= 0 else None


class OverviewMosaic(QWidget):
    """Layers downwards, heads across, or heads in an order; all small pictures are one image."""

    head_chosen = Signal(int, int)  # layer and head, from 0
    overview_changed = Signal()  # other pictures are shown, or none

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
        self._order: tuple[tuple[int, int], ...] = ()  # empty: by number
        self._slots: dict[tuple[int, int], int] = {}
        self._remarks: Mapping[tuple[int, int], str] = {}
        self._grid: tuple[tuple[object, ...], _Grid] | None = None

    @property
    def order(self) -> tuple[tuple[int, int], ...]:
        """Layer and head of each picture in its order; empty where they are by number."""
        return self._order

    def set_order(
        self,
        order: Sequence[tuple[int, int]],
        remarks: Mapping[tuple[int, int], str] | None = None,
    ) -> None:
        """Puts the pictures in an order, or by number.

        Args:
            order: Layer and head, from 0, of every head; empty: by number.
            remarks: What the tool tip of each head says beside its number.
        """
        self._order = tuple(order)
        self._slots = {place: slot for slot, place in enumerate(self._order)}
        self._remarks = remarks or {}
        self._grid = None
        self.update()

    def show_overview(
        self, overview: Overview, levels: tuple[float, float], color_map: str
    ) -> None:
        """Shows the largest weight of each cell, so that nothing strong gets lost."""
        layers, heads, m, _ = overview.maximum.shape
        mosaic = np.ascontiguousarray(overview.maximum.transpose(0, 2, 1, 3))
        self._image = color_image(mosaic.reshape(layers * m, heads * m), levels, color_map)
        if (layers, heads) != (self._layers, self._heads):
            self.set_order(())
        self._tile_pixels, self._layers, self._heads = m, layers, heads
        self.update()
        self.overview_changed.emit()

    def show_nothing(self) -> None:
        self._image = None
        self.set_order(())
        self._layers = self._heads = 0
        self.update()
        self.overview_changed.emit()

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
        if self._order:
            return self._planned().tile(self._slots[layer, head])
        origin, side = self._geometry()
        step = side + _GAP
        return QRectF(origin.x() + head * step, origin.y() + layer * step, side, side)

    def _geometry(self) -> tuple[QPointF, float]:
        metrics = QFontMetricsF(self.font())
        left = metrics.horizontalAdvance("00") + metrics.height() * 1.6
        top = metrics.height() * 2.6
        width = (self.width() - left - 4) / max(1, self._heads) - _GAP
        height = (self.height() - top - 4) / max(1, self._layers) - _GAP
        return QPointF(left, top), max(2.0, float(int(min(width, height, _LARGEST_SIDE))))

    def _planned(self) -> _Grid:
        """The arrangement in rows with the largest pictures; the last one while it still holds."""
        key = (self.size(), self.font().key(), len(self._order))
        if self._grid is None or self._grid[0] != key:
            named = ((self._plan(size), least) for size, least in _NAME_SIZES)
            fitting = (grid for grid, least in named if grid.side >= least)
            self._grid = (key, next(fitting, None) or self._plan(0.0))
        return self._grid[1]

    def _name_font(self, name_size: float) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * name_size)
        return font

    def _plan(self, name_size: float) -> _Grid:
        """The arrangement with names of a size; 0: without."""
        count, above, least = len(self._order), 0.0, _GAP + 1
        if name_size:
            metrics = QFontMetricsF(self._name_font(name_size))
            name = _short_name(self._layers - 1, self._heads - 1)
            above, least = metrics.height(), metrics.horizontalAdvance(name) + 2 * _GAP
        corner = QPointF(4, QFontMetricsF(self.font()).height() * 1.5)
        width, height = self.width() - 8, self.height() - corner.y() - 4
        best = _Grid(corner, 1, least, above + _GAP + 1, 1.0, above, name_size)
        for columns in range(1, count + 1):
            across = width / columns
            down = height / -(-count // columns)
            side = min(across - _GAP, down - above - _GAP, _LARGEST_SIDE)
            if across >= least and side > best.side:
                across = max(least, min(across, side + _GAP))
                down = side + above + _GAP
                best = _Grid(corner, columns, across, down, side, above, name_size)
        return best

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image is not None:
            with painting(self) as painter:
                self._paint(painter, self._image)

    def _paint(self, painter: QPainter, image: QImage) -> None:
        colors = colors_of(self.palette())
        m = self._tile_pixels
        every = [(i, j) for i in range(self._layers) for j in range(self._heads)]
        side = self.tile_rect(0, 0).width()
        # Reduced without smoothing, whole rows would vanish; enlarged with it, cells would blur.
        is_reduced = side * self.devicePixelRatioF() < m
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_reduced)
        for layer, head in every:
            source = QRectF(head * m, layer * m, m, m)
            painter.drawImage(self.tile_rect(layer, head), image, source)
        if self._is_old:
            veil = self.palette().window().color()
            veil.setAlphaF(0.75)
            for layer, head in every:
                painter.fillRect(self.tile_rect(layer, head), veil)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 1.5))
            painter.drawRect(self.rect().adjusted(1, 1, -2, -2))
        if self._order:
            self._paint_short_names(painter)
        else:
            self._paint_names(painter, side)
        if self._chosen is not None and self._chosen[0] < self._layers:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(colors.accent), 2.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for frame in self._frames(*self._chosen):
                painter.drawRoundedRect(frame.adjusted(-2, -2, 2, 2), 2, 2)

    def _frames(self, layer: int, head: int) -> list[QRectF]:
        """What is framed: a head, or all heads of a layer."""
        if head >= 0:
            return [self.tile_rect(layer, head)] if head < self._heads else []
        if self._order:
            return [self.tile_rect(layer, one) for one in range(self._heads)]
        return [self.tile_rect(layer, 0).united(self.tile_rect(layer, self._heads - 1))]

    def _paint_short_names(self, painter: QPainter) -> None:
        colors = colors_of(self.palette())
        grid = self._planned()
        line = QFontMetricsF(self.font()).height()
        painter.setPen(QColor(colors.muted))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        heading = _ORDERED if grid.name_size else _ORDERED_WITHOUT_NAMES
        painter.drawText(QRectF(4, 0.2 * line, self.width() - 8, line), left, heading)
        if not grid.name_size:
            return
        painter.setPen(QColor(colors.text))
        painter.setFont(self._name_font(grid.name_size))
        for layer, head in self._order:
            tile = self.tile_rect(layer, head)
            middle = tile.center().x()
            top = tile.top() - grid.above - 1
            box = QRectF(middle - grid.across / 2, top, grid.across, grid.above)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _short_name(layer, head))

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
        if self._order:
            slot = self._planned().slot_at(position)
            return self._order[slot] if slot is not None and slot < len(self._order) else None
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
            if self._order:
                self.head_chosen.emit(*self._beside(down, right))
                return
            layer = max(0, min(self._chosen[0] + down, self._layers - 1))
            head = max(0, min(self._chosen[1] + right, self._heads - 1))
            self.head_chosen.emit(layer, head)
        else:
            super().keyPressEvent(event)

    def _beside(self, down: int, right: int) -> tuple[int, int]:
        """The head a step further in the order; from the mean over heads, the first."""
        slot = self._slots.get(self._chosen or (0, -1))
        if slot is None:
            return self._order[0]
        slot += right + down * self._planned().columns
        return self._order[slot] if 0 <= slot < len(self._order) else self._chosen or (0, 0)

    def tip_at(self, position: QPointF) -> str:
        """Which head is at a point, and what its order comes from."""
        tile = self._at(position)
        if tile is None:
            return ""
        remark = self._remarks.get(tile)
        name = f"Layer {tile[0] + 1}, head {tile[1] + 1}"
        return f"{name}\n{remark}" if remark else name

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            show_tip(self, event, self.tip_at(QPointF(event.pos())))
            return True
        return super().event(event)


class OrderedMosaic(QWidget):
    """A mosaic with a field for its order.

    The measure that an order needs is computed outside the GUI thread, while the mosaic is seen;
    until it is there, the pictures stay as they were.

    Args:
        mosaic: Its owner fills it with pictures.
        owner: The view whose result they show, and which asks for what is to be measured.
    """

    def __init__(self, mosaic: OverviewMosaic, owner: AttentionView) -> None:
        super().__init__()
        self.mosaic = mosaic
        self._owner = owner
        self.measurer = HeadMeasurer(self)
        self.order_box = QComboBox()
        self.order_box.setAccessibleName("Order of the heads")
        self.order_box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.order_box.setMinimumContentsLength(12)
        self.order_box.addItem(_BY_NUMBER, "")
        tip = Qt.ItemDataRole.ToolTipRole
        self.order_box.setItemData(0, "Layers downwards, heads across", tip)
        for index, words in enumerate(MEASURE_WORDS.values(), 1):
            self.order_box.addItem(words.order, words.name)
            self.order_box.setItemData(index, words.tip, tip)
        self.order_box.setToolTip(_ORDER_TIP)
        label = QLabel("O&rder")
        label.setBuddy(self.order_box)
        self.measure_button = QPushButton("Measure all heads")
        self.measure_button.setToolTip("With a text this long, it takes a while")
        self.status = PlainLabel(role="hint")
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.order_box, 1)
        row.addWidget(self.measure_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addLayout(row)
        layout.addWidget(self.status)
        layout.addWidget(mosaic, 1)
        self.order_box.currentIndexChanged.connect(self._refresh)
        self.measure_button.clicked.connect(self._on_measure_asked)
        mosaic.overview_changed.connect(self._on_overview_changed)
        self.measurer.work_wanted.connect(owner.work_wanted)
        self.measurer.changed.connect(self._refresh)
        self._refresh()

    def take(self, name: str, given: object) -> None:
        """Takes what views have asked for."""
        self.measurer.take(name, given)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.measurer.set_wanted(False)

    @Slot()
    def _on_overview_changed(self) -> None:
        if self._owner.result is not self.measurer.result:  # not just other colours
            self.measurer.show_result(self._owner.result)
            self._refresh()

    @Slot()
    def _on_measure_asked(self) -> None:
        self.measurer.measure_all()
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Puts the pictures in the wanted order, as soon as it is known."""
        measure = str(self.order_box.currentData())
        result, measurer = self.measurer.result, self.measurer
        values = measurer.measures.get(measure)
        is_known = values is not None and (measurer.is_complete or bool(np.isfinite(values).all()))
        measurer.set_wanted(bool(measure) and not is_known and self.isVisible())
        is_asked = bool(measure) and not is_known and measurer.needs_asking
        self.measure_button.setVisible(is_asked)
        said = ""
        if not measure or result is None or values is None or is_asked:
            self.mosaic.set_order(())
        elif not is_known:
            if measurer.is_running and not measurer.is_short:
                said = f"Measuring… {measurer.done} of {measurer.total} heads"
        elif not np.isfinite(values).any():
            self.mosaic.set_order(())
            said = missing_reason(result, 0)
        else:
            heads = result.num_heads
            words = MEASURE_WORDS[measure]
            order = [divmod(int(place), heads) for place in ranking(values)]
            remarks = {place: f"{words.order}: {words.shown(values[place])}" for place in order}
            self.mosaic.set_order(order, remarks)
        self.status.setText(said)
        self.status.setVisible(bool(said))


def _short_name(layer: int, head: int) -> str:
    return f"{layer + 1}.{head + 1}"


_BY_NUMBER = "by number"
_ORDERED = "layer.head, strongest first"
_ORDERED_WITHOUT_NAMES = "strongest first; point at one for its number"
_ORDER_TIP = "In which order the heads stand; the strongest first"
