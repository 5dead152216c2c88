"""Presentation: the picture alone, large, for a lecture; and everything as it was afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any

import shiboken6
from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFont, QGuiApplication, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QLayout, QMainWindow, QMenu, QSplitter, QWidget

from posenc_gui.actions import Actions
from posenc_gui.escape import EscapeKey
from posenc_gui.history import HistoryStrip
from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.base import ARROW_STEPS
from posenc_model.request import MEAN_HEAD

LARGER = 1.5
_NO_SCREEN = ("offscreen", "minimal")
_KEYS = "↑ ↓ layer  ·  ← → head  ·  {}Esc: back to the window"
_CELL_KEYS = "Shift and arrows: cell  ·  "

# What is folded away: parts of the window by name; of a layout, all that lies in it.
FOLDED = (
    "text_panel",
    "settings_panel",
    "attention_view.controls",
    "attention_view.neighbours",
    "attention_view.provenance",
)
# The share of the picture beside that of all heads.
_PICTURE, _HEADS = 76, 24


@dataclass(frozen=True)
class _Type:
    """A widget's font, as it was and enlarged."""

    widget: QWidget
    font: QFont
    is_own: bool
    larger: QFont


@dataclass
class _Before:
    """What the window was like."""

    state: Qt.WindowState
    size: QSize
    tab: int
    focus: QWidget | None
    splitters: list[tuple[QSplitter, QByteArray]]
    fonts: list[_Type] = field(default_factory=list)
    shown: list[QWidget] = field(default_factory=list)
    limits: list[tuple[QWidget, QSize, QSize]] = field(default_factory=list)


