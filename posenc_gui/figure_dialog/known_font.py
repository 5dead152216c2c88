"""What becomes of a look whose font is gone: a look of another machine's, or of another day."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QFontDatabase

from posenc_gui.fonts import FIGURE_FAMILY, load_fonts
from posenc_model.exporters.look import Look


def with_known_font(look: Look) -> tuple[Look, str]:
    """A look that this machine can draw, and a sentence where it is another; else an empty one."""
    load_fonts()
    if QFontDatabase.hasFamily(look.font):
        return look, ""
    note = f"“{look.font}” is not on this machine; {FIGURE_FAMILY} is used."
    return replace(look, font=FIGURE_FAMILY), note
