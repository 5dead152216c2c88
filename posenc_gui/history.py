"""What was looked at: undo, redo, and a strip to go back with one click."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QIcon, QImage, QKeySequence, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QMenu, QScrollArea, QToolButton, QWidget

from posenc_gui.actions import Actions
from posenc_gui.figures.colormaps import color_image
from posenc_model.settings import Settings

if TYPE_CHECKING:
    from posenc_model.result import RunResult

MOST = 60
# Words typed without a longer pause are undone together.
TYPING_SECONDS = 2.0
_ICON = 22
_LONGEST_TEXT = 18


@dataclass(frozen=True)
class State:
    """A text with all settings, as it was looked at."""

    text: str
    settings: Settings
    masked: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """The encoding and the text's beginning."""
        text = " ".join(self.text.split())
        text = text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
        return f"{self.settings.positional_encoding} · {text}"

    @property
    def description(self) -> str:
        """All settings and the whole text."""
        flat = ", ".join(f"{name} {value}" for name, value in self.settings.flat().items())
        hidden = f"\nHidden words: {len(self.masked)}" if self.masked else ""
        return f"{flat}{hidden}\n{self.text[:500]}"


class History(QObject):
    """States one after the other, and which of them is shown.

    Attributes:
        states: The oldest first.
        current: Index of the one that is shown; −1 before the first.
    """

    restore_wanted = Signal(object)  # State
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.states: list[State] = []
        self.icons: list[QIcon] = []
        self.current = -1
        self._last_typed = 0.0
        self._is_lost = False  # whether nothing is shown just now

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        keys = QKeySequence.StandardKey
        self.undo_action: QAction = actions.add(menu, "&Undo", self.undo, keys.Undo, "undo")
        self.redo_action: QAction = actions.add(menu, "&Redo", self.redo, keys.Redo, "redo")
        self._show_what_can_be_done()

    def record(self, result: RunResult, icon: QIcon) -> None:
        """Takes a result that is being looked at; what was undone before is forgotten."""
        self._is_lost = False
        request = result.request
        state = State(request.text, request.settings, request.masked)
        if self.current >= 0 and state == self.states[self.current]:
            self.icons[self.current] = icon
        elif self._goes_on_typing(state):
            self.states[self.current], self.icons[self.current] = state, icon
        else:
            del self.states[self.current + 1 :], self.icons[self.current + 1 :]
            self.states.append(state)
            self.icons.append(icon)
            del self.states[:-MOST], self.icons[:-MOST]
            self.current = len(self.states) - 1
        self._show_what_can_be_done()
        self.changed.emit()

    def _goes_on_typing(self, state: State) -> bool:
        """Whether only the text is another, for the second time within a moment."""
        now = time.monotonic()
        before = self.states[self.current] if self.current >= 0 else None
        is_typed = (
            before is not None
            and before.settings == state.settings
            and before.masked == state.masked
        )
        went_on = is_typed and now - self._last_typed < TYPING_SECONDS
        self._last_typed = now if is_typed else 0.0
        return went_on and self.current == len(self.states) - 1

    def lose(self) -> None:
        """Is told that no result is shown any longer: the last one can be gone back to."""
        self._is_lost = True
        self._show_what_can_be_done()

    @Slot()
    def undo(self) -> None:
        """Goes back to the state before, or to the last one where nothing is shown."""
        self.go_to(self.current if self._is_lost else self.current - 1)

    @Slot()
    def redo(self) -> None:
        """Goes forward to the state that was undone."""
        self.go_to(self.current + 1)

    def go_to(self, index: int) -> None:
        """Has a state shown again."""
        if 0 <= index < len(self.states) and (index != self.current or self._is_lost):
            self.current = index
            self._last_typed = 0.0
            self._show_what_can_be_done()
            self.changed.emit()
            self.restore_wanted.emit(self.states[index])

    def _show_what_can_be_done(self) -> None:
        if hasattr(self, "undo_action"):
            self.undo_action.setEnabled(self.current > 0 or (self._is_lost and self.current == 0))
            self.redo_action.setEnabled(self.current < len(self.states) - 1)


def head_icon(result: RunResult, layer: int, head: int, color_map: str) -> QIcon:
    """A head of a result as a tiny picture; the first one of the layer for the mean."""
    small = result.overview.maximum[min(layer, result.num_layers - 1)]
    image = color_image(small[max(0, min(head, result.num_heads - 1))], (0.0, 1.0), color_map)
    image = image.scaled(_ICON, _ICON).convertToFormat(QImage.Format.Format_RGB32)
    return QIcon(QPixmap.fromImage(image))


class HistoryStrip(QScrollArea):
    """A button for each state, the newest at the right; hidden until there are two."""

    def __init__(self, history: History) -> None:
        super().__init__()
        self._history = history
        self.buttons: list[QToolButton] = []
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What was looked at")
        content = QWidget()
        self._row = QHBoxLayout(content)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self._row.addStretch(1)
        self.setWidget(content)
        self.hide()
        history.changed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Shows the states as they are now."""
        states = self._history.states
        while len(self.buttons) < len(states):
            button = QToolButton()
            button.setCheckable(True)
            button.setIconSize(QSize(_ICON, _ICON))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.clicked.connect(self._on_clicked)
            self._row.insertWidget(len(self.buttons), button)
            self.buttons.append(button)
        while len(self.buttons) > len(states):
            self.buttons.pop().deleteLater()
        for index, (button, state) in enumerate(zip(self.buttons, states, strict=True)):
            button.setIcon(self._history.icons[index])
            button.setText(state.title.replace("&", "&&"))
            # Qt looks for markup in the first line only.
            button.setToolTip(f"Shows this again\n{state.description}")
            button.setChecked(index == self._history.current)
        self.setVisible(len(states) > 1)
        if self.buttons:
            self.setFixedHeight(self.buttons[0].sizeHint().height() + 2)
            self.ensureWidgetVisible(self.buttons[self._history.current], 20, 0)

    @Slot()
    def _on_clicked(self) -> None:
        button = self.sender()
        assert isinstance(button, QToolButton)
        index = self.buttons.index(button)
        button.setChecked(index == self._history.current)
        self._history.go_to(index)