class Presentation(QObject):
    """Enters and leaves the presentation.

    Args:
        window: What is presented.
        escape: The key that leaves it, besides F11.
    """

    changed = Signal(bool)  # whether it is on

    def __init__(self, window: QMainWindow, escape: EscapeKey) -> None:
        super().__init__(window)
        self._window = window
        self._escape = escape
        self._before: _Before | None = None
        self._keys = PlainLabel(role="hint")
        self._keys.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._keys.hide()
        self._action: QAction | None = None
        self._arrows: list[QShortcut] = []
        for key, (down, right) in ARROW_STEPS.items():
            walk = partial(self._on_arrow, down, right)
            self._add_shortcut(QKeySequence(key), walk)
            shifted = QKeySequence(f"Shift+{QKeySequence(key).toString()}")
            self._add_shortcut(shifted, partial(self._on_cell_arrow, key))

    @property
    def is_on(self) -> bool:
        return self._before is not None

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        self._action = actions.add(menu, "Present&ation mode", self.toggle, "F11")
        self._action.setCheckable(True)
        self._part("appearance").theme_changed.connect(self._use_larger_type)
        self._part("tabs").currentChanged.connect(self._name_keys)

    @Slot()
    def toggle(self) -> None:
        if self.is_on:
            self.leave()
        else:
            self.enter()

    def enter(self) -> None:
        """Folds the panels away and enlarges what remains."""
        if self.is_on:
            return
        window = self._window
        self._before = before = _Before(
            window.windowState(),
            window.size(),
            self._part("tabs").currentIndex(),
            QApplication.focusWidget(),
            [(one, one.saveState()) for one in window.findChildren(QSplitter)],
        )
        window.setUpdatesEnabled(False)
        self._fold(before)
        self._enlarge(before)
        central = window.centralWidget().layout()
        assert central is not None
        central.addWidget(self._keys)
        self._name_keys()
        self._keys.show()
        splitter = self._part("attention_view.splitter")
        splitter.setSizes([_PICTURE * splitter.width(), _HEADS * splitter.width()])
        for shortcut in self._arrows:
            shortcut.setEnabled(True)
        self._part("tabs").currentWidget().setFocus()
        window.setUpdatesEnabled(True)
        if QGuiApplication.platformName() not in _NO_SCREEN:
            window.showFullScreen()
        self._escape.push(self.leave)
        self._tell(True)

    @Slot()
    def leave(self) -> None:
        """Makes everything as it was before."""
        before, self._before = self._before, None
        if before is None:
            return
        window = self._window
        self._escape.drop(self.leave)
        for shortcut in self._arrows:
            shortcut.setEnabled(False)
        window.setUpdatesEnabled(False)
        self._keys.hide()
        self._keys.setParent(None)
        for one in before.fonts:
            if shiboken6.isValid(one.widget):
                one.widget.setFont(one.font if one.is_own else QFont())
                if one.widget.font() != one.font:  # part of it comes from the style sheet
                    style = one.widget.style()
                    style.unpolish(one.widget)
                    style.polish(one.widget)
        for widget, least, most in before.limits:
            widget.setMinimumSize(least)
            widget.setMaximumSize(most)
        for widget in before.shown:
            widget.show()
        self._part("tabs").setCurrentIndex(before.tab)
        if window.windowState() != before.state:
            window.setWindowState(before.state)
        if QGuiApplication.platformName() in _NO_SCREEN:
            window.resize(before.size)
        # The layouts settle first: a splitter divides the room that it has then.
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        for splitter, state in before.splitters:
            splitter.restoreState(state)
        window.setUpdatesEnabled(True)
        focus = before.focus
        if focus is not None and shiboken6.isValid(focus):
            focus.setFocus()
        self._tell(False)

    @Slot()
    def _name_keys(self) -> None:
        has_cells = self._part("tabs").currentWidget() is self._part("attention_view")
        self._keys.setText(_KEYS.format(_CELL_KEYS if has_cells else ""))

    def _tell(self, is_on: bool) -> None:
        if self._action is not None:
            self._action.setChecked(is_on)
        self.changed.emit(is_on)

    def _part(self, name: str) -> Any:
        return attrgetter(name)(self._window)

    def _add_shortcut(self, keys: QKeySequence, slot: Any) -> None:
        shortcut = QShortcut(keys, self._window)
        shortcut.activated.connect(slot)
        shortcut.setEnabled(False)
        self._arrows.append(shortcut)

    def _folded(self) -> Iterator[QWidget]:
        yield self._window.statusBar()
        yield self._part("tabs").tabBar()
        if (corner := self._part("tabs").cornerWidget()) is not None:
            yield corner
        yield from self._window.findChildren(HistoryStrip)
        for name in FOLDED:
            part = self._part(name)
            if isinstance(part, QLayout):
                items = (part.itemAt(i) for i in range(part.count()))
                widgets = (item.widget() for item in items if item is not None)
                yield from (widget for widget in widgets if widget is not None)
            else:
                yield part

    def _fold(self, before: _Before) -> None:
        for widget in self._folded():
            self._limit(before, widget, QSize(0, 0))  # some are shown again by their own
            if not widget.isHidden():
                before.shown.append(widget)
                widget.hide()
        # A hidden menu bar would take the keys of all its menus with it.
        menus = self._window.menuBar()
        self._limit(before, menus, QSize(menus.maximumWidth(), 0))
        # Tabs that are not seen must not widen the window by their larger type.
        tabs = self._part("tabs")
        before.limits.append((tabs, tabs.minimumSize(), tabs.maximumSize()))
        tabs.setMinimumSize(1, 1)

    @staticmethod
    def _limit(before: _Before, widget: QWidget, most: QSize) -> None:
        before.limits.append((widget, widget.minimumSize(), widget.maximumSize()))
        widget.setMinimumSize(0, 0)
        widget.setMaximumSize(most)

    def _enlarge(self, before: _Before) -> None:
        """Enlarges the type of all that is not folded away, each widget's by itself.

        With a style sheet, which the theme has, widgets do not inherit their window's font.
        """
        folded = list(self._folded())
        for widget in self._window.findChildren(QWidget):
            is_folded = any(part is widget or part.isAncestorOf(widget) for part in folded)
            if widget.window() is self._window and not is_folded:
                font, larger = QFont(widget.font()), QFont(widget.font())
                if font.pixelSize() > 0:  # only one of the two is set
                    larger.setPixelSize(round(font.pixelSize() * LARGER))
                else:
                    larger.setPointSizeF(font.pointSizeF() * LARGER)
                is_own = widget.testAttribute(Qt.WidgetAttribute.WA_SetFont)
                before.fonts.append(_Type(widget, font, is_own, larger))
        self._use_larger_type()

    @Slot()
    def _use_larger_type(self) -> None:
        """Also after another theme, whose style sheet takes it away."""
        if self._before is not None:
            for one in self._before.fonts:
                if shiboken6.isValid(one.widget):
                    one.widget.setFont(one.larger)

    def _on_arrow(self, down: int, right: int) -> None:
        choice = self._part("choice")
        head = choice.head if choice.head == MEAN_HEAD else choice.head + right
        choice.choose(choice.layer + down, head)

    def _on_cell_arrow(self, key: Qt.Key) -> None:
        if not self._part("attention_view").isVisible():
            return
        event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
        self._part("attention_view.plot").keyPressEvent(event)
