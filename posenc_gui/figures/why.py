"""One cell taken apart, as a picture: the parts of its score, and the softmax of its row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from posenc_gui.figures.labels import visible
from posenc_gui.figures.matrix import Style
from posenc_gui.figures.numbers import signed

# Tol's bright scheme (colour-blind-safe): content first, then what position adds.
PART_COLORS = ("#4477aa", "#ee7733", "#aa3377", "#228833")
_MOST_KEYS = 12
_SCORE_HEADING = "The score, taken apart"
_ROW_HEADING = "Its row, after the softmax"
_FILLED, _OUTLINED = "as it is", "without position"


@dataclass(frozen=True, eq=False)
class WhyFigure:
    """What the picture shows.

    Attributes:
        parts: Name and value of each part of the score; one, or none, where it is not split.
        score: Their sum; ``None`` where only weights are known.
        words: The n tokens.
        key: The token that is looked at.
        row: The weights [n] of the query on all tokens.
        row_without: The weights [n] without position, or ``None``.
    """

    parts: Sequence[tuple[str, float]]
    score: float | None
    words: Sequence[str]
    key: int
    row: NDArray[np.float32]
    row_without: NDArray[np.float32] | None

    def shown_keys(self) -> list[int]:
        """The keys that are drawn: all, or the strongest and the one that is asked about."""
        n = len(self.row)
        if n <= _MOST_KEYS:
            return list(range(n))
        strength = self.row.copy()
        if self.row_without is not None:
            strength = np.maximum(strength, self.row_without)
        strength[self.key] = np.inf
        strongest = np.argsort(-strength, kind="stable")[: _MOST_KEYS - 1]
        return sorted(int(index) for index in strongest)


def why_height(figure: WhyFigure, font: QFont) -> float:
    """How high the picture has to be."""
    line = QFontMetricsF(font).height()
    score_rows = len(figure.parts) + (1 if len(figure.parts) > 1 else 0)
    score = (1.8 + 1.4 * score_rows + 0.8) * line if figure.parts else 0.0
    keys = len(figure.shown_keys())
    more = 1.3 if keys < len(figure.row) else 0.0
    legend = 1.5 if figure.row_without is not None else 0.0
    return score + (1.8 + 1.3 * keys + more + legend + 0.3) * line


def paint_why(painter: QPainter, figure: WhyFigure, size: QSizeF, style: Style) -> None:
    """Paints the picture into an area of ``size`` whose origin is the painter's."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), style.background)
    line = QFontMetricsF(style.font).height()
    y = 0.2 * line
    if figure.parts:
        y = _paint_score(painter, figure, size.width(), y, style)
        y += 0.8 * line
    _paint_row(painter, figure, size.width(), y, style)


def _heading(painter: QPainter, text: str, width: float, y: float, style: Style) -> float:
    bold = QFont(style.font)
    bold.setBold(True)
    painter.setFont(bold)
    painter.setPen(style.text)
    line = QFontMetricsF(style.font).height()
    painter.drawText(QRectF(0, y, width, line), _LEFT, text)
    painter.setFont(style.font)
    return y + 1.5 * line


