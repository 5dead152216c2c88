"""How far files are written while the figure dialog is closed, and whether to quit meanwhile."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMessageBox, QProgressBar, QPushButton, QWidget


class SaveProgress(QWidget):
    """A bar for the status bar; hidden while nothing is written."""

    cancel_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.label = QLabel()
        self.bar = QProgressBar()
        self.bar.setMaximumWidth(160)
        self.bar.setAccessibleName("Files written")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setToolTip("Ends it before the next file")
        self.cancel_button.clicked.connect(self.cancel_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        for widget in (self.label, self.bar, self.cancel_button):
            row.addWidget(widget)
        self.hide()

    @Slot(int, int)
    def show_files(self, done: int, total: int) -> None:
        """Says how many of how many files are there; of none, it hides."""
        self.label.setText(f"Saving… {done:,} of {total:,} files")
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done)
        self.setVisible(total > 0)


def ask_quit(parent: QWidget, done: int, total: int) -> bool:
    """Asks whether to quit although files are still to be written."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle("Quit?")
    box.setText(f"{done:,} of {total:,} files are saved. Quit without the rest?")
    leave = box.addButton("&Quit", QMessageBox.ButtonRole.DestructiveRole)
    stay = box.addButton("Keep &saving", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(stay)
    box.exec()
    return box.clickedButton() is leave
