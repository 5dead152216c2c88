"""The heat map: cells by pyqtgraph, everything around them by the pictures' own drawing code."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QStyleOptionGraphicsItem, QWidget

from posenc_gui.figures.colormaps import lookup_table
from posenc_gui.figures.matrix import (
    MatrixFigure,
    MatrixLayout,
    label_of,
    layout_matrix,
    paint_frame,
    paint_veil,
)
from posenc_gui.head_weights import DRAWN_CELLS
from posenc_gui.theme import picture_style
from posenc_gui.tips import show_tip
from posenc_gui.views.base import ARROW_STEPS


class _Frame(pg.GraphicsObject):
    """Words, names, colour bar and the marked cell, above the cells."""

    def __init__(self, plot: HeatmapPlot) -> None:
        super().__init__()
        self._plot = plot
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setZValue(10)

    def boundingRect(self) -> QRectF:
        return QRectF(self._plot.rect())

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        plot = self._plot
        if plot.figure is not None and plot.layout_now is not None:
            style = picture_style(plot.palette(), plot.font())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_frame(painter, plot.figure, plot.layout_now, style, plot.marked)
            if plot.chosen is not None:
                cells = plot.layout_now.cells
                rect = plot.layout_now.cell_rect(*plot.chosen).intersected(cells)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(style.highlight, 2.5))
                painter.drawRect(rect)
            if plot.is_old:
                paint_veil(painter, plot.layout_now.cells, style)
        if plot.figure is not None and plot.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(plot.palette().highlight().color(), 1.5))
            painter.drawRect(self.boundingRect().adjusted(1, 1, -1, -1))


class HeatmapPlot(pg.GraphicsView):
    """One matrix. The wheel zooms, dragging moves, a double click shows all again.

    Attributes:
        figure: What is shown; ``None`` before the first.
        layout_now: Where everything is, in the widget's coordinates.
        marked: Query and key of the marked cell.
        chosen: Query and key of the cell that is explained.
        is_old: Whether the picture is that of an earlier text or setting.
    """

    cell_marked = Signal(object)  # (query, key) or None
    cell_chosen = Signal(object)  # (query, key) that was clicked, or entered with the keyboard
    part_chosen = Signal()  # the user has zoomed or moved

    _is_made = False  # pyqtgraph resizes and changes it while it is being made

    def __init__(self) -> None:
        super().__init__()
        self.figure: MatrixFigure | None = None
        self.layout_now: MatrixLayout | None = None
        self.marked: tuple[int, int] | None = None
        self.chosen: tuple[int, int] | None = None
        self._pressed_at: QPointF | None = None
        self.is_old = False
        self._reduced: NDArray[np.float32] | None = None
        self._shape: tuple[int, int] = (0, 0)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Heat map: arrow keys move the marked cell")
        self._box = pg.ViewBox(enableMenu=False, invertY=True, defaultPadding=0)
        self._box.setBorder(None)
        self.image = pg.ImageItem(axisOrder="row-major")
        self._box.addItem(self.image)
        self._frame = _Frame(self)
        self.addItem(self._box)
        self.addItem(self._frame)
        self._box.sigRangeChanged.connect(self._on_range_changed)
        self._box.sigRangeChangedManually.connect(self._on_part_chosen)
        self._is_made = True
        self._set_ground()

    def show_figure(self, figure: MatrixFigure, reduced: NDArray[np.float32]) -> None:
        """Shows a figure.

        Args:
            figure: What to show.
            reduced: Its matrix, or the largest values of blocks of it where it is too large.
        """
        self.figure, self._reduced = figure, reduced
        if figure.matrix.shape != self._shape:
            self._shape = figure.matrix.shape
            self.marked = None
            self._limit_range()
            self.show_all()
        self._set_ground()
        self.image.setLookupTable(lookup_table(figure.color_map))
        self._draw_cells()
        self._place()

    def show_nothing(self) -> None:
        self.figure = self._reduced = self.layout_now = None
        self.marked = None
        self._shape = (0, 0)
        self._set_ground()
        self.image.clear()

    def set_old(self, is_old: bool) -> None:
        """Marks the picture as that of an earlier text or setting."""
        self.is_old = is_old
        self._frame.update()

    def show_all(self) -> None:
        """Undoes zooming and moving."""
        queries, keys = self._shape
        if queries and keys:
            self._box.setRange(QRectF(0, 0, keys, queries), padding=0)

    def choose_all(self) -> None:
        """Undoes zooming and moving, as the user asks."""
        self.show_all()
        self.part_chosen.emit()

    def is_uneven_part(self) -> bool:
        """Whether a part is in view, of other tokens in rows than in columns."""
        is_part = self.figure is not None and self._edges() != [(0, n) for n in self._shape]
        return is_part and self.shown_tokens() is None

    def _edges(self) -> list[tuple[int, int]]:
        """First and last edge of the rows in view, whole or not, and of the columns."""
        return [(int(low + 1e-6), int(np.ceil(high - 1e-6))) for low, high in self._visible()]

    def shown_tokens(self) -> tuple[int, ...] | None:
        """The tokens in view where they are the same in rows and columns; ``None``: all."""
        rows, columns = self._edges()
        is_part = rows == columns and rows != (0, self._shape[0])
        return tuple(range(*rows)) if is_part and 0 <= rows[0] < rows[1] else None

    def show_part(self, queries: tuple[int, int], keys: tuple[int, int]) -> None:
        """Zooms to a block: first and last edge of its rows and of its columns."""
        (top, bottom), (left, right) = queries, keys
        self._box.setRange(QRectF(left, top, right - left, bottom - top), padding=0)

    def mark(self, cell: tuple[int, int] | None) -> None:
        """Marks a cell, without telling anybody."""
        if cell != self.marked:
            self.marked = cell
            self._frame.update()

    def choose(self, cell: tuple[int, int] | None) -> None:
        """Frames the cell that is explained, without telling anybody."""
        self.chosen = cell
        self._frame.update()

    def _limit_range(self) -> None:
        queries, keys = self._shape
        self._box.setLimits(
            xMin=0,
            xMax=keys,
            yMin=0,
            yMax=queries,
            minXRange=min(1, keys),
            minYRange=min(1, queries),
            maxXRange=keys,
            maxYRange=queries,
        )

    def _visible(self) -> tuple[tuple[float, float], tuple[float, float]]:
        (left, right), (top, bottom) = self._box.viewRange()
        return (top, bottom), (left, right)

    def _draw_cells(self) -> None:
        """Draws the part in view cell by cell, or all of it reduced where that is too much."""
        assert self.figure is not None
        assert self._reduced is not None
        queries, keys = self._shape
        (top, bottom), (left, right) = self._visible()
        rows = slice(max(0, int(top)), min(queries, int(np.ceil(bottom))))
        columns = slice(max(0, int(left)), min(keys, int(np.ceil(right))))
        if max(rows.stop - rows.start, columns.stop - columns.start) <= DRAWN_CELLS:
            cells = self.figure.matrix[rows, columns]
            rect = QRectF(columns.start, rows.start, cells.shape[1], cells.shape[0])
        else:
            cells, rect = self._reduced, QRectF(0, 0, keys, queries)
        if np.isinf(cells).any():
            cells = np.where(np.isfinite(cells), cells, np.nan)  # drawn as nothing, as masked
        # Levels are always given: a constant picture would silently get others.
        self.image.setImage(cells, autoLevels=False, levels=self.figure.levels)
        self.image.setRect(rect)

    def _place(self) -> None:
        if self.figure is None:
            return
        rows, columns = self._visible()
        size = QSizeF(self.size())
        self.layout_now = layout_matrix(self.figure, size, self.font(), rows, columns)
        self._box.setGeometry(self.layout_now.cells)
        self._frame.prepareGeometryChange()
        self._frame.update()

    def _on_range_changed(self) -> None:
        if self.figure is not None and self.figure.matrix.shape == self._shape:
            if max(self._shape) > DRAWN_CELLS:
                self._draw_cells()
            self._place()

    @Slot()
    def _on_part_chosen(self) -> None:
        self.part_chosen.emit()

    def _cell_at(self, position: QPointF) -> tuple[int, int] | None:
        if self.layout_now is None or not self.layout_now.cells.contains(position):
            return None
        point = self._box.mapSceneToView(position)
        row, column = int(point.y()), int(point.x())
        queries, keys = self._shape
        return (row, column) if 0 <= row < queries and 0 <= column < keys else None

    def _mark_and_tell(self, cell: tuple[int, int] | None) -> None:
        if cell != self.marked:
            self.mark(cell)
            self.cell_marked.emit(cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._mark_and_tell(self._cell_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._pressed_at = event.position() if is_left else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        pressed, self._pressed_at = self._pressed_at, None
        if pressed is None:
            return
        moved = (event.position() - pressed).manhattanLength()
        cell = self._cell_at(event.position())
        if cell is not None and moved < QApplication.startDragDistance():
            self.cell_chosen.emit(cell)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.choose_all()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._mark_and_tell(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        queries, keys = self._shape
        if key in ARROW_STEPS and queries and keys and event.modifiers() in _PLAIN:
            down, right = ARROW_STEPS[key]
            row, column = self.marked or (-down if down > 0 else 0, -right if right > 0 else 0)
            row = max(0, min(row + down, queries - 1))
            column = max(0, min(column + right, keys - 1))
            self._mark_and_tell((row, column))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.marked is not None:
            self.cell_chosen.emit(self.marked)
        elif key == Qt.Key.Key_Escape:
            self._mark_and_tell(None)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._frame.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._frame.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_made:
            self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self._is_made and event.type() in _LOOK_CHANGES:
            self._set_ground()
            self._place()

    def _set_ground(self) -> None:
        self.setBackground(self.palette().base().color())
        # A masked cell is NaN, which is drawn as nothing: this is what is seen there.
        masked = picture_style(self.palette(), self.font()).masked
        self._box.setBackgroundColor(masked if self.figure is not None else None)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            show_tip(self, event, self.tip_at(QPointF(event.pos())))
            return True
        return bool(super().viewportEvent(event))

    def tip_at(self, position: QPointF) -> str:
        """The whole word where a label is pointed at, which may be shortened or left out."""
        figure, layout = self.figure, self.layout_now
        if figure is None or layout is None:
            return ""
        rows, columns = self._visible()
        cells = layout.cells
        if position.x() < cells.left() and cells.top() <= position.y() < cells.bottom():
            share = (position.y() - cells.top()) / cells.height()
            index, words, name = (
                int(rows[0] + share * (rows[1] - rows[0])),
                figure.query_words,
                "Query",
            )
            unknown = figure.unknown_queries
        elif position.y() < cells.top() and cells.left() <= position.x() < cells.right():
            share = (position.x() - cells.left()) / cells.width()
            index = int(columns[0] + share * (columns[1] - columns[0]))
            words, name, unknown = figure.key_words, "Key", figure.unknown_keys
        else:
            return ""
        if not 0 <= index < len(words):
            return ""
        # Qt looks for markup in the first line only, so the word stands in the second.
        return f"{name} {index + 1}:\n{label_of(words[index], index in unknown)}"


_LOOK_CHANGES = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
