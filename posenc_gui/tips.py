"""Tool tips of widgets that paint several things themselves."""

from __future__ import annotations

from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget


def show_tip(widget: QWidget, event: QHelpEvent, tip: str) -> None:
    """Shows a tip where the mouse is; an empty one puts away what was shown."""
    if tip:
        QToolTip.showText(event.globalPos(), tip, widget)
    else:
        QToolTip.hideText()
