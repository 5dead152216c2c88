"""How text and pictures go into areas that may be small for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QPainter, QTextLayout, QTextLine, QTextOption

from posenc_gui.painting import restored


@contextmanager
def at_least(painter: QPainter, size: QSizeF, least: QSizeF) -> Iterator[QSizeF]:
    """Gives an area of at least a size to paint into.

    Where the real one is smaller, all that is painted into it is made smaller: it cannot be read
    well then, but nothing is cut off and nothing overlaps.
    """
    scale = min(1.0, size.width() / least.width(), size.height() / least.height())
    scale = max(scale, 1e-3)
    with restored(painter):
        painter.scale(scale, scale)
        yield QSizeF(size.width() / scale, size.height() / scale)


def laid_out(text: str, font: QFont, width: float) -> QTextLayout:
    """A text whose lines are broken between words, and within those that are too long."""
    option = QTextOption(Qt.AlignmentFlag.AlignLeading)
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout = QTextLayout(text.replace("\n", "\u2028"), font)
    layout.setTextOption(option)
    layout.beginLayout()
    y = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1.0, width))
        line.setPosition(QPointF(0, y))
        y += line.height()
    layout.endLayout()
    return layout


def written_lines(layout: QTextLayout) -> Iterator[tuple[QTextLine, str]]:
    """The lines of a text that was laid out, and what stands in each."""
    units = layout.text().encode("utf-16-le", "surrogatepass")  # as Qt counts
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        start = 2 * line.textStart()
        words = units[start : start + 2 * line.textLength()].decode("utf-16-le", "replace")
        yield line, words.rstrip("\u2028 ")


def text_height(text: str, font: QFont, width: float) -> float:
    """How high a text is whose lines are broken at a width; 0 where there is none."""
    return laid_out(text, font, width).boundingRect().height() if text else 0.0


def fitted(text: str, font: QFont, size: QSizeF) -> str:
    """As much of a text as fits into an area, with an ellipsis where something is left out."""
    if text_height(text, font, size.width()) <= size.height() + 1:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = text_height(f"{text[:middle]}…", font, size.width()) <= size.height() + 1
        low, high = (middle, high) if fits else (low, middle - 1)
    return f"{text[:low].rstrip()}…"


def paint_wrapped(
    painter: QPainter, box: QRectF, text: str, font: QFont, *, centered: bool = False
) -> None:
    """Writes lines as far as they fit into a box; what does not ends in an ellipsis."""
    painter.setFont(font)
    layout = laid_out(fitted(text, font, box.size()), font, box.width())
    # Line by line, not the whole layout: in an SVG the lines are texts that are held at an end.
    for line, words in written_lines(layout):
        across = Qt.AlignmentFlag.AlignLeft
        if centered:
            across = Qt.AlignmentFlag.AlignHCenter
        elif line.naturalTextRect().left() > 1:  # read from the right
            across = Qt.AlignmentFlag.AlignRight
        place = QRectF(box.left(), box.top() + line.y(), box.width(), line.height())
        flags = across | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
        painter.drawText(place, flags, words)
