"""Where the window is and how it is divided, remembered between two starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow, QSplitter

_FIRST_SIZE = (1280, 720)


class WindowGeometry:
    """Kept in a file of its own, for it is Qt's business and not the user's settings.

    Args:
        path: The file.
        window: Whose geometry it is.
        splitters: The window's splitters, by the names they are stored under.
    """

    def __init__(self, path: Path, window: QMainWindow, splitters: Mapping[str, QSplitter]) -> None:
        self._path = path
        self._window = window
        self._splitters = dict(splitters)

    def restore(self) -> None:
        self._window.resize(*_FIRST_SIZE)
        store = self._store()
        targets = {name: splitter.restoreState for name, splitter in self._splitters.items()}
        for name, restore in {"window": self._window.restoreGeometry, **targets}.items():
            state = store.value(name)
            if isinstance(state, QByteArray):
                restore(state)

    def save(self) -> None:
        store = self._store()
        store.setValue("window", self._window.saveGeometry())
        for name, splitter in self._splitters.items():
            store.setValue(name, splitter.saveState())
        store.sync()

    def _store(self) -> QSettings:
        return QSettings(str(self._path), QSettings.Format.IniFormat)
