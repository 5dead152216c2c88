"""Where checkpoints go, and whether a training that is there already goes on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from posenc_gui.plain_label import PlainLabel
from posenc_gui.training.plan import SavedTraining

_HELP = (
    "A checkpoint is a file with all that was learned so far. One is written every minute, at a "
    "pause and at the end; after a crash the training goes on from there."
)


def ask_folder(parent: QWidget, title: str, folder: str) -> Path | None:
    """Asks for a folder; ``None`` if the user thinks better of it."""
    name = QFileDialog.getExistingDirectory(parent, title, folder)
    return Path(name) if name else None


class FolderRow(QWidget):
    """A folder or none, and a button to resume what it holds."""

    resume_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.folder: Path | None = None
        self.saved: SavedTraining | None = None
        self.choose_button = QPushButton("&Folder…")
        self.choose_button.setToolTip("Chooses where checkpoints go")
        self.choose_button.clicked.connect(self._on_folder_asked)
        self.none_button = QPushButton("None")
        self.none_button.setToolTip("Writes no checkpoints")
        self.none_button.clicked.connect(self._on_none)
        label = QLabel("Checkpoints")
        label.setToolTip(_HELP)
        label.setBuddy(self.choose_button)
        self.shown = PlainLabel("none")
        self.shown.setAccessibleName("Folder for checkpoints")
        self.found = PlainLabel("", "hint")
        self.resume_button = QPushButton("&Resume")
        self.resume_button.setToolTip("Takes its settings and goes on from its last checkpoint")
        self.resume_button.clicked.connect(self.resume_asked)
        self.message = PlainLabel(role="error")
        line = QHBoxLayout()
        line.addWidget(label)
        line.addStretch(1)
        line.addWidget(self.choose_button)
        line.addWidget(self.none_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(line)
        for widget in (self.shown, self.found, self.resume_button, self.message):
            layout.addWidget(widget)
        self.message.hide()
        self.set_folder(None)

    def set_folder(self, folder: Path | None) -> None:
        """Chooses a folder, or none, and looks what is in it."""
        self.folder = folder
        self.shown.setText("none" if folder is None else str(folder))
        self.none_button.setEnabled(folder is not None)
        self.look()

    def look(self) -> None:
        """Looks again what is in the folder."""
        self.saved = None if self.folder is None else SavedTraining.find(self.folder)
        self.found.setText(self.saved.sentence if self.saved else "")
        self.found.setVisible(self.saved is not None)
        self.resume_button.setVisible(self.saved is not None)

    def show_message(self, sentence: str) -> None:
        """Shows a sentence beneath the folder; an empty one hides it."""
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))

    def _on_folder_asked(self) -> None:
        start = str(self.folder) if self.folder else ""
        folder = ask_folder(self, "Where do checkpoints go?", start)
        if folder is not None:
            self.show_message("")
            self.set_folder(folder)

    def _on_none(self) -> None:
        self.show_message("")
        self.set_folder(None)
