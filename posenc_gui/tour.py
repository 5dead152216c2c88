"""The guided tour: ten steps, each of which goes on when the user has done it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import shiboken6
from PySide6.QtCore import (
    QEvent,
    QMargins,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.actions import Actions
from posenc_gui.painting import painting
from posenc_gui.plain_label import PlainLabel
from posenc_gui.theme import colors_of

# --- the steps ------------------------------------------------------------------------------------

Check = Callable[[], bool]


def _never(window: Any) -> Check:
    return lambda: False


def _typed(window: Any) -> Check:
    """Another text of at least two words is shown."""
    before = window.text_panel.text()

    def is_done() -> bool:
        result = window.attention_view.result
        is_other = result is not None and result.request.text != before
        return is_other and len(result.tokens) > 1

    return is_done


def _pointed(window: Any) -> Check:
    """Some cells were pointed at, so that their sentences have been seen to change."""
    cells: set[tuple[int, int]] = set()

    def is_done() -> bool:
        if window.attention_view.plot.marked is not None:
            cells.add(window.attention_view.plot.marked)
        return len(cells) >= 3

    return is_done


def _took_apart(window: Any) -> Check:
    before = window.attention_view.why.explanation
    return lambda: window.attention_view.why.explanation not in (None, before)


def _other_head(window: Any) -> Check:
    before = (window.choice.layer, window.choice.head)
    return lambda: (window.choice.layer, window.choice.head) != before


def _position_only(window: Any) -> Check:
    return lambda: bool(window.attention_view.kind_box.currentData() == "position")


def _other_encoding(window: Any) -> Check:
    def encoding() -> str | None:
        result = window.attention_view.result
        return None if result is None else str(result.encoding_title)

    before = encoding()
    return lambda: encoding() not in (None, before)


def _hid_a_word(window: Any) -> Check:
    def is_done() -> bool:
        result = window.attention_view.result
        return result is not None and bool(result.request.masked)

    return is_done


def _compared(window: Any) -> Check:
    def is_done() -> bool:
        view = window.tabs.currentWidget()
        return view.title == "Compare" and view.comparison is not None

    return is_done


def _read(window: Any) -> Check:
    return lambda: not window.guide.explainer.pane.isHidden()


@dataclass(frozen=True)
class Step:
    """One step. Parts of the window and its signals are named as attributes of the window.

    Attributes:
        sentence: What to do.
        place: The widget it is about.
        watch: Called when the step begins; gives what says whether it is done.
        signals: When that is asked.
        seen: What the user has seen once it is done; it stands above the next step.
        tab: The tab that is shown when the step begins; none where it does not matter.
    """

    sentence: str
    place: str
    watch: Callable[[Any], Check] = _never
    signals: tuple[str, ...] = ()
    seen: str = ""
    tab: str = "Attention"


STEPS: tuple[Step, ...] = (
    Step(
        "Type a sentence of your own here, or choose one of the samples above.",
        "text_panel.editor",
        _typed,
        ("controller.finished",),
        "The picture follows as you type.",
    ),
    Step(
        "Point at some cells. A row is a word that looks, a column a word that is looked at; the "
        "sentence beneath says how much.",
        "attention_view.plot",
        _pointed,
        ("attention_view.plot.cell_marked",),
        "Each row adds up to 100 %.",
    ),
    Step(
        "Click a cell to ask why it is as it is.",
        "attention_view.plot",
        _took_apart,
        ("controller.task_finished",),
        "On the right, the score is taken apart into words and places.",
    ),
    Step(
        "Look at another head: choose it here, press Alt and an arrow key, or click its small "
        "picture under “All heads”.",
        "attention_view.head_box",
        _other_head,
        ("choice.changed",),
        "Every head has a pattern of its own, and the explanation follows.",
    ),
    Step(
        "Choose “position only” here: what remains of the scores if the words did not count.",
        "attention_view.kind_box",
        _position_only,
        ("attention_view.kind_box.currentIndexChanged",),
        "That is position by itself. “weights”, in the same place, brings the picture back.",
    ),
    Step(
        "Switch the encoding: choose another way to say where each word stands.",
        "settings_panel.rows.positional_encoding",
        _other_encoding,
        ("controller.finished",),
        "The words are the same; only how position comes in is another.",
    ),
    Step(
        "Click a word to hide it: the encoder guesses it from the others. Random weights cannot "
        "guess; choose “trained” under “Weights” first.",
        "text_panel.chips",
        _hid_a_word,
        ("controller.finished",),
        "The likeliest words stand beneath. Another click shows the word again.",
    ),
    Step(
        "Open the tab “Compare”: the same words under several encodings, and the difference.",
        "tabs.tabBar",
        _compared,
        ("controller.task_finished", "tabs.currentChanged"),
        "The heads that changed most are listed on the right.",
        tab="",
    ),
    Step(
        "Press F1, or click a question mark, to read what something is and where it comes from.",
        "settings_panel.rows.positional_encoding",
        _read,
        ("guide.explainer.opened",),
        "“More” has the formula and the paper. Esc closes it.",
        tab="",
    ),
    Step(
        "That is all. F11 shows the picture alone, for a lecture; the other tabs show the same "
        "result in other ways. This tour is in the Help menu.",
        "tabs.tabBar",
        tab="",
    ),
)


def part_of(window: Any, name: str) -> Any:
    """A part by its name, such as ``settings_panel.rows.seed``; methods are called."""
    part = window
    for word in name.split("."):
        part = part[word] if isinstance(part, dict) else attrgetter(word)(part)
        if callable(part) and not isinstance(part, QObject):
            part = part() if word == "tabBar" else part
    return part


# --- how a step is shown --------------------------------------------------------------------------

# What the card should not hide, as far as there is room elsewhere.
BUSY = (
    "attention_view.plot",
    "attention_view.sentence",
    "attention_view.mosaic",
    "text_panel.editor",
    "text_panel.samples",
    "text_panel.chips",
    "settings_panel",
)

_MARGIN = 10
_WIDTH = 330
_GLOW = 7


class Glow(QWidget):
    """A frame around what a step is about. The mouse does not notice it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def surround(self, rect: QRect) -> None:
        """Frames a part of the window."""
        margins = QMargins(_GLOW, _GLOW, _GLOW, _GLOW)
        outer = rect.marginsAdded(margins)
        self.setGeometry(outer)
        inner = QRect(QPoint(_GLOW, _GLOW), rect.size()).adjusted(3, 3, -3, -3)
        # Only the frame is there: nothing beneath it has to be painted twice.
        self.setMask(QRegion(QRect(QPoint(0, 0), outer.size())) - QRegion(inner))
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        color = QColor(colors_of(self.palette()).accent)
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for distance in range(_GLOW, -1, -1):
                color.setAlphaF(1.0 if distance == 0 else 0.32 * (1 - distance / (_GLOW + 1)))
                painter.setPen(QPen(color, 2.5 if distance == 0 else 1.5))
                inset = _GLOW - distance + 0.5
                rect = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
                painter.drawRoundedRect(rect, 4 + distance, 4 + distance)


