"""Opening what the user has: texts, models, attention, saved pictures; and the Train window."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QDropEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from posenc_gui.actions import Actions
from posenc_gui.appearance import Appearance
from posenc_gui.controller import Controller
from posenc_gui.dialogs.files import ask_folder, ask_open
from posenc_gui.panels.text import TextEditor, dropped_file
from posenc_model.errors import PosencError
from posenc_model.exporters.provenance import SavedState, read_state
from posenc_model.settings import WEIGHT_FILES

if TYPE_CHECKING:
    from posenc_gui.training.window import TrainWindow


# What the program saves; some of it may as well be a text, or weights, of somebody else's.
_PICTURE_SUFFIXES = (".png", ".svg", ".pdf", ".tiff", ".tif", ".html")
_ENCODER_SUFFIX, _ARRAYS_SUFFIX = ".safetensors", ".npz"
_DATA_SUFFIXES = (".csv", ".npz", ".json")
_SAVED_FILES = "Saved pictures and data ({})".format(
    " ".join(f"*{suffix}" for suffix in (*_PICTURE_SUFFIXES, *_DATA_SUFFIXES))
)
_READ = "saved file"


class Opener(QObject):
    """Asks which file or folder, and says which was chosen.

    Args:
        window: Whose dialogs they are.
        controller: Reads what may be large.
        folder: Where the first dialog starts.

    Attributes:
        folder: Where the next dialog starts.
    """

    text_chosen = Signal(object)  # Path of a text file
    weights_chosen = Signal(str)  # path of a model's folder, of an encoder or of attention weights
    state_read = Signal(object)  # SavedState
    failed = Signal(str)  # a sentence about what could not be read
    folder_changed = Signal(str)

    def __init__(self, window: QWidget, controller: Controller, folder: str) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self.folder = folder
        controller.task_finished.connect(self._on_read)
        controller.task_failed.connect(self._on_not_read)

    def fill_menu(self, actions: Actions, menu: QMenu) -> QAction:
        """Adds what can be opened; gives the action for texts."""
        keys = QKeySequence.StandardKey
        text = actions.add(menu, "&Open text…", self._on_text, keys.Open, "open")
        actions.add(menu, "Open &model folder…", self._on_model, icon_name="open")
        actions.add(menu, "Open &weights or attention…", self._on_weights, icon_name="open")
        actions.add(menu, "Open saved &picture…", self._on_saved, icon_name="open")
        return text

    def take_drops(self, editor: TextEditor) -> None:
        """Opens the files that are dropped on the window, or on its text editor."""
        self._window.setAcceptDrops(True)
        self._window.installEventFilter(self)
        # Later: the editor says that its text changed after every drop, which would at once take
        # away why a file was refused.
        queued = Qt.ConnectionType.QueuedConnection
        editor.file_dropped.connect(self.open_dropped, queued)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.DragEnter, QEvent.Type.Drop):
            return False
        assert isinstance(event, QDropEvent)
        path = dropped_file(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self.open_dropped(path)
        return path is not None

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

    def _on_saved(self) -> None:
        title = "Open a picture or data that this program saved"
        path = self._went_to(ask_open(self._window, title, self.folder, _SAVED_FILES))
        if path is not None:
            self._controller.run_task(_READ, partial(read_state, path))

    @Slot(object)
    def open_dropped(self, path: Path) -> None:
        """Opens what was saved as what it shows, weights as weights, any other file as a text."""
        suffix = path.suffix.lower()
        if suffix == _ENCODER_SUFFIX:
            self.weights_chosen.emit(str(path))
        elif suffix in _PICTURE_SUFFIXES:
            self._controller.run_task(_READ, partial(read_state, path))
        elif suffix in _DATA_SUFFIXES:
            self._controller.run_task(_READ, partial(_state_or_path, path))
        else:
            self.text_chosen.emit(path)

    @Slot(str, object)
    def _on_read(self, name: str, given: object) -> None:
        if name == _READ and isinstance(given, SavedState):
            self.state_read.emit(given)
        elif name == _READ and isinstance(given, Path):
            # Attention that another program has saved; no NumPy file is a text.
            is_attention = given.suffix.lower() == _ARRAYS_SUFFIX
            if is_attention:
                self.weights_chosen.emit(str(given))
            else:
                self.text_chosen.emit(given)

    @Slot(str, str)
    def _on_not_read(self, name: str, sentence: str) -> None:
        if name == _READ:
            self.failed.emit(sentence)

    def _went_to(self, path: Path | None) -> Path | None:
        if path is not None:
            self.folder = str(path.parent)
            self.folder_changed.emit(self.folder)
        return path


def _state_or_path(path: Path) -> SavedState | Path:
    """What a file says of itself, or the file where it says nothing."""
    try:
        return read_state(path)
    except PosencError:
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
