"""A bag of words, which has no order: what a text is without positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from posenc_gui.figures.fit import at_least
from posenc_gui.figures.labels import CENTERED, visible
from posenc_gui.figures.style import Style

EXAMPLE = ("dog", "bites", "man")
_MOST_WORDS = 4
_LONGEST = 12
_LEAST_WIDTH, _LEAST_HEIGHT = 18.0, 9.0  # in lines of type
_HEIGHT, _HIGHEST = 12.5, 17.0


def bag_words(words: Sequence[str]) -> tuple[str, ...]:
    """A few words of the text whose order matters; others where it has none."""
    few = tuple(visible(word) for word in words[:_MOST_WORDS])
    if len(set(few)) < 2 or max(len(word) for word in few) > _LONGEST:
        return EXAMPLE
    return few


@dataclass(frozen=True, eq=False)
class BagFigure:
    """What the picture shows.

    Attributes:
        tokens: The words in the bag, in the order of the text.
        title: A line above the picture; may be empty.
        caption: What it means, for the file's description.
    """

    tokens: Sequence[str]
    title: str = ""
    caption: str = ""

    def words(self) -> Iterable[str]:
        return self.tokens

    def height_for(self, width: float, style: Style) -> float:
        line = QFontMetricsF(style.font).height()
        return _HEIGHT * line * min(1.0, width / (_LEAST_WIDTH * line))

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        paint_bag(painter, self.tokens, size, style)


def paint_bag(painter: QPainter, words: Sequence[str], size: QSizeF, style: Style) -> None:
    """Paints two orders of the same words, and the one bag that both become."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    line = QFontMetricsF(style.font).height()
    with at_least(painter, size, QSizeF(_LEAST_WIDTH, _LEAST_HEIGHT) * line) as room:
        painter.setFont(style.font)
        height = min(room.height(), _HIGHEST * line)
        painter.translate(0, (room.height() - height) / 2)
        middle = room.width() / 2
        bag = QRectF(0, 0, min(11 * line, 0.45 * room.width()), min(9 * line, 0.55 * height))
        bag.moveCenter(QPointF(middle, 0))
        bag.moveBottom(height - 0.4 * line)
        for order, side in ((list(words), -1), (list(reversed(words)), 1)):
            width = min(room.width() / 2 - line, 16 * line)
            left = middle - width - 0.5 * line if side < 0 else middle + 0.5 * line
            row = QRectF(left, 0.4 * line, width, 1.8 * line)
            _paint_row(painter, order, row, style)
            start = QPointF(row.center().x(), row.bottom() + 0.25 * line)
            goal = QPointF(middle + side * 0.18 * bag.width(), bag.top() - 0.25 * line)
            _paint_arrow(painter, start, goal, line, style)
        _paint_sack(painter, bag, style)
        _paint_inside(painter, words, bag, style)


def _paint_row(painter: QPainter, words: Sequence[str], row: QRectF, style: Style) -> None:
    """Words in boxes, in the middle of a row, smaller where they would not fit."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    widths = [metrics.horizontalAdvance(word) + line for word in words]
    gap = 0.3 * line
    total = sum(widths) + gap * (len(words) - 1)
    scale = min(1.0, row.width() / total)
    painter.save()
    painter.translate(row.center())
    painter.scale(scale, scale)
    x = -total / 2
    for word, width in zip(words, widths, strict=True):
        box = QRectF(x, -row.height() / 2, width, row.height())
        painter.setPen(QPen(style.muted, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(style.text)
        painter.drawText(box, CENTERED, word)
        x += width + gap
    painter.restore()


def _paint_inside(painter: QPainter, words: Sequence[str], bag: QRectF, style: Style) -> None:
    """The words in neither order, but by length, in two columns; smaller where need be."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    inside = sorted(words, key=lambda word: (len(word), word))
    rows = (len(inside) + 1) // 2
    widths = [metrics.horizontalAdvance(word) for word in inside]
    is_odd = len(inside) % 2 == 1
    widest = max((*widths[:-1], widths[-1] / (2 if is_odd else 1)))
    scale = min(1.0, 0.42 * bag.width() / widest, 0.7 * bag.height() / (rows * 1.25 * line))
    painter.save()
    painter.translate(bag.center().x(), bag.top() + 0.53 * bag.height())
    painter.scale(scale, scale)
    painter.setPen(style.text)
    for index, word in enumerate(inside):
        is_alone = is_odd and index == len(inside) - 1
        x = 0.0 if is_alone else (index % 2 - 0.5) * 0.44 * bag.width() / scale
        y = (index // 2 - (rows - 1) / 2) * 1.25 * line
        painter.drawText(QRectF(x - 200, y - line / 2, 400, line), CENTERED, word)
    painter.restore()


def _paint_arrow(
    painter: QPainter, start: QPointF, end: QPointF, line: float, style: Style
) -> None:
    painter.setPen(QPen(style.highlight, 1.8))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    path = QPainterPath(start)
    bend = QPointF(end.x(), start.y() + 0.3 * (end.y() - start.y()))
    path.quadTo(bend, end)
    painter.drawPath(path)
    for side in (-1, 1):
        painter.drawLine(end, end + QPointF(side * 0.35 * line, -0.45 * line))


def _paint_sack(painter: QPainter, bag: QRectF, style: Style) -> None:
    path = QPainterPath(QPointF(bag.left() + 0.18 * bag.width(), bag.top()))
    middle = bag.center()
    path.lineTo(bag.right() - 0.18 * bag.width(), bag.top())
    path.quadTo(
        QPointF(bag.right() - 0.1 * bag.width(), bag.top() + 0.2 * bag.height()),
        QPointF(bag.right(), middle.y()),
    )
    path.cubicTo(
        bag.right() + 0.04 * bag.width(),
        bag.bottom(),
        middle.x() + 0.3 * bag.width(),
        bag.bottom(),
        middle.x(),
        bag.bottom(),
    )
    path.cubicTo(
        middle.x() - 0.3 * bag.width(),
        bag.bottom(),
        bag.left() - 0.04 * bag.width(),
        bag.bottom(),
        bag.left(),
        middle.y(),
    )
    path.quadTo(
        QPointF(bag.left() + 0.1 * bag.width(), bag.top() + 0.2 * bag.height()),
        QPointF(bag.left() + 0.18 * bag.width(), bag.top()),
    )
    painter.setPen(QPen(style.text, 1.8))
    painter.setBrush(style.masked)
    painter.drawPath(path)