class Card(QFrame):
    """What to do, with the buttons to go back, on, and away. It can be dragged aside."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAutoFillBackground(False)
        self.setAccessibleName("Guided tour")
        self.progress = QLabel()
        self.progress.setProperty("role", "hint")
        self.seen = PlainLabel()
        self.sentence = PlainLabel()
        font = self.sentence.font()
        font.setPointSizeF(font.pointSizeF() * 1.1)
        self.sentence.setFont(font)
        self.back = QPushButton("&Back")
        self.skip = QPushButton("Sk&ip step")
        self.end = QPushButton("E&nd")
        self.end.setToolTip("Ends the tour; Help ▸ Guided tour starts it again")
        row = QHBoxLayout()
        row.addWidget(self.progress, 1)
        for button in (self.back, self.skip, self.end):
            button.setAutoDefault(True)
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.addWidget(self.seen)
        column.addWidget(self.sentence)
        column.addLayout(row)
        self._grabbed: QPointF | None = None
        self.hide()

    def wanted_size(self) -> QSize:
        """How large it is with its present words."""
        width = _WIDTH * self.fontMetrics().height() // 18
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        width = max(width, layout.minimumSize().width())
        return QSize(width, layout.totalHeightForWidth(width))

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = colors_of(self.palette())
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(colors.accent), 1.5))
            painter.setBrush(QColor(colors.raised))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 7, 7)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._grabbed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            self.move(self.pos() + (event.position() - self._grabbed).toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grabbed = None


class Offer(QWidget):
    """One line that offers the tour, in the status bar."""

    accepted = Signal()

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        label = QLabel("New here?")
        label.setProperty("role", "hint")
        self.yes = QPushButton("Take the guided tour")
        self.no = QPushButton("No, thanks")
        for widget in (label, self.yes, self.no):
            row.addWidget(widget)
        self.yes.clicked.connect(self.accepted)
        self.no.clicked.connect(self.hide)


def visible_rect(widget: QWidget, window: QWidget) -> QRect:
    """The part of a widget that is in view, in the window's coordinates; empty where none is."""
    if not widget.isVisibleTo(window):
        return QRect()
    rect = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    parent = widget.parentWidget()
    while parent is not None:
        corner = parent.mapTo(window, QPoint(0, 0)) if parent is not window else QPoint(0, 0)
        rect = rect.intersected(QRect(corner, parent.size()))
        if parent is window:
            break
        parent = parent.parentWidget()
    return rect


