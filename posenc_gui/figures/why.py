"""One cell taken apart, as a picture: the parts of its score, and the softmax of its row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from posenc_gui.figures.figure import Figure
from posenc_gui.figures.fit import at_least, paint_wrapped, text_height
from posenc_gui.figures.from_result import head_title, made_with, where
from posenc_gui.figures.grid import GridFigure, each_head
from posenc_gui.figures.labels import LEFT, RIGHT, arrow, visible
from posenc_gui.figures.numbers import signed
from posenc_gui.figures.style import Style
from posenc_model.explain import explain_cell
from posenc_model.exporters import Export

if TYPE_CHECKING:
    from posenc_model.explain import CellExplanation

# Tol's bright scheme (colour-blind-safe): content first, then what position adds.
PART_COLORS = ("#4477aa", "#ee7733", "#aa3377", "#228833")
_LONGEST_WORD = 160  # of the heading, in letters
_SCORE_HEADING = "The score, taken apart"
_ROW_HEADING = "Its row, after the softmax"
_FILLED, _OUTLINED = "as it is", "without position"
_MASKED = "The query may not look at the key: the cell is masked."
_MOST_KEYS, _LEAST_KEYS = 12, 3

# In lines of type.
_LEAST_WIDTH = 18.0
_HEADING, _PART, _KEY, _MORE, _LEGEND = 1.5, 1.4, 1.3, 1.3, 1.5
_GAP = 0.8
_LONGEST_CELL = 12.0
_WIDEST = 1.6  # how far rows are moved apart at most where there is room


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST_WORD else f"{word[: _LONGEST_WORD - 1]}…"


@dataclass(frozen=True, eq=False)
class WhyFigure:
    """What the picture shows.

    Attributes:
        parts: Name and value of each part of the score; one, or none, where it is not split.
        score: Their sum; ``None`` where only weights are known.
        tokens: The n tokens.
        query: The token that looks.
        key: The token that is looked at.
        row: The weights [n] of the query on all tokens.
        row_without: The weights [n] without position, or ``None``.
        note: What else is to be known of the cell, as a sentence; may be empty.
        says_cell: Whether the picture says which cell it is about, and the note; the window says
            them beside it.
        title: A line above the picture; may be empty.
        caption: What was computed, for the file's description.
    """

    parts: Sequence[tuple[str, float]]
    score: float | None
    tokens: Sequence[str]
    query: int
    key: int
    row: NDArray[np.float32]
    row_without: NDArray[np.float32] | None
    note: str = ""
    says_cell: bool = False
    title: str = ""
    caption: str = ""

    @property
    def pair(self) -> str:
        """“‘dog’ (token 2) → ‘bites’ (token 3)”."""
        named = (
            f"‘{_short(visible(self.tokens[index]))}’ (token {index + 1})"
            for index in (self.query, self.key)
        )
        return arrow(*named)

    @property
    def said(self) -> str:
        """“weight 0.310, without position 0.125”, and the note."""
        said = f"weight {self.row[self.key]:.3f}"
        if self.row_without is not None:
            said += f", without position {self.row_without[self.key]:.3f}"
        return f"{said}\n{self.note}" if self.note else said

    def shown_keys(self, most: int = _MOST_KEYS) -> list[int]:
        """The keys that are drawn: all, or the strongest and the one that is asked about."""
        n = len(self.row)
        if n <= most:
            return list(range(n))
        strength = self.row.copy()
        if self.row_without is not None:
            strength = np.maximum(strength, self.row_without)
        strength[self.key] = np.inf
        strongest = np.argsort(-strength, kind="stable")[: most - 1]
        return sorted(int(index) for index in strongest)

    def words(self) -> Iterable[str]:
        named = dict.fromkeys((self.query, self.key, *self.shown_keys()))
        return (self.tokens[index] for index in named)

    def height_for(self, width: float, style: Style) -> float:
        line = QFontMetricsF(style.font).height()
        wide = max(width, _LEAST_WIDTH * line)
        height = _cell_height(self, wide, style) + why_height(self, style.font)
        return height * width / wide

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        paint_why(painter, self, size, style)


def why_figure(cell: CellExplanation) -> WhyFigure:
    """The picture of an explanation."""
    return WhyFigure(
        parts=tuple(cell.parts.items()),
        score=cell.score,
        tokens=[token.text for token in cell.result.tokens],
        query=cell.query,
        key=cell.key,
        row=cell.row,
        row_without=cell.row_without,
        note=_MASKED if cell.is_masked else cell.reason or "",
    )


def why_height(figure: WhyFigure, font: QFont) -> float:
    """How high the score and the row have to be, one above the other."""
    line = QFontMetricsF(font).height()
    gap = _GAP if figure.parts else 0.0
    return (_score_lines(figure) + gap + _row_lines(figure, _MOST_KEYS) + 0.5) * line


def _score_lines(figure: WhyFigure) -> float:
    rows = len(figure.parts) + (1 if len(figure.parts) > 1 else 0)
    return _HEADING + _PART * rows if rows else 0.0


def _row_lines(figure: WhyFigure, most: int) -> float:
    keys = len(figure.shown_keys(most))
    more = _MORE if keys < len(figure.row) else 0.0
    legend = _LEGEND if figure.row_without is not None else 0.0
    return _HEADING + _KEY * keys + more + legend


def _cell_height(figure: WhyFigure, width: float, style: Style) -> float:
    """How high the sentences are that say which cell it is."""
    if not figure.says_cell:
        return 0.0
    line = QFontMetricsF(style.font).height()
    height = text_height(figure.pair, _bold(style.font), width)
    said = text_height(figure.said, style.font, width)
    return min(height, _LONGEST_CELL * line) + said + 0.8 * line


def paint_why(painter: QPainter, figure: WhyFigure, size: QSizeF, style: Style) -> None:
    """Paints the picture into an area of ``size`` whose origin is the painter's."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    line = QFontMetricsF(style.font).height()
    fewest = max(_score_lines(figure), _row_lines(figure, _LEAST_KEYS))
    if figure.parts and size.width() < 2 * _LEAST_WIDTH * line:
        fewest = _score_lines(figure) + _GAP + _row_lines(figure, _LEAST_KEYS)
    wide = max(size.width(), _LEAST_WIDTH * line)
    least = QSizeF(_LEAST_WIDTH * line, _cell_height(figure, wide, style) + (fewest + 0.5) * line)
    with at_least(painter, size, least) as room:
        above = _cell_height(figure, room.width(), style)
        if figure.says_cell:
            _paint_cell(painter, figure, QSizeF(room.width(), above - 0.8 * line), style)
        painter.translate(0, above)
        _paint_blocks(painter, figure, QSizeF(room.width(), room.height() - above), style)


