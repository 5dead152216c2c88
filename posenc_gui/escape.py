"""Esc closes what was opened last."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


class EscapeKey(QObject):
    """One key for all that can be closed with it.

    Args:
        window: Where the key is pressed.
        cancel: The action that has the same key while a run goes on, and then comes first.
    """

    def __init__(self, window: QWidget, cancel: QAction) -> None:
        super().__init__(window)
        self._closers: list[Callable[[], None]] = []
        self._cancel = cancel
        self._shortcut = QShortcut(QKeySequence("Esc"), window)
        self._shortcut.activated.connect(self._on_pressed)
        cancel.enabledChanged.connect(self._refresh)
        self._refresh()

    def push(self, close: Callable[[], None]) -> None:
        """The next Esc calls ``close``."""
        self.drop(close)
        self._closers.append(close)
        self._refresh()

    def drop(self, close: Callable[[], None]) -> None:
        """What ``close`` closes is closed already."""
        self._closers = [one for one in self._closers if one != close]
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        # Two shortcuts of one key would block each other.
        self._shortcut.setEnabled(bool(self._closers) and not self._cancel.isEnabled())

    @Slot()
    def _on_pressed(self) -> None:
        self._closers[-1]()
