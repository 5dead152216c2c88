"""The pane with explanations, beside the picture."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPointF, QSettings, QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QHideEvent, QMouseEvent, QPaintEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QTabWidget,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.actions import Actions
from posenc_gui.escape import EscapeKey
from posenc_gui.explanations import KINDS, NO_REFERENCE, explanations
from posenc_gui.help_button import TOPIC, HelpButton
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of
from posenc_gui.views.base import ResultView

_FIRST_WIDTH = 310
_LEAST_WIDTH = 220
_LEAST_PICTURE = 240
_GRIP = 6
_FORMULA_INDENT = 14
# Less is not enough for what stands beside a picture.
_LEAST_SIDE = 230
_LEAST_VIEW = 600
_EDGE = 8
_WIDTH_KEY = "explanations"

# What F1 explains, besides the settings and the views themselves.
TOPICS = {
    "text_panel": "words/token",
    "text_panel.chips": "words/token",
    "text_panel.guesses": "words/hidden-word",
    "attention_view.layer_box": "words/layer",
    "attention_view.head_box": "words/head",
    "attention_view.mean_box": "words/head",
    "attention_view.mosaic": "views/all-heads",
    "attention_view.neighbours": "views/all-heads",
    "attention_view.why": "views/why-this-cell",
}


class _Grip(QWidget):
    """The left edge of the pane, which is dragged."""

    dragged = Signal(float)  # by how much to the right

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self._start: QPointF | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._start = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._start is not None:
            self.dragged.emit(event.position().x() - self._start.x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._start = None


class ExplainPane(QFrame):
    """Shows one text at a time; its links lead to others.

    Attributes:
        topic: The name of the text that is shown.
    """

    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.topic = ""
        self._before: list[str] = []
        self.setAutoFillBackground(True)
        self.setAccessibleName("Explanation")
        self.back_button = self._button("‹", "The text before")
        self.topics = QComboBox()
        self.topics.setAccessibleName("All explanations")
        self.topics.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.topics.setMinimumContentsLength(8)
        self.close_button = self._button("×", "Closes this pane (Esc)")
        self.browser = QTextBrowser()
        self.browser.setOpenLinks(False)
        self.browser.setFrameShape(QFrame.Shape.NoFrame)
        self.browser.setAccessibleName("Explanation")
        self.browser.viewport().setAutoFillBackground(False)
        self.more_button = QToolButton()
        self.more_button.setText("More: formula and reference")
        self.more_button.setCheckable(True)
        self.more_button.setAutoRaise(True)
        self.more_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.more_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more_button.setArrowType(Qt.ArrowType.RightArrow)
        head = QHBoxLayout()
        head.addWidget(self.back_button)
        head.addWidget(self.topics, 1)
        head.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 4, 4, 4)
        column.addLayout(head)
        column.addWidget(self.browser, 1)
        column.addWidget(self.more_button)
        self.grip = _Grip(self)
        self.back_button.clicked.connect(self._on_back)
        self.close_button.clicked.connect(self.closed)
        self.topics.activated.connect(self._on_chosen)
        self.browser.anchorClicked.connect(self._on_link)
        self.more_button.toggled.connect(self._on_more)
        self.hide()

    @staticmethod
    def _button(text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAutoRaise(True)
        font = button.font()
        font.setPointSizeF(font.pointSizeF() * 1.4)
        button.setFont(font)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def show_topic(self, name: str) -> None:
        """Shows another text."""
        if self.topic and name != self.topic:
            self._before.append(self.topic)
        self.topic = name
        self._show()

    def _show(self) -> None:
        if not self.topics.count():
            for explanation in explanations().values():
                kind = KINDS[explanation.name.partition("/")[0]]
                title = explanation.title.partition(": ")[2] or explanation.title
                self.topics.addItem(f"{kind}: {title}", explanation.name)
        self.topics.setCurrentIndex(self.topics.findData(self.topic))
        self.back_button.setEnabled(bool(self._before))
        self._write()

    def _write(self) -> None:
        """Fills the browser with our own Markdown; nothing of it comes from the user."""
        explanation = explanations().get(self.topic)
        if explanation is None:
            self.browser.setPlainText("There is no explanation of this.")
            self.more_button.hide()
            return
        self.more_button.show()
        words = f"### {explanation.title}\n\n{explanation.short}"
        if self.more_button.isChecked():
            reference = explanation.reference
            if reference.startswith(NO_REFERENCE):
                reference = f"No reference{reference.removeprefix(NO_REFERENCE)}"
            else:
                reference = f"Reference: {reference}"
            words += f"\n\n{explanation.more}\n\n*{reference}*"
        self.browser.setMarkdown(words)
        self._indent_less()

    def _indent_less(self) -> None:
        """Gives formulas, which are quotations in Markdown, more of the narrow pane."""
        cursor = QTextCursor(self.browser.document())
        block = self.browser.document().begin()
        while block.isValid():
            shape = block.blockFormat()
            if shape.leftMargin() > _FORMULA_INDENT:
                shape.setLeftMargin(_FORMULA_INDENT)
                shape.setRightMargin(0)
                cursor.setPosition(block.position())
                cursor.setBlockFormat(shape)
            block = block.next()

    def sizeHint(self) -> QSize:
        return QSize(_FIRST_WIDTH, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 120)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.grip.setGeometry(0, 0, _GRIP, self.height())
        self.grip.raise_()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._before.clear()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Links are written in the colour they have at that time.
        if event.type() == QEvent.Type.PaletteChange and self.topic:
            self._write()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with painting(self) as painter:
            painter.setPen(colors_of(self.palette()).line)
            painter.drawLine(1, 0, 1, self.height())

    @Slot()
    def _on_back(self) -> None:
        self.topic = self._before.pop()
        self._show()

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        self.show_topic(str(self.topics.itemData(index)))

    @Slot(QUrl)
    def _on_link(self, url: QUrl) -> None:
        if url.toString() in explanations():
            self.show_topic(url.toString())

    @Slot(bool)
    def _on_more(self, is_open: bool) -> None:
        self.more_button.setArrowType(
            Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow
        )
        self._write()


class BesidePane(QWidget):
    """Content, and the pane at its right: beside it where there is room, else over its edge.

    What the content needs stays the least the window can be, so that opening the pane never makes
    the window larger than the screen.

    Args:
        content: What is always shown.
        pane: What is shown at times.
        width: How wide the pane should be.

    Attributes:
        picture: What the content is about, if something may make room for the pane beside it.
        side: What makes room, where there is not enough for both.
    """

    picture: QWidget | None = None
    side: QWidget | None = None

    def __init__(self, content: QWidget, pane: ExplainPane, width: int) -> None:
        super().__init__()
        self._content, self._pane = content, pane
        self.pane_width = width
        self._is_side_away = False
        content.setParent(self)
        pane.setParent(self)
        pane.hide()
        pane.grip.dragged.connect(self._on_dragged)

    def show_pane(self, is_shown: bool) -> None:
        self._pane.setVisible(is_shown)
        self.place()

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._content.minimumSizeHint()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self.place()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place()

    @Slot()
    def place(self) -> None:
        """Divides the room between both."""
        width, height = self.width(), self.height()
        if self._pane.isHidden():
            self._put_side_away(False)
            self._content.setGeometry(0, 0, width, height)
            return
        pane = max(_LEAST_WIDTH, min(self.pane_width, width - _LEAST_PICTURE))
        rest = width - pane
        if self.picture is not None:
            picture = self.picture.minimumSizeHint().width()
            self._put_side_away(rest < picture + _LEAST_SIDE)
            # What cannot make room is covered rather than pressed together. Tabs that are not seen
            # may need more than there is.
            rest = max(rest, (picture if self.picture.isVisible() else _LEAST_VIEW) + _EDGE)
        self._content.setGeometry(0, 0, min(width, rest), height)
        self._pane.setGeometry(width - pane, 0, pane, height)
        self._pane.raise_()

    def _put_side_away(self, is_away: bool) -> None:
        """Hides what stands beside the picture, and brings it back as wide as it was."""
        if self.side is None or is_away == self._is_side_away:
            return
        self._is_side_away = is_away
        self.side.setVisible(not is_away)

    @Slot(float)
    def _on_dragged(self, right: float) -> None:
        widest = max(_LEAST_WIDTH, self.width() - _LEAST_PICTURE)
        self.pane_width = max(_LEAST_WIDTH, min(round(self._pane.width() - right), widest))
        self.place()


class Explainer(QObject):
    """Opens the pane with the text about what has the focus, or what a question mark stands at.

    Args:
        window: Whose parts it explains.
        file: Where the pane's width is remembered, beside the window's geometry.
    """

    opened = Signal(str)  # the name of the text

    def __init__(self, window: QMainWindow, file: Path) -> None:
        super().__init__(window)
        self._window = window
        self._file = file
        self._escape: EscapeKey | None = None
        self._focus_before: QWidget | None = None
        self.pane = ExplainPane()
        self.pane.closed.connect(self.close)
        self.host: BesidePane | None = None
        self._tabs: QTabWidget | None = None

    def beside(self, content: QWidget) -> BesidePane:
        """The content with the pane at its right."""
        self.host = BesidePane(content, self.pane, self._remembered_width())
        return self.host

    def connect_parts(self, escape: EscapeKey) -> None:
        """Finds the question marks and names what F1 explains, once all parts are there."""
        self._escape = escape
        self._tabs = self._part("tabs")
        corner = HelpButton("", "this view")
        corner.setContentsMargins(0, 0, 4, 0)
        self._part("tabs").add_button(corner)
        for name, topic in TOPICS.items():
            self._part(name).setProperty(TOPIC, topic)
        assert self.host is not None
        self.host.picture = self._part("attention_view.splitter").widget(0)
        self.host.side = self._part("attention_view.side")
        self._part("tabs").currentChanged.connect(self.host.place)
        # What a cell is made of is shown where the pane may have taken the room.
        self._part("attention_view.plot").cell_chosen.connect(self._on_cell_chosen)
        kinds = self._part("attention_view.kind_box")
        kinds.currentIndexChanged.connect(self._on_kind_chosen)
        self._on_kind_chosen()
        for button in self._window.findChildren(HelpButton):
            button.asked.connect(self._on_asked)

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        actions.add(menu, "&Explain this", self.explain_focus, "F1")

    def _part(self, name: str) -> Any:
        return attrgetter(name)(self._window)

    def topic_of(self, widget: QWidget | None) -> str:
        """The name of the text about a widget; of the current view where there is none."""
        while widget is not None and widget is not self._window:
            topic = widget.property(TOPIC)
            if isinstance(topic, str) and topic:
                return topic
            if isinstance(widget, ResultView):
                return widget.explanation()
            widget = widget.parentWidget()
        assert self._tabs is not None
        view = self._tabs.currentWidget()
        return view.explanation() if isinstance(view, ResultView) else ""

    @Slot()
    def explain_focus(self) -> None:
        """Explains what has the focus; within the pane, closes it."""
        focused = QApplication.focusWidget()
        if focused is not None and self.pane.isAncestorOf(focused):
            self.close()
        else:
            self.open(self.topic_of(focused))

    def open(self, topic: str) -> None:
        """Shows a text and takes the focus, so that the keyboard scrolls it and Esc closes it."""
        assert self.host is not None
        assert self._escape is not None
        focused = QApplication.focusWidget()
        if focused is None or not self.pane.isAncestorOf(focused):
            self._focus_before = focused
        self.pane.show_topic(topic)
        self.host.show_pane(True)
        self.pane.browser.setFocus()
        self._escape.push(self.close)
        self.opened.emit(topic)

    @Slot()
    def close(self) -> None:
        """Puts the pane away and gives the focus back."""
        assert self.host is not None
        assert self._escape is not None
        self._escape.drop(self.close)
        focused = QApplication.focusWidget()
        had_focus = focused is None or self.pane.isAncestorOf(focused)
        self.host.show_pane(False)
        before = self._focus_before
        if had_focus and before is not None and shiboken6.isValid(before) and before.isVisible():
            before.setFocus()

    @Slot()
    def _on_cell_chosen(self) -> None:
        if not self.pane.isHidden() and self._part("attention_view.side").isHidden():
            self.close()

    @Slot(str)
    def _on_asked(self, topic: str) -> None:
        self.open(topic or self.topic_of(None))

    @Slot()
    def _on_kind_chosen(self) -> None:
        box = self._part("attention_view.kind_box")
        box.setProperty(TOPIC, f"matrices/{box.currentData()}")

    def remember(self) -> None:
        """Writes the pane's width."""
        if self.host is not None:
            store = self._store()
            store.setValue(_WIDTH_KEY, self.host.pane_width)
            store.sync()

    def _remembered_width(self) -> int:
        try:
            return max(_LEAST_WIDTH, int(str(self._store().value(_WIDTH_KEY, _FIRST_WIDTH))))
        except ValueError:
            return _FIRST_WIDTH

    def _store(self) -> QSettings:
        return QSettings(str(self._file), QSettings.Format.IniFormat)
