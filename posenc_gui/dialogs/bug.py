"""What is shown when the program itself has made a mistake."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.dialogs.about import versions


class BugDialog(QDialog):
    """Says so plainly and offers the details for a report; the program goes on."""

    def __init__(self, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Something went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(640, 400)
        self.details = f"{details.strip()}\n\n{versions()}\n{platform.platform()}"
        words = QLabel(
            "This is a mistake in the program, not yours. Your text and settings are safe and you "
            "can go on. The details help whoever mends it; they hold no text of yours unless you "
            "see it below."
        )
        words.setWordWrap(True)
        shown = QPlainTextEdit(self.details)
        shown.setReadOnly(True)
        shown.setAccessibleName("Details")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy details", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self.copy_details)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(words)
        layout.addWidget(shown, 1)
        layout.addWidget(buttons)

    def copy_details(self) -> None:
        """Puts the details on the clipboard."""
        QGuiApplication.clipboard().setText(self.details)
