"""About the program: version, what it is, licences."""

from __future__ import annotations

import sys
from importlib import metadata

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.theme import program_icon
from posenc_model import __version__
from posenc_model.resources import resource_folder

_PACKAGES = ("torch", "PySide6-Essentials", "pyqtgraph", "numpy", "spacy", "nltk")


def versions() -> str:
    """The program's version and those of what it stands on, a line each."""
    lines = [f"PosEnc {__version__}", f"Python {sys.version.split()[0]}"]
    for package in _PACKAGES:
        try:
            lines.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{package} not installed")
    return "\n".join(lines)


class AboutDialog(QDialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About PosEnc")
        self.resize(620, 460)
        picture = QLabel()
        picture.setPixmap(program_icon().pixmap(72, 72))
        name = QLabel(f"PosEnc {__version__}")
        font = name.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        font.setBold(True)
        name.setFont(font)
        words = QLabel(
            "See what position does to attention. Runs on this computer only; "
            "nothing you type leaves it.\nMIT licence."
        )
        words.setWordWrap(True)
        text = QVBoxLayout()
        text.addWidget(name)
        text.addWidget(words)
        head = QHBoxLayout()
        head.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(text, 1)
        details = QTextBrowser()
        details.setMarkdown(self._details())
        details.setAccessibleName("Versions and licences")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(QLabel("Versions and licences"))
        layout.addWidget(details, 1)
        layout.addWidget(buttons)

    @staticmethod
    def _details() -> str:
        licences = (resource_folder() / "LICENSES.md").read_text(encoding="utf-8")
        return "- " + versions().replace("\n", "\n- ") + f"\n\n{licences}"
