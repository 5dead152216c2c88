"""The picture of the lines view: painted bit by bit, pointed at by mouse and keyboard."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFrame,
)

from posenc_gui.figures.lines import (
    THICKEST,
    LinesFigure,
    LinesLayout,
    layout_lines,
    line_ends,
    paint_legend,
    paint_line,
    paint_words,
    smallest_pitch,
)
from posenc_gui.figures.matrix import paint_veil
from posenc_gui.figures.style import Style
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of, picture_style
from posenc_gui.tips import show_tip
from posenc_gui.views.base import ARROW_STEPS

QUERY, KEY = "query", "key"
Marked = tuple[str, int]  # QUERY or KEY, and which

# A picture of thousands of lines takes longer than a window may be silent.
_PAINT_S = 0.02
_LINES_AT_ONCE = 4


class _Band:
    """A part of the rows as an image whose lines are painted bit by bit, the strongest first.

    Args:
        figure: What is painted.
        layout: Where its rows are.
        top: Where the band begins, from the top of the first row.
        ratio: Pixels a unit.
    """

    def __init__(self, figure: LinesFigure, layout: LinesLayout, top: float, ratio: float) -> None:
        self.figure, self.ratio = figure, ratio
        self._layout = replace(layout, offset=top)
        size = layout.body.size()
        self.image = QImage((size * ratio).toSize(), QImage.Format.Format_ARGB32_Premultiplied)
        self.image.setDevicePixelRatio(ratio)
        self.image.fill(Qt.GlobalColor.transparent)
        ends = line_ends(figure.lines, layout)
        is_seen = (ends.max(1) > top - THICKEST) & (ends.min(1) < top + size.height() + THICKEST)
        self._waiting: list[int] = np.flatnonzero(is_seen).tolist()

    @property
    def is_complete(self) -> bool:
        """Whether all its lines are painted."""
        return not self._waiting

    def advance(self, end: float, style: Style) -> None:
        """Paints more lines beneath those that are there, until it is ``end``."""
        if not self._waiting:
            return
        with painting(self.image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOver)
            painter.translate(-self._layout.body.topLeft())
            while self._waiting:
                for _ in range(min(_LINES_AT_ONCE, len(self._waiting))):
                    index = self._waiting.pop()  # the last is the strongest
                    paint_line(painter, self.figure.lines, index, self._layout, style)
                if perf_counter() > end:
                    return


class LinesPlot(QAbstractScrollArea):
    """The picture; the rows of a long text scroll between the columns' names and the legend.

    Attributes:
        figure: What is shown; ``None`` before the first.
        layout_now: Where everything is, in the viewport's coordinates.
        marked: The marked word: its column and index.
        is_old: Whether the picture is that of an earlier text or setting.
    """

    word_marked = Signal(object)  # (column, index) or None

    def __init__(self) -> None:
        super().__init__()
        self.figure: LinesFigure | None = None
        self.layout_now: LinesLayout | None = None
        self.marked: Marked | None = None
        self.is_old = False
        self._hint = ""
        self._shown: LinesFigure | None = None
        # Those without a mark, and those of the marked word.
        self._bands: dict[tuple[Marked | None, int], _Band] = {}
        self._more = QTimer(self)
        self._more.setSingleShot(True)
        self._more.setInterval(0)
        self._more.timeout.connect(self._on_more)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Lines: Up and Down choose a word, Left and Right its column")

    @property
    def shown(self) -> LinesFigure | None:
        """The figure with the marked word."""
        return self._shown

    @property
    def is_complete(self) -> bool:
        """Whether all lines in view are painted."""
        if self.layout_now is None:
            return True
        bands = [self._bands.get((self.marked, index)) for index in self._bands_in_view()]
        return all(band is not None and band.is_complete for band in bands)

    def show_figure(self, figure: LinesFigure) -> None:
        """Shows a figure; the marked word stays marked where there is one."""
        self.figure = figure
        if self.marked is not None and self.marked[1] >= len(figure.tokens):
            self.marked = None
        self._show_marked()
        self._place()

    def show_nothing(self, hint: str = "") -> None:
        """Shows a sentence in place of a picture."""
        self.figure = self._shown = self.layout_now = None
        self._hint = hint
        self._place()

    def set_old(self, is_old: bool) -> None:
        """Marks the picture as that of an earlier text or setting."""
        self.is_old = is_old
        self.viewport().update()

    def mark(self, marked: Marked | None) -> None:
        """Shows the lines of one word alone, or all; says nothing."""
        if marked == self.marked:
            return
        self.marked = marked
        self._bands = {key: band for key, band in self._bands.items() if key[0] is None}
        self._show_marked()
        if marked is not None:
            self._scroll_to(marked[1])
        self.viewport().update()

    def _show_marked(self) -> None:
        figure = self.figure
        if figure is None or self.marked is None:
            self._shown = figure
        else:
            column, index = self.marked
            self._shown = (
                replace(figure, query=index) if column == QUERY else replace(figure, key=index)
            )

    def _mark_and_tell(self, marked: Marked | None) -> None:
        if marked != self.marked:
            self.mark(marked)
            self.word_marked.emit(marked)

    def word_at(self, position: QPointF) -> Marked | None:
        """The word at a point of the viewport."""
        figure, layout = self.figure, self.layout_now
        if figure is None or layout is None:
            return None
        body = layout.body
        row = layout.row_at(position.y())
        if not body.top() <= position.y() < body.bottom() or not 0 <= row < len(figure.tokens):
            return None
        if position.x() < body.left():
            return QUERY, row
        return (KEY, row) if position.x() > body.right() else None

    def word_center(self, column: str, index: int) -> QPointF:
        """Where a word is, in the viewport's coordinates."""
        layout = self.layout_now
        assert layout is not None
        body = layout.body
        x = body.left() / 2 if column == QUERY else (body.right() + self.viewport().width()) / 2
        return QPointF(x, layout.row_center(index))

    def _place(self) -> None:
        """Lays everything out anew, after which nothing that was painted holds."""
        self._bands.clear()
        bar = self.verticalScrollBar()
        if self.figure is None:
            bar.setRange(0, 0)
            self.viewport().update()
            return
        size = QSizeF(self.viewport().size())
        layout = layout_lines(
            self.figure, size, self.font(), least_pitch=smallest_pitch(self.font()), alone=False
        )
        self.layout_now = layout
        hidden = layout.pitch * len(self.figure.tokens) - layout.body.height()
        bar.setPageStep(int(layout.body.height()))
        bar.setSingleStep(max(1, int(layout.pitch)))
        bar.setRange(0, max(0, int(np.ceil(hidden - 1e-6))))  # may change the width: here again
        self._on_scrolled()

    def _on_scrolled(self) -> None:
        if self.layout_now is not None:
            offset = float(self.verticalScrollBar().value())
            self.layout_now = replace(self.layout_now, offset=offset)
        self.viewport().update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._on_scrolled()

    def _scroll_to(self, row: int) -> None:
        layout = self.layout_now
        if layout is None:
            return
        bar = self.verticalScrollBar()
        top, bottom = row * layout.pitch, (row + 1) * layout.pitch - layout.body.height()
        bar.setValue(int(np.clip(bar.value(), np.ceil(bottom), max(np.floor(top), 0))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in _LOOK_CHANGES and hasattr(self, "_bands"):
            self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            style = picture_style(self.palette(), self.font())
            if self._shown is None or self.layout_now is None:
                painter.setPen(style.muted)
                wrapped = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(QRectF(self.viewport().rect()), wrapped, self._hint)
                return
            self._paint_picture(painter, self._shown, self.layout_now, style)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(colors_of(self.palette()).accent), 1.5))
                painter.drawRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1))

    def _paint_picture(
        self, painter: QPainter, figure: LinesFigure, layout: LinesLayout, style: Style
    ) -> None:
        end = perf_counter() + _PAINT_S
        body = layout.body
        painter.save()
        painter.setClipRect(body)
        for index in self._bands_in_view():
            band = self._band(index, figure, layout)
            band.advance(end, style)
            top = index * body.height() - layout.offset
            painter.drawImage(QPointF(body.left(), body.top() + top), band.image)
        painter.restore()
        paint_words(painter, figure, layout, style)
        paint_legend(painter, figure, layout, style, alone=False)
        if self.is_old:
            paint_veil(painter, body, style)
        if not self.is_complete:
            self._more.start()

    def _bands_in_view(self) -> range:
        """Each is as high as the part of the rows that is seen: it shows one of them, or two."""
        layout = self.layout_now
        assert layout is not None
        height = layout.body.height()
        return range(int(layout.offset // height), int(np.ceil(layout.offset / height)) + 1)

    def _band(self, index: int, figure: LinesFigure, layout: LinesLayout) -> _Band:
        key = (self.marked, index)
        ratio = self.devicePixelRatioF()
        band = self._bands.get(key)
        if band is None or band.ratio != ratio:
            band = self._bands[key] = _Band(figure, layout, index * layout.body.height(), ratio)
        return band

    @Slot()
    def _on_more(self) -> None:
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mark_and_tell(self.word_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._mark_and_tell(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        count = 0 if self.figure is None else len(self.figure.tokens)
        if count and event.modifiers() in _PLAIN and key in ARROW_STEPS:
            down, right = ARROW_STEPS[key]
            column, index = self.marked or (QUERY, -down)
            if right:
                column = QUERY if right < 0 else KEY
            self._mark_and_tell((column, max(0, min(index + down, count - 1))))
        elif count and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            column = self.marked[0] if self.marked is not None else QUERY
            self._mark_and_tell((column, 0 if key == Qt.Key.Key_Home else count - 1))
        elif key == Qt.Key.Key_Escape:
            self._mark_and_tell(None)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            show_tip(self, event, self.tip_at(QPointF(event.pos())))
            return True
        return bool(super().viewportEvent(event))

    def tip_at(self, position: QPointF) -> str:
        """The whole word where one is pointed at, which may be shortened."""
        word = self.word_at(position)
        if word is None or self.figure is None:
            return ""
        column, index = word
        # Qt looks for markup in the first line only, so the word stands in the second.
        return f"{column.capitalize()} {index + 1}:\n{self.figure.labels[index]}"


_LOOK_CHANGES = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