def _paint_cell(painter: QPainter, figure: WhyFigure, size: QSizeF, style: Style) -> None:
    said = text_height(figure.said, style.font, size.width())
    painter.setPen(style.text)
    pair = QRectF(0, 0, size.width(), size.height() - said)
    paint_wrapped(painter, pair, figure.pair, _bold(style.font))
    painter.setPen(style.muted)
    paint_wrapped(painter, QRectF(0, pair.bottom(), size.width(), said), figure.said, style.font)


def _paint_blocks(painter: QPainter, figure: WhyFigure, size: QSizeF, style: Style) -> None:
    """Paints the score and the row: one above the other, or side by side if too high for that."""
    line = QFontMetricsF(style.font).height()
    score, row = _score_lines(figure), _row_lines(figure, _MOST_KEYS)
    room = size.height() / line - 0.5
    stacked = score + (_GAP if score else 0.0)
    is_beside = bool(
        score and stacked + row > room + 0.01 and size.width() >= 2 * _LEAST_WIDTH * line
    )
    most = _MOST_KEYS
    while most > _LEAST_KEYS:
        row = _row_lines(figure, most)
        needed = max(score, row) if is_beside else stacked + row
        if needed <= room + 0.01:
            break
        most -= 1
    needed = max(score, row) if is_beside else stacked + row
    stretch = max(1.0, min(_WIDEST, room / needed))
    width = (size.width() - 2 * line) / 2 if is_beside else size.width()
    painter.translate(0, 0.2 * line)
    if score:
        _paint_score(painter, figure, width, stretch, style)
        if is_beside:
            painter.translate(size.width() - width, 0)
        else:
            painter.translate(0, stacked * stretch * line)
    _paint_row(painter, figure, figure.shown_keys(most), width, stretch, style)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


def _paint_heading(painter: QPainter, text: str, box: QRectF, style: Style) -> None:
    painter.setFont(_bold(style.font))
    painter.setPen(style.text)
    painter.drawText(box, LEFT, text)
    painter.setFont(style.font)


