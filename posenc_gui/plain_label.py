"""A label for sentences that may hold anything a user has typed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy


class PlainLabel(QLabel):
    """Shows text literally and wraps it; a long word never widens the window.

    Args:
        text: What it says.
        role: ``hint``, ``warning`` or ``error``, for its colour; none for ordinary text.
    """

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setProperty("role", role)

    def set_role(self, role: str) -> None:
        """Changes the colour of a label that may be seen already."""
        self.setProperty("role", role)
        self.style().polish(self)