def _paint_score(
    painter: QPainter, figure: WhyFigure, width: float, y: float, style: Style
) -> float:
    """Bars that begin where the one before ends, and their sum beneath."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    y = _heading(painter, _SCORE_HEADING, width, y, style)
    names = [name for name, _ in figure.parts] + ["score"]
    left = min(max(metrics.horizontalAdvance(name) for name in names) + line * 0.6, width * 0.45)
    room = metrics.horizontalAdvance("−00.00") + line * 0.4
    ends = np.cumsum([0.0, *(value for _, value in figure.parts)])
    low, high = min(0.0, float(ends.min())), max(0.0, float(ends.max()))
    span = max(high - low, 1e-6)
    scale = max(10.0, width - left - room) / span

    def x_of(value: float) -> float:
        return left + (value - low) * scale

    rows = [
        (name, ends[i], ends[i + 1], value, QColor(PART_COLORS[i % len(PART_COLORS)]))
        for i, (name, value) in enumerate(figure.parts)
    ]
    if len(figure.parts) > 1 and figure.score is not None:
        rows.append(("score", 0.0, figure.score, figure.score, style.muted))
    top = y
    for name, start, end, value, color in rows:
        painter.setPen(style.text)
        painter.drawText(QRectF(0, y, left - line * 0.4, line), _LEFT, name)
        first, last = sorted((x_of(float(start)), x_of(float(end))))
        painter.fillRect(QRectF(first, y + 0.1 * line, max(1.0, last - first), 0.8 * line), color)
        painter.drawText(QRectF(width - room, y, room, line), _RIGHT, signed(value))
        y += 1.4 * line
    painter.setPen(QPen(style.muted, 1.0))
    painter.drawLine(QPointF(x_of(0), top), QPointF(x_of(0), y - 0.4 * line))
    return y


def _paint_row(painter: QPainter, figure: WhyFigure, width: float, y: float, style: Style) -> None:
    """A bar for each key, filled, and outlined for what it would be without position."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    y = _heading(painter, _ROW_HEADING, width, y, style)
    keys = figure.shown_keys()
    labels = [visible(figure.words[index]) for index in keys]
    widest = max(metrics.horizontalAdvance(label) for label in labels)
    left = min(widest + line * 0.6, width * 0.35)
    room = metrics.horizontalAdvance("100.0 %") + line * 0.4
    largest = float(figure.row.max())
    if figure.row_without is not None:
        largest = max(largest, float(figure.row_without.max()))
    scale = max(10.0, width - left - room) / max(largest, 1e-9)
    for index, label in zip(keys, labels, strict=True):
        is_asked = index == figure.key
        font = QFont(style.font)
        font.setBold(is_asked)
        painter.setFont(font)
        painter.setPen(style.highlight if is_asked else style.text)
        short = QFontMetricsF(font).elidedText(
            label, Qt.TextElideMode.ElideRight, left - 0.4 * line
        )
        painter.drawText(QRectF(0, y, left - 0.4 * line, line), _RIGHT, short)
        weight = float(figure.row[index])
        color = style.highlight if is_asked else style.muted
        painter.fillRect(
            QRectF(left, y + 0.18 * line, max(1.0, weight * scale), 0.64 * line), color
        )
        if figure.row_without is not None:
            outline = QRectF(
                left, y + 0.02 * line, float(figure.row_without[index]) * scale, 0.96 * line
            )
            painter.setPen(QPen(style.text, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(outline)
        painter.setPen(style.text)
        painter.drawText(QRectF(width - room, y, room, line), _RIGHT, f"{100 * weight:.1f} %")
        y += 1.3 * line
    painter.setFont(style.font)
    painter.setPen(style.muted)
    if len(keys) < len(figure.row):
        rest = 1.0 - float(figure.row[keys].sum())
        others = len(figure.row) - len(keys)
        text = f"and {others:,} other words: {100 * max(0.0, rest):.1f} %"
        painter.drawText(QRectF(left, y, width - left, line), _LEFT, text)
        y += 1.3 * line
    if figure.row_without is not None:
        y += 0.3 * line
        x = left
        painter.fillRect(QRectF(x, y + 0.2 * line, 1.6 * line, 0.6 * line), style.muted)
        x += 2.0 * line
        painter.drawText(QRectF(x, y, width - x, line), _LEFT, _FILLED)
        x += metrics.horizontalAdvance(_FILLED) + line
        painter.setPen(QPen(style.text, 1.2))
        painter.drawRect(QRectF(x, y + 0.1 * line, 1.6 * line, 0.8 * line))
        painter.setPen(style.muted)
        x += 2.0 * line
        painter.drawText(QRectF(x, y, width - x, line), _LEFT, _OUTLINED)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
