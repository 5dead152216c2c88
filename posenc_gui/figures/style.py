"""Colours and type of a picture."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtGui import QColor, QFont

from posenc_gui.fonts import FIGURE_PIXELS, figure_font
from posenc_model.exporters.look import (
    DARK,
    POINTS_PER_INCH,
    TRANSPARENT,
    TRANSPARENT_DARK,
    UNITS_PER_INCH,
    Look,
)


@dataclass(frozen=True)
class Style:
    """Colours and type of a picture."""

    font: QFont
    background: QColor = field(default_factory=lambda: QColor("#ffffff"))
    text: QColor = field(default_factory=lambda: QColor("#1b1f24"))
    muted: QColor = field(default_factory=lambda: QColor("#667080"))
    highlight: QColor = field(default_factory=lambda: QColor("#c2410c"))
    masked: QColor = field(default_factory=lambda: QColor("#d5d9df"))
    accent: QColor = field(default_factory=lambda: QColor("#1f5fae"))


def style_of(look: Look) -> Style:
    """The style of an exported picture, whose painter :func:`scale_of` scales.

    Raises:
        PosencError: There is no such font.
    """
    font = figure_font(look.font)
    if look.theme in (DARK, TRANSPARENT_DARK):
        style = Style(
            font,
            background=QColor("#16181d"),
            text=QColor("#e7e9ec"),
            muted=QColor("#a3acba"),
            highlight=QColor("#ff9f5a"),
            masked=QColor("#3d434e"),
            accent=QColor("#7db4f5"),
        )
    else:
        style = Style(font)
    if look.theme in (TRANSPARENT, TRANSPARENT_DARK):
        style.background.setAlpha(0)
    return style


def scale_of(look: Look) -> float:
    """How many 96ths of an inch a unit of a picture is, so that type has the wanted size.

    Everything grows with the type: gaps and lines as well.
    """
    return look.font_size * UNITS_PER_INCH / POINTS_PER_INCH / FIGURE_PIXELS
