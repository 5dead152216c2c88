"""Opening what the user has: texts, models, attention; and the window in which encoders learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from posenc_gui.actions import Actions
from posenc_gui.appearance import Appearance
from posenc_gui.dialogs.files import ask_folder, ask_open
from posenc_model.settings import WEIGHT_FILES

if TYPE_CHECKING:
    from posenc_gui.training.window import TrainWindow


class Opener(QObject):
    """Asks which file or folder, and says which was chosen.

    Attributes:
        folder: Where the next dialog starts.
    """

    text_chosen = Signal(object)  # Path of a text file
    weights_chosen = Signal(str)  # path of a model's folder, of an encoder or of attention weights
    folder_changed = Signal(str)

    def __init__(self, window: QWidget, folder: str) -> None:
        super().__init__(window)
        self._window = window
        self.folder = folder

    def fill_menu(self, actions: Actions, menu: QMenu) -> QAction:
        """Adds what can be opened; gives the action for texts."""
        keys = QKeySequence.StandardKey
        text = actions.add(menu, "&Open text…", self._on_text, keys.Open, "open")
        actions.add(menu, "Open &model folder…", self._on_model, icon_name="open")
        actions.add(menu, "Open &weights or attention…", self._on_weights, icon_name="open")
        return text

    def _on_text(self) -> None:
        path = self._went_to(ask_open(self._window, "Open a text", self.folder))
        if path is not None:
            self.text_chosen.emit(path)

    def _on_model(self) -> None:
        title = "Open the folder of a model"
        path = self._went_to(ask_folder(self._window, title, self.folder))
        if path is not None:
            self.weights_chosen.emit(str(path))

    def _on_weights(self) -> None:
        title = "Open a trained encoder or attention weights"
        path = self._went_to(ask_open(self._window, title, self.folder, WEIGHT_FILES))
        if path is not None:
            self.weights_chosen.emit(str(path))

    def _went_to(self, path: Path | None) -> Path | None:
        if path is not None:
            self.folder = str(path.parent)
            self.folder_changed.emit(self.folder)
        return path


class TrainOpener(QObject):
    """Makes the Train window when it is first asked for, and closes it with the program."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.window: TrainWindow | None = None

    def show(self) -> None:
        """Opens the window, or brings it to the front."""
        if self.window is None:
            from posenc_gui.training.window import TrainWindow  # most who start never need it

            self.window = TrainWindow(self._appearance.color_map)
            self._appearance.colors_changed.connect(self.window.set_color_map)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def shut_down(self) -> None:
        """Ends a training, with its checkpoint, and closes the window."""
        if self.window is not None:
            self.window.shut_down()
            self.window.close()