def card_place(size: QSize, room: QRect, about: QRect, busy: list[QRect]) -> QPoint:
    """Where the card hides least: first of what the step is about, then of what is busy."""
    w, h = size.width(), size.height()
    left, right = about.left() - w - _MARGIN, about.right() + _MARGIN
    over, under = about.top() - h - _MARGIN, about.bottom() + _MARGIN
    places = [
        QPoint(right, about.top()),
        QPoint(about.left(), under),
        QPoint(left, about.top()),
        QPoint(about.left(), over),
        QPoint(about.right() - w, under),
        QPoint(about.right() - w, over),
        QPoint(right, about.bottom() - h),
        QPoint(left, about.bottom() - h),
        QPoint(room.left(), room.bottom() - h),
        QPoint(room.right() - w, room.bottom() - h),
        QPoint(room.right() - w, room.top()),
    ]

    def clamped(place: QPoint) -> QPoint:
        x = max(room.left(), min(place.x(), room.right() - w))
        return QPoint(x, max(room.top(), min(place.y(), room.bottom() - h)))

    def hidden(place: QPoint) -> float:
        covered = [QRect(place, size).intersected(rect) for rect in (about, *busy)]
        areas = [max(0, rect.width()) * max(0, rect.height()) for rect in covered]
        return 100.0 * areas[0] + sum(areas[1:])

    return min(map(clamped, places), key=hidden)


