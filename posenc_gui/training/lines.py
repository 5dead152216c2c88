"""How each encoding is drawn everywhere in the Train window: its colour and kind of line."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen, QPixmap

from posenc_gui.painting import painting
from posenc_gui.theme import colors_of
from posenc_model.encodings import ENCODINGS

# After Okabe and Ito's colours, which the colour-blind can tell apart; shifted so that each has a
# contrast of at least 3 : 1 with the ground.
_ON_LIGHT = ("#0072b2", "#c2500a", "#008560", "#96408a")
_ON_DARK = ("#56b4e9", "#f08a4b", "#35c79a", "#e39ad3")
_KINDS = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DotLine,
)
_WIDTH = 2.0
_SAMPLE = QSize(34, 14)


def line_color(encoding: str, palette: QPalette) -> QColor:
    """The encoding's colour on the palette's ground."""
    is_dark = palette.color(QPalette.ColorRole.Base).lightness() < 128
    colors = _ON_DARK if is_dark else _ON_LIGHT
    return QColor(colors[_place(encoding) % len(colors)])


def line_pen(encoding: str, palette: QPalette) -> QPen:
    """The pen of the encoding's curves."""
    pen = QPen(line_color(encoding, palette), _WIDTH, _KINDS[_place(encoding) % len(_KINDS)])
    pen.setCosmetic(True)
    return pen


def line_sample(encoding: str, palette: QPalette) -> QPixmap:
    """A short piece of the encoding's line, for legends."""
    pixmap = QPixmap(_SAMPLE * 2)
    pixmap.setDevicePixelRatio(2.0)
    pixmap.fill(Qt.GlobalColor.transparent)
    with painting(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = line_pen(encoding, palette)
        pen.setCosmetic(False)  # the pixmap has two pixels a unit
        painter.setPen(pen)
        middle = _SAMPLE.height() / 2
        painter.drawLine(QPointF(1, middle), QPointF(_SAMPLE.width() - 1, middle))
    return pixmap


def muted(palette: QPalette) -> QColor:
    """The colour of what belongs to no encoding."""
    return QColor(colors_of(palette).muted)


def _place(encoding: str) -> int:
    return list(ENCODINGS).index(encoding)
