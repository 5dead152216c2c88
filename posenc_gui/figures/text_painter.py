"""Painting into files: no text is cut off, words in all scripts stand on one line, no gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter

from posenc_gui.figures.fit import laid_out, written_lines
from posenc_gui.painting import restored

START, MIDDLE, END = "start", "middle", "end"
SHARES = {START: 0.0, MIDDLE: 0.5, END: 1.0}
ANY_WIDTH = 1e6
# In larger type Qt draws outlines, and makes none bold.
_MOST_PIXELS = 60


class Line(NamedTuple):
    """A line of text, the point of its base line that it is held at, and by which part."""

    x: float
    y: float
    anchor: str
    text: str


class TextPainter(QPainter):
    """A painter that writes line by line.

    Qt cuts off what stands out of a text's box, and moves texts up or down whose glyphs come from
    another font, as those of most scripts do.
    """

    def drawText(self, *given: Any) -> None:  # type: ignore[override]
        """Takes a point and a text, or a box, flags and a text."""
        place, *flags, text = given
        if flags:
            for line in _lines(QRectF(place), int(flags[0]), text, self.font()):
                if line.text:
                    self.write(line)
        else:
            self.write(Line(place.x(), place.y(), START, text))

    def write(self, line: Line) -> None:
        """Writes a line."""
        width = QFontMetricsF(self.font()).horizontalAdvance(line.text)
        self.write_at(QPointF(line.x - SHARES[line.anchor] * width, line.y), line.text)

    def write_at(self, point: QPointF, text: str) -> None:
        """Writes a text that begins at a point, as Qt does."""
        super().drawText(point, text)


class PixelPainter(TextPainter):
    """A painter on pixels, with edges on pixels, and type of the size that it has in pixels.

    By the size of the type, Qt thickens the lines of fonts with PostScript outlines (Chinese ones,
    and most of those that come with TeX) and of fonts without a bold style. That is wrong where the
    painter's scale makes the type larger afterwards.
    """

    def fillRect(self, *given: Any) -> None:
        """Fills a rectangle; without smoothing, those side by side have no gap between them."""
        rect, color = given
        transform = self.transform()
        is_smooth = self.testRenderHint(QPainter.RenderHint.Antialiasing)
        if is_smooth or transform.isRotating() or not isinstance(color, QColor):
            super().fillRect(rect, color)
            return
        # Qt rounds where a rectangle begins and how large it is, not where it ends.
        area = transform.mapRect(QRectF(rect))
        edges = [round(edge) for edge in (area.left(), area.top(), area.right(), area.bottom())]
        left, top, right, bottom = edges
        self.setWorldMatrixEnabled(False)
        super().fillRect(QRect(left, top, right - left, bottom - top), color)
        self.setWorldMatrixEnabled(True)

    def write_at(self, point: QPointF, text: str) -> None:
        size = QFontInfo(self.font()).pixelSize()
        scale = math.sqrt(abs(self.transform().determinant()))
        wanted = max(1, min(round(size * scale), _MOST_PIXELS))
        times = wanted / size
        with restored(self):
            font = QFont(self.font())
            font.setPixelSize(wanted)
            self.setFont(font)
            self.scale(1 / times, 1 / times)
            super().write_at(point * times, text)


def _lines(box: QRectF, flags: int, text: str, font: QFont) -> Iterator[Line]:
    """The lines of a text in a box."""
    metrics = QFontMetricsF(font)
    height = line_height = metrics.height()
    layout = None
    is_wrapped = flags & (Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere)
    if flags & Qt.TextFlag.TextSingleLine:
        text = text.replace("\n", " ")
    if is_wrapped or "\n" in text:
        layout = laid_out(text, font, box.width() if is_wrapped else ANY_WIDTH)
        height = layout.boundingRect().height()
    top = box.top()
    if flags & Qt.AlignmentFlag.AlignVCenter:
        top += (box.height() - height) / 2
    elif flags & Qt.AlignmentFlag.AlignBottom:
        top += box.height() - height
    x, anchor = box.left(), START
    if flags & Qt.AlignmentFlag.AlignRight:
        x, anchor = box.right(), END
    elif flags & Qt.AlignmentFlag.AlignHCenter:
        x, anchor = box.center().x(), MIDDLE
    if layout is None:
        yield Line(x, top + metrics.ascent(), anchor, text)
        return
    for line, words in written_lines(layout):
        # In the middle of a line that is higher for the sake of another font.
        spare = (line.height() - line_height) / 2
        yield Line(x, top + line.y() + spare + metrics.ascent(), anchor, words)
