"""The picture of ``none``: a bag of words, which has no order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from posenc_gui.figures.labels import visible
from posenc_gui.figures.matrix import Style
from posenc_gui.painting import painting
from posenc_gui.theme import picture_style
from posenc_gui.views.encoding.picture import EncodingPicture, Shown
from posenc_model.encodings import EncodingInfo

EXAMPLE = ("dog", "bites", "man")
_MOST_WORDS = 4
_LONGEST = 12
_CENTERED = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine


def bag_words(words: Sequence[str]) -> tuple[str, ...]:
    """A few words of the text whose order matters; others where it has none."""
    few = tuple(visible(word) for word in words[:_MOST_WORDS])
    if len(set(few)) < 2 or max(len(word) for word in few) > _LONGEST:
        return EXAMPLE
    return few


def paint_bag(painter: QPainter, words: Sequence[str], size: QSizeF, style: Style) -> None:
    """Paints two orders of the same words, and the one bag that both become."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.fillRect(QRectF(QPointF(0, 0), size), style.background)
    painter.setFont(style.font)
    line = QFontMetricsF(style.font).height()
    middle = size.width() / 2
    bag = QRectF(0, 0, min(8.5 * line, 0.5 * size.width()), min(7 * line, 0.55 * size.height()))
    bag.moveCenter(QPointF(middle, 0))
    bag.moveBottom(size.height() - 0.4 * line)
    for order, side in ((list(words), -1), (list(reversed(words)), 1)):
        width = min(size.width() / 2 - line, 16 * line)
        left = middle - width - 0.5 * line if side < 0 else middle + 0.5 * line
        row = QRectF(left, 0.4 * line, width, 1.8 * line)
        center = _paint_row(painter, order, row, line, style)
        goal = QPointF(middle + side * 0.18 * bag.width(), bag.top() - 0.25 * line)
        _paint_arrow(painter, QPointF(center, row.bottom() + 0.25 * line), goal, line, style)
    _paint_sack(painter, bag, line, style)
    # Neither order: by length, in two columns.
    inside = sorted(words, key=lambda word: (len(word), word))
    pitch = 1.25 * line
    top = bag.top() + 0.42 * bag.height() - pitch * ((len(inside) + 1) // 2 - 1) / 2
    painter.setPen(style.text)
    for index, word in enumerate(inside):
        column = 0.0 if index == len(inside) - 1 and len(inside) % 2 else (index % 2 - 0.5) * 2
        x = middle + column * 0.21 * bag.width()
        y = top + index // 2 * pitch + 0.3 * line
        painter.drawText(QRectF(x - 200, y, 400, line), _CENTERED, word)


def _paint_row(
    painter: QPainter, words: Sequence[str], row: QRectF, line: float, style: Style
) -> float:
    """Words in boxes, numbered by their place; gives where their middle is."""
    metrics = QFontMetricsF(style.font)
    widths = [metrics.horizontalAdvance(word) + line for word in words]
    gap = 0.3 * line
    total = sum(widths) + gap * (len(words) - 1)
    scale = max(0.1, min(1.0, row.width() / total))
    x = row.center().x() - scale * total / 2
    small = QFont(style.font)
    small.setPointSizeF(style.font.pointSizeF() * scale)
    painter.setFont(small)
    for word, width in zip(words, widths, strict=True):
        box = QRectF(x, row.top(), scale * width, row.height())
        painter.setPen(QPen(style.muted, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(style.text)
        painter.drawText(box, _CENTERED, word)
        x += scale * (width + gap)
    painter.setFont(style.font)
    return row.center().x()


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


def _paint_sack(painter: QPainter, bag: QRectF, line: float, style: Style) -> None:
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


class _Canvas(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.words: tuple[str, ...] = EXAMPLE
        self.setMinimumHeight(11 * self.fontMetrics().height())
        self.setMaximumHeight(22 * self.fontMetrics().height())
        self.setMaximumWidth(60 * self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        style = picture_style(self.palette(), self.font())
        with painting(self) as painter:
            paint_bag(painter, self.words, QSizeF(self.size()), style)


class BagPicture(EncodingPicture):
    """Why words without places have no order."""

    uses_heads = False
    uses_pair = False
    formula = (
        "score = q_i · k_j / √d with q_i = w_i W^Q and k_j = w_j W^K: neither i nor j is in it but "
        "through the words. Shuffling the words shuffles the rows and columns of every matrix, and "
        "changes no number in them."
    )

    def __init__(self, info: EncodingInfo) -> None:
        super().__init__(info.reference)
        self.canvas = _Canvas()
        self.content.addWidget(self.canvas, 1)
        self.content.addWidget(self.fold)
        self.content.addStretch(1)

    def show_shown(self, shown: Shown) -> None:
        self.shown = shown
        words = bag_words([token.text for token in shown.result.tokens])
        one, other = " ".join(words), " ".join(reversed(words))
        self.sentence.setText(
            f"Without position the text is a bag of words: ‘{one}’ and ‘{other}’ are the same to "
            "this encoder."
        )
        self.readout.setText(
            "Shuffle the words above and see: each keeps its weights on the others."
        )
        self.canvas.words = words
        self.canvas.setAccessibleName(f"‘{one}’ and ‘{other}’ go into the same bag of words")
        self.canvas.update()
