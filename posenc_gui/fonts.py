"""The fonts that travel with the program, so that every script shows on every machine."""

from __future__ import annotations

import functools

from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication

from posenc_model.resources import resource_folder

FIGURE_FAMILY = "Noto Sans"


@functools.lru_cache(maxsize=1)
def load_fonts() -> None:
    """Adds the shipped fonts to the application's, once; Qt falls back to them by itself."""
    has_fonts = bool(QFontDatabase.families())
    for path in sorted((resource_folder() / "fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))
    if not has_fonts:
        QGuiApplication.setFont(QFont(FIGURE_FAMILY, 10))
