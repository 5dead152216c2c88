"""A part of a form that can be folded away."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget


class Fold(QWidget):
    """A button, and content beneath it that the button shows or hides; hidden at first.

    Attributes:
        content: Where widgets are added.
    """

    def __init__(self, title: str, help_: str) -> None:
        super().__init__()
        self.button = QToolButton()
        self.button.setText(title)
        self.button.setToolTip(help_)
        self.button.setCheckable(True)
        self.button.setAutoRaise(True)
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setArrowType(Qt.ArrowType.RightArrow)
        self.button.toggled.connect(self._on_toggled)
        self._inside = QWidget()
        self.content = QVBoxLayout(self._inside)
        self.content.setContentsMargins(0, 0, 0, 0)
        self.content.setSpacing(5)
        self._inside.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5)
        layout.addWidget(self.button)
        layout.addWidget(self._inside)

    def open(self) -> None:
        self.button.setChecked(True)

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self.button.setArrowType(Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow)
        self._inside.setVisible(is_open)
