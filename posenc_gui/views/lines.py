"""The lines view: queries left, keys right, and a line for each weight, several heads at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSizeF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QIcon,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QStackedWidget,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figures.from_result import head_title
from posenc_gui.figures.lines import (
    THICKEST,
    LinesFigure,
    LinesLayout,
    head_color,
    layout_lines,
    line_ends,
    line_pen,
    paint_legend,
    paint_line,
    paint_words,
    smallest_pitch,
)
from posenc_gui.figures.matrix import Style, paint_veil
from posenc_gui.head_choice import HeadChoice
from posenc_gui.painting import painting
from posenc_gui.plain_label import PlainLabel
from posenc_gui.theme import colors_of, picture_style
from posenc_gui.views.base import ARROW_STEPS, ResultView
from posenc_gui.views.wording import hidden_sentence, lines_numbers, lines_sentence, percent
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

FloatArray = NDArray[np.float32]

MOST_WORDS = 400
"""Of a longer text the first so many words are shown: the picture would be a wall of lines."""

DEFAULT_THRESHOLD = 5  # percent
QUERY, KEY = "query", "key"
Marked = tuple[str, int]  # QUERY or KEY, and which

_TASK = "lines"
_INVITATION = (
    "Point at a word to see its lines alone: left what it looks at, right who looks at it."
)
_COMPUTING = "Computing the lines…"
# A picture of thousands of lines takes longer than a window may be silent.
_PAINT_S = 0.02
_LINES_AT_ONCE = 4


@dataclass(frozen=True, eq=False)
class HeadRows:
    """The first rows of some heads' weights.

    Attributes:
        result: What they belong to.
        layer: From 0.
        rows: For each head, from 0 or ``MEAN_HEAD``: [at most MOST_WORDS, n].
    """

    result: RunResult
    layer: int
    rows: dict[int, FloatArray]


def head_rows(result: RunResult, layer: int, heads: tuple[int, ...]) -> HeadRows:
    """Takes or computes them; fast only where the result keeps all weights."""
    rows = {}
    for head in heads:
        weights = result.weights(layer, head)
        # Copied where the other rows are not in memory anyway, so that they do not stay there.
        first = weights[:MOST_WORDS]
        rows[head] = first if result.keeps_attentions else first.copy()
    return HeadRows(result, layer, rows)


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
        if self.marked is not None and self.marked[1] >= len(figure.words):
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
        if not body.top() <= position.y() < body.bottom() or not 0 <= row < len(figure.words):
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
        hidden = layout.pitch * len(self.figure.words) - layout.body.height()
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
        count = 0 if self.figure is None else len(self.figure.words)
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
            tip = self.tip_at(QPointF(event.pos()))
            if tip:
                QToolTip.showText(event.globalPos(), tip, self)
            else:
                QToolTip.hideText()
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


class _HeadButton(QToolButton):
    only_wanted = Signal(int)

    def __init__(self, head: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.head = head
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setText(str(head + 1))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"Head {head + 1}")
        self.setToolTip(
            f"Shows or hides the lines of head {head + 1}; a double click shows them alone"
        )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.only_wanted.emit(self.head)


class HeadButtons(QWidget):
    """A check button for each head, with the colour of its lines; in as many rows as needed."""

    ticked = Signal(int, bool)  # head, from 0
    only_wanted = Signal(int)  # head, from 0

    def __init__(self) -> None:
        super().__init__()
        self.buttons: list[_HeadButton] = []
        self.setAccessibleName("Heads")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(60)

    def set_heads(self, count: int, ticked: frozenset[int]) -> None:
        """Shows so many buttons, and which are ticked."""
        while len(self.buttons) > count:
            self.buttons.pop().deleteLater()
        for head in range(len(self.buttons), count):
            button = _HeadButton(head, self)
            button.clicked.connect(self._on_clicked)
            button.only_wanted.connect(self.only_wanted)
            button.show()
            self.buttons.append(button)
        for button in self.buttons:
            button.setChecked(button.head in ticked)
        self._color()
        self._place()

    def _on_clicked(self, is_on: bool) -> None:
        button = self.sender()
        assert isinstance(button, _HeadButton)
        self.ticked.emit(button.head, is_on)

    def _color(self) -> None:
        style = picture_style(self.palette(), self.font())
        for button in self.buttons:
            button.setIcon(_head_icon(button.head, style, self.devicePixelRatioF()))

    def _place(self) -> None:
        if not self.buttons:
            return
        sizes = [button.sizeHint() for button in self.buttons]
        width, height = max(s.width() for s in sizes), max(s.height() for s in sizes)
        columns = max(1, self.width() // (width + 2))
        for index, button in enumerate(self.buttons):
            row, column = divmod(index, columns)
            button.setGeometry(column * (width + 2), row * (height + 2), width, height)
        rows = -(-len(self.buttons) // columns)
        self.setFixedHeight(rows * (height + 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in _LOOK_CHANGES and hasattr(self, "buttons"):
            self._color()
            self._place()


def _head_icon(head: int, style: Style, ratio: float) -> QIcon:
    """A piece of the head's line where the button is ticked, and its outline where not."""
    icon = QIcon()
    for state in (QIcon.State.On, QIcon.State.Off):
        pixmap = QPixmap(round(16 * ratio), round(16 * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        with painting(pixmap) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if state == QIcon.State.On:
                painter.setPen(line_pen(head, 1.0, 5.0, style))
                painter.drawLine(QPointF(1, 8), QPointF(15, 8))
            else:
                painter.setPen(QPen(head_color(head, style), 1.2))
                painter.drawRoundedRect(QRectF(1.6, 5.6, 12.8, 4.8), 2, 2)
        icon.addPixmap(pixmap, QIcon.Mode.Normal, state)
    return icon


class LinesView(ResultView):
    title = "Lines"

    def __init__(self, choice: HeadChoice | None = None) -> None:
        super().__init__(choice)
        self._result: RunResult | None = None
        self._kept: HeadRows | None = None
        self._asked: tuple[RunResult, int, tuple[int, ...]] | None = None
        self._ticked: frozenset[int] = frozenset()
        self._follows = True  # whether exactly what the shared choice says is shown
        self._full_scale = True
        self._is_stale = False
        self._build()
        self.choice.changed.connect(self._on_chosen)
        self.layer_box.valueChanged.connect(self._on_layer)
        self.heads_row.ticked.connect(self._on_ticked)
        self.heads_row.only_wanted.connect(self._on_only_wanted)
        self.all_button.clicked.connect(self._on_all)
        self.none_button.clicked.connect(self._on_none)
        self.only_button.clicked.connect(self._on_only)
        self.slider.valueChanged.connect(self._on_threshold)
        self.plot.word_marked.connect(self._on_word_marked)

    def _build(self) -> None:
        self.layer_box = QSpinBox()
        self.layer_box.setMinimum(1)
        self.layer_box.setAccessibleName("Layer")
        self.layer_box.setToolTip("Layer (Alt+Up, Alt+Down)")
        layer = QLabel("&Layer")
        layer.setBuddy(self.layer_box)
        self.heads_row = HeadButtons()
        self.all_button = QPushButton("&All")
        self.all_button.setToolTip("Shows the lines of all heads of this layer")
        self.none_button = QPushButton("&None")
        self.none_button.setToolTip("Unticks all heads")
        self.only_button = QPushButton()
        self.only_button.setCheckable(True)
        self.only_button.setToolTip(
            "Shows the head alone that the other views show too, and follows when another is "
            "chosen (Alt+Left, Alt+Right)"
        )
        heads = QHBoxLayout()
        heads.addWidget(layer)
        heads.addWidget(self.layer_box)
        heads.addSpacing(8)
        heads.addWidget(QLabel("Heads"))
        heads.addWidget(self.heads_row, 1)
        for button in (self.all_button, self.none_button, self.only_button):
            heads.addWidget(button)

        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, 100)
        self.slider.setPageStep(5)
        self.slider.setValue(DEFAULT_THRESHOLD)
        self.slider.setAccessibleName("Hide weights below, in percent")
        self.slider.setToolTip("Lines of weaker weights are not drawn (arrow keys, Page Up, Down)")
        self.slider.setFixedWidth(160)
        below = QLabel("Hide weights &below")
        below.setBuddy(self.slider)
        self.threshold_label = QLabel(f"{DEFAULT_THRESHOLD} %")
        width = self.threshold_label.fontMetrics().horizontalAdvance("100 %") + 4
        self.threshold_label.setMinimumWidth(width)
        self.hidden_label = PlainLabel(role="hint")
        threshold = QHBoxLayout()
        threshold.addWidget(below)
        threshold.addWidget(self.slider)
        threshold.addWidget(self.threshold_label)
        threshold.addWidget(self.hidden_label, 1)

        self.limit = PlainLabel(role="warning")
        self.limit.hide()
        self.plot = LinesPlot()
        self.sentence = PlainLabel(_INVITATION)
        font = self.sentence.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.sentence.setFont(font)
        self.numbers = PlainLabel(" ", "hint")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(heads)
        column.addLayout(threshold)
        column.addWidget(self.limit)
        column.addWidget(self.plot, 1)
        column.addWidget(self.sentence)
        column.addWidget(self.numbers)
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setFont(font)
        self._page = page
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hint)
        self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self._pages)

    # --- what every view does -------------------------------------------------------------------

    def show_result(self, result: RunResult) -> None:
        self.choice.fit(result.num_layers, result.num_heads)
        self._result = result
        self.set_old(False)
        self._pages.setCurrentWidget(self._page)
        self._refresh_when_seen()

    def take(self, name: str, given: object) -> None:
        if name != _TASK or not isinstance(given, HeadRows):
            return
        if (given.result, given.layer) == (self._result, self.choice.layer):
            self._keep(given)
            self._refresh_when_seen()

    def clear(self, hint: str) -> None:
        self._result = self._kept = self._asked = None
        self._is_stale = False
        self.set_old(False)
        self.plot.mark(None)
        self.plot.show_nothing()
        self.hint.setText(hint)
        self._pages.setCurrentWidget(self.hint)
        if self.isVisible():
            self.row_marked.emit(None, None)

    def has_result(self) -> bool:
        return self._result is not None

    def set_old(self, is_old: bool) -> None:
        self.plot.set_old(is_old)

    def set_colors(self, color_map: str, full_scale: bool) -> None:
        if full_scale != self._full_scale:
            self._full_scale = full_scale
            self._refresh_when_seen()

    def mark_query(self, query: int | None) -> None:
        figure = self.plot.figure
        is_there = query is not None and figure is not None and query < len(figure.words)
        self.plot.mark((QUERY, query) if is_there and query is not None else None)
        if self.isVisible():
            self._tell()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._refresh()

    # --- what is shown --------------------------------------------------------------------------

    @property
    def result(self) -> RunResult | None:
        """What is shown."""
        return self._result

    @property
    def shown(self) -> LinesFigure | None:
        """The picture as it is shown now, the marked word in it."""
        return self.plot.shown

    @property
    def heads(self) -> tuple[int, ...]:
        """The heads whose lines are shown, from 0; ``MEAN_HEAD`` where the mean is chosen."""
        if self._follows:
            return (self.choice.head,)
        return tuple(sorted(head for head in self._ticked if head < self.choice.heads))

    @property
    def threshold(self) -> float:
        """Weaker weights have no line."""
        return self.slider.value() / 100

    def _refresh_when_seen(self) -> None:
        """Nothing is computed for a tab that nobody sees."""
        self._is_stale = True
        if self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        self._is_stale = False
        self._show_choice()
        result, layer, heads = self._result, self.choice.layer, self.heads
        if result is None:
            return
        kept = self._kept
        if kept is None or (kept.result, kept.layer) != (result, layer):
            kept = self._kept = HeadRows(result, layer, {})
            if not result.keeps_attentions:
                # A picture of another text or layer would be taken for this one's.
                self.plot.show_nothing(_COMPUTING)
                self.hidden_label.setText("")
        missing = tuple(head for head in heads if head not in kept.rows)
        if missing and result.keeps_attentions:
            self._keep(head_rows(result, layer, missing))
        elif missing:
            if self._asked != (result, layer, missing):
                self._asked = (result, layer, missing)
                self.work_wanted.emit(_TASK, partial(head_rows, result, layer, missing))
            return
        self._draw()

    def _keep(self, given: HeadRows) -> None:
        kept = self._kept
        if kept is not None and (kept.result, kept.layer) == (given.result, given.layer):
            given = HeadRows(given.result, given.layer, {**kept.rows, **given.rows})
        self._kept, self._asked = given, None

    def _draw(self) -> None:
        result, kept, heads = self._result, self._kept, self.heads
        assert result is not None
        assert kept is not None
        count = len(result.tokens)
        shown = min(count, MOST_WORDS)
        self.limit.setVisible(count > shown)
        weights = np.zeros((len(heads), shown, shown), np.float32)
        elsewhere = 0.0
        for index, head in enumerate(heads):
            weights[index] = kept.rows[head][:, :shown]
            elsewhere += float(np.nansum(kept.rows[head][:, shown:], dtype=np.float64))
        largest = float(np.nanmax(weights, initial=0.0))
        unknown = (i for i, is_unknown in enumerate(result.is_unknown[:shown]) if is_unknown)
        title = _title(result, kept.layer, heads)
        figure = LinesFigure(
            weights=weights,
            heads=heads,
            words=tuple(token.text for token in result.tokens[:shown]),
            unknown=frozenset(unknown),
            threshold=self.threshold,
            full=1.0 if self._full_scale or largest <= 0 else largest,
            elsewhere=elsewhere,
            title=title,
            caption=_caption(result, title),
        )
        self.limit.setText(
            f"This view takes at most {MOST_WORDS} words: it shows the first {shown} of {count:,}. "
            f"{percent(figure.elsewhere_share).capitalize()} of their attention goes to later ones."
        )
        self.plot.show_figure(figure)
        self.hidden_label.setText(hidden_sentence(figure))
        self._tell()

    def _show_choice(self) -> None:
        choice = self.choice
        blocker = QSignalBlocker(self.layer_box)
        self.layer_box.setMaximum(choice.layers)
        self.layer_box.setValue(choice.layer + 1)
        del blocker
        self.heads_row.set_heads(choice.heads, frozenset(self.heads))
        chosen = "the mean" if choice.head == MEAN_HEAD else f"head {choice.head + 1}"
        self.only_button.setText(f"&Only {chosen}")
        self.only_button.setChecked(self._follows)

    def _tell(self) -> None:
        """Reads the marked word, beneath and to the other views."""
        figure, marked = self.plot.shown, self.plot.marked
        if figure is None or marked is None:
            self.sentence.setText(_INVITATION if figure is not None else " ")
            self.numbers.setText(" ")
            self.plot.setAccessibleDescription("")
            self.row_marked.emit(None, None)
            return
        self.sentence.setText(lines_sentence(figure))
        self.numbers.setText(lines_numbers(figure))
        self.plot.setAccessibleDescription(self.sentence.text())
        column, index = marked
        if column == QUERY and self._kept is not None and self.heads:
            row = np.mean([self._kept.rows[head][index] for head in self.heads], axis=0)
            self.row_marked.emit(index, row)
        else:
            self.row_marked.emit(None, None)

    # --- what the user does ---------------------------------------------------------------------

    @Slot()
    def _on_chosen(self) -> None:
        self._refresh_when_seen()

    @Slot(int)
    def _on_layer(self, layer: int) -> None:
        self.choice.choose(layer - 1, self.choice.head)

    def show_heads(self, heads: frozenset[int]) -> None:
        """Shows the lines of these heads, from 0, whatever the other views show."""
        self._ticked, self._follows = heads, False
        self._refresh_when_seen()

    @Slot(int, bool)
    def _on_ticked(self, head: int, is_on: bool) -> None:
        before = frozenset(self.heads) - {MEAN_HEAD}
        self.show_heads(before | {head} if is_on else before - {head})

    @Slot(int)
    def _on_only_wanted(self, head: int) -> None:
        self._follows = True
        self.choice.choose(self.choice.layer, head)
        self._refresh_when_seen()

    @Slot()
    def _on_all(self) -> None:
        self.show_heads(frozenset(range(self.choice.heads)))

    @Slot()
    def _on_none(self) -> None:
        self.show_heads(frozenset())

    @Slot(bool)
    def _on_only(self, is_on: bool) -> None:
        self._ticked = frozenset(self.heads) - {MEAN_HEAD}
        self._follows = is_on
        self._refresh_when_seen()

    @Slot(int)
    def _on_threshold(self, percent: int) -> None:
        self.threshold_label.setText(f"{percent} %")
        self._refresh_when_seen()

    @Slot(object)
    def _on_word_marked(self, marked: Marked | None) -> None:
        self._tell()


def _title(result: RunResult, layer: int, heads: tuple[int, ...]) -> str:
    """Which encoding, layer and heads, counted from 1."""
    if len(heads) == 1:
        return head_title(result, layer, heads[0])
    start = head_title(result, layer, MEAN_HEAD).rpartition(" · ")[0]
    if len(heads) == result.num_heads:
        return f"{start} · all {len(heads)} heads"
    names = ", ".join(str(head + 1) for head in heads)
    return f"{start} · heads {names}" if heads else f"{start} · no head"


def _caption(result: RunResult, title: str) -> str:
    """All that is needed to make the picture again."""
    settings = ", ".join(f"{k}={v}" for k, v in result.request.settings.flat().items())
    return f"Attention weights as lines, {title}; {settings}; text: {result.request.text}"


_LOOK_CHANGES = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