def _paint_score(
    painter: QPainter, figure: WhyFigure, width: float, stretch: float, style: Style
) -> None:
    """Bars that begin where the one before ends, and their sum beneath."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    _paint_heading(painter, _SCORE_HEADING, QRectF(0, 0, width, line), style)
    ends = np.cumsum([0.0, *(value for _, value in figure.parts)])
    rows = [
        (name, ends[i], ends[i + 1], value, QColor(PART_COLORS[i % len(PART_COLORS)]))
        for i, (name, value) in enumerate(figure.parts)
    ]
    if len(figure.parts) > 1 and figure.score is not None:
        rows.append(("score", 0.0, figure.score, figure.score, style.muted))
    left = max(metrics.horizontalAdvance(name) for name, *_ in rows) + line * 0.6
    left = min(left, width * 0.45)
    room = max(metrics.horizontalAdvance(signed(row[3])) for row in rows) + line * 0.6
    low, high = min(0.0, float(ends.min())), max(0.0, float(ends.max()))
    scale = max(10.0, width - left - room) / max(high - low, 1e-6)

    def x_of(value: float) -> float:
        return left + (value - low) * scale

    pitch = _PART * line * stretch
    top = y = _HEADING * line * stretch
    for name, start, end, value, color in rows:
        painter.setPen(style.text)
        box = QRectF(0, y, left - line * 0.4, pitch - 0.4 * line)
        short = metrics.elidedText(name, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, LEFT, short)
        first, last = sorted((x_of(float(start)), x_of(float(end))))
        bar = QRectF(first, y + 0.1 * line, max(1.0, last - first), pitch - 0.6 * line)
        painter.fillRect(bar, color)
        painter.drawText(QRectF(width - room, y, room, pitch - 0.4 * line), RIGHT, signed(value))
        y += pitch
    painter.setPen(QPen(style.muted, 1.0))
    painter.drawLine(QPointF(x_of(0), top), QPointF(x_of(0), y - 0.4 * line))


def _paint_row(
    painter: QPainter,
    figure: WhyFigure,
    keys: Sequence[int],
    width: float,
    stretch: float,
    style: Style,
) -> None:
    """A bar for each key, filled, and outlined for what it would be without position."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    _paint_heading(painter, _ROW_HEADING, QRectF(0, 0, width, line), style)
    labels = [visible(figure.tokens[index]) for index in keys]
    widest = max(metrics.horizontalAdvance(label) for label in labels)
    left = min(widest + line * 0.6, width * 0.35)
    room = metrics.horizontalAdvance("100.0 %") + line * 0.4
    largest = float(figure.row.max())
    if figure.row_without is not None:
        largest = max(largest, float(figure.row_without.max()))
    scale = max(10.0, width - left - room) / max(largest, 1e-9)
    pitch = _KEY * line * stretch
    height = pitch - 0.3 * line
    y = _HEADING * line * stretch
    for index, label in zip(keys, labels, strict=True):
        is_asked = index == figure.key
        font = _bold(style.font) if is_asked else style.font
        painter.setFont(font)
        painter.setPen(style.highlight if is_asked else style.text)
        short = QFontMetricsF(font).elidedText(
            label, Qt.TextElideMode.ElideRight, left - 0.4 * line
        )
        painter.drawText(QRectF(0, y, left - 0.4 * line, height), RIGHT, short)
        weight = float(figure.row[index])
        color = style.highlight if is_asked else style.muted
        bar = QRectF(left, y + 0.18 * height, max(1.0, weight * scale), 0.64 * height)
        painter.fillRect(bar, color)
        if figure.row_without is not None:
            without = float(figure.row_without[index]) * scale
            painter.setPen(QPen(style.text, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(left, y + 0.02 * height, without, 0.96 * height))
        painter.setPen(style.text)
        painter.drawText(QRectF(width - room, y, room, height), RIGHT, f"{100 * weight:.1f} %")
        y += pitch
    painter.setFont(style.font)
    painter.setPen(style.muted)
    if len(keys) < len(figure.row):
        rest = max(0.0, 1.0 - float(figure.row[keys].sum()))
        text = f"and {len(figure.row) - len(keys):,} other words: {100 * rest:.1f} %"
        x = max(0.0, min(left, width - metrics.horizontalAdvance(text) - 2))
        painter.drawText(QRectF(x, y, width - x, line), LEFT, text)
        y += _MORE * line
    if figure.row_without is not None:
        _paint_legend(painter, left, y + 0.3 * line, width, style)


def _paint_legend(painter: QPainter, left: float, y: float, width: float, style: Style) -> None:
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    filled, outlined = (metrics.horizontalAdvance(name) + 2 for name in (_FILLED, _OUTLINED))
    x = max(0.0, min(left, width - filled - outlined - 5 * line))
    painter.fillRect(QRectF(x, y + 0.2 * line, 1.6 * line, 0.6 * line), style.muted)
    x += 2.0 * line
    painter.drawText(QRectF(x, y, filled, line), LEFT, _FILLED)
    x += filled + line
    painter.setPen(QPen(style.text, 1.2))
    painter.drawRect(QRectF(x, y + 0.1 * line, 1.6 * line, 0.8 * line))
    painter.setPen(style.muted)
    painter.drawText(QRectF(x + 2.0 * line, y, outlined, line), LEFT, _OUTLINED)


def why_picture(export: Export) -> Figure:
    """One cell of a head taken apart, or that of several heads as one picture.

    Raises:
        PosencError: There is no such token, or the mean over heads is asked for.
    """
    spec, result = export.spec, export.result
    query, key = spec.chosen_cell(result)
    layers, heads = spec.chosen_layers(result), spec.chosen_heads(result)
    caption = (
        f"The score of token {query + 1} for token {key + 1} taken apart, and the weights of that "
        f"row, {where(result, layers, heads)}; {made_with(result)}"
    )

    def make(layer: int, head: int, is_one_of_many: bool) -> WhyFigure:
        return replace(
            why_figure(explain_cell(result, layer, head, query, key)),
            says_cell=True,
            title=head_title(result, layer, head),
            caption=caption,
        )

    made = each_head(export, make)
    return replace(made, caption=caption) if isinstance(made, GridFigure) else made