class Tour(QObject):
    """Walks through :data:`STEPS`, or away at any time.

    Attributes:
        index: The step that is shown, from 0; −1 where none is.
    """

    ended = Signal()

    def __init__(self, window: QMainWindow, steps: tuple[Step, ...] = STEPS) -> None:
        super().__init__(window)
        self._window: Any = window
        self.steps = steps
        self.index = -1
        self._check: Check = lambda: False
        self._connected: list[Any] = []
        self._watched: list[QWidget] = []
        self.card = Card(window)
        self.glow = Glow(window)
        self.offer: Offer | None = None
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._place)
        self.card.back.clicked.connect(self._on_back)
        self.card.skip.clicked.connect(self._on_skip)
        self.card.end.clicked.connect(self.end)

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        actions.add(menu, "&Guided tour", self.start)

    def show_offer(self) -> None:
        """Offers the tour in the status bar, without waiting for an answer."""
        self.offer = Offer()
        self.offer.accepted.connect(self.start)
        self._window.statusBar().addPermanentWidget(self.offer)

    @Slot()
    def start(self) -> None:
        """Begins with the first step."""
        if self.offer is not None:
            self.offer.hide()
        self._show(0)

    @Slot()
    def end(self) -> None:
        """Puts the tour away; it can be started again."""
        if self.index < 0:
            return
        self.index = -1
        self._forget()
        self._later.stop()
        self.card.hide()
        self.glow.hide()
        self.ended.emit()

    @Slot(bool)
    def pause(self, is_paused: bool) -> None:
        """Hides the step for a while."""
        if self.index >= 0:
            self.card.setVisible(not is_paused)
            self._place()

    # --- one step after the other -----------------------------------------------------------------

    def _show(self, index: int, seen: str = "") -> None:
        self._forget()
        self.index = index
        step = self.steps[index]
        self._prepare(step)
        self._check = step.watch(self._window)
        for name in step.signals:
            signal = part_of(self._window, name)
            signal.connect(self._on_something)
            self._connected.append(signal)
        card = self.card
        card.progress.setText(f"{index + 1} of {len(self.steps)}")
        card.seen.setText(f"✓ {seen}")
        card.seen.setVisible(bool(seen))
        card.sentence.setText(step.sentence)
        is_last = index == len(self.steps) - 1
        card.back.setEnabled(index > 0)
        card.skip.setVisible(not is_last)
        card.end.setText("Fi&nish" if is_last else "E&nd")
        card.show()
        self._watch_places(part_of(self._window, step.place))
        self._place()

    def _prepare(self, step: Step) -> None:
        window = self._window
        if step.tab:
            tabs = window.tabs
            titles = [tabs.tabText(i) for i in range(tabs.count())]
            tabs.setCurrentIndex(titles.index(step.tab))
        widget = part_of(window, step.place)
        parent = widget.parentWidget()
        while parent is not None and parent is not window:
            if isinstance(parent, QScrollArea):
                parent.ensureWidgetVisible(widget)
            parent = parent.parentWidget()

    def _forget(self) -> None:
        for signal in self._connected:
            signal.disconnect(self._on_something)
        self._connected = []
        for widget in self._watched:
            if shiboken6.isValid(widget):
                widget.removeEventFilter(self)
        self._watched = []

    @Slot()
    def _on_something(self) -> None:
        if self.index >= 0 and self._check():
            self._show(self.index + 1, self.steps[self.index].seen)

    @Slot()
    def _on_back(self) -> None:
        self._show(max(0, self.index - 1))

    @Slot()
    def _on_skip(self) -> None:
        self._show(min(self.index + 1, len(self.steps) - 1))

    # --- where it is shown ------------------------------------------------------------------------

    def _watch_places(self, widget: QWidget) -> None:
        parent: QWidget | None = widget
        while parent is not None:
            parent.installEventFilter(self)
            self._watched.append(parent)
            parent = None if parent is self._window else parent.parentWidget()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES:
            self._later.start(0)
        return False

    @Slot()
    def _place(self) -> None:
        if self.index < 0 or self.card.isHidden():
            self.glow.hide()
            return
        window = self._window
        about = visible_rect(part_of(window, self.steps[self.index].place), window)
        inside = window.rect().adjusted(3, 3, -3, -3)
        if about.isEmpty():
            self.glow.hide()
        else:
            self.glow.surround(about.adjusted(-3, -3, 3, 3).intersected(inside))
        size = self.card.wanted_size()
        room = window.rect().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        busy = [visible_rect(part_of(window, name), window) for name in BUSY]
        self.card.setGeometry(QRect(card_place(size, room, about, busy), size))
        self.card.raise_()


_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)
