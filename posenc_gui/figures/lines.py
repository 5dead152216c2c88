"""Attention as lines: queries left, keys right, a line for each weight.

The window paints the same parts one by one; an export paints all with :func:`paint_lines`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from posenc_gui.figures.fit import at_least
from posenc_gui.figures.labels import (
    GAP,
    LEFT,
    AxisLabels,
    paint_label,
    plan_rows,
    shown_text,
)
from posenc_gui.figures.matrix import KEY_NAME, QUERY_NAME, label_of
from posenc_gui.figures.style import Style
from posenc_model.request import MEAN_HEAD

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.intp]

# Each set was optimised so that any two of its colours differ for people with and without the
# common kinds of colour blindness, and all are seen on their ground.
ON_LIGHT = (
    "#1d5bb9",
    "#ff4f00",
    "#8a2058",
    "#007e61",
    "#6da1f6",
    "#a463e1",
    "#2a1c7a",
    "#839349",
    "#00b2b7",
    "#e07e8d",
    "#5a3512",
    "#e0218a",
)
ON_DARK = (
    "#89abc7",
    "#f98302",
    "#dd478c",
    "#3dbb6c",
    "#a8dcff",
    "#ba8cff",
    "#5f6cf0",
    "#d4cb2b",
    "#008fab",
    "#ffb8ba",
    "#b0703a",
    "#fff3a0",
)
# Heads beyond the last colour take the colours again, drawn like this: lengths of strokes and gaps
# in units of the picture, for in multiples of the width those of thin lines cannot be seen.
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (2, 2.5), (7, 2.5, 1.5, 2.5))

MOST_LINES = 20_000
"""So many of the strongest lines are drawn at most: more are a carpet, and take seconds."""

THINNEST, THICKEST = 0.5, 5.0
_FULL = 1.0 - 1e-6  # weights are sums of floats: 0.9999999 reaches a threshold of 1
_LEGEND = "Colour = head, thickness and opacity = weight:"
_SAMPLES = (0.05, 0.25, 0.5, 1.0)
_WIDEST_GAP = 640.0
_WIDEST_LANE = 5.0
_MOST_LABEL = 0.3  # of the width

# In lines of type.
_NAMES = 1.5
_WIDEST_PITCH = 4.0  # a few words are not torn apart
LEAST_WIDTH, _LEAST_BODY, _LOW_BODY = 16.0, 3.0, 8.0


def head_name(head: int) -> str:
    """“head 3”, counted from 1, or what the mean is called."""
    return "mean over heads" if head == MEAN_HEAD else f"head {head + 1}"


def head_color(head: int, style: Style) -> QColor:
    """The colour of a head's lines on the ground of ``style``; the mean has that of text."""
    if head == MEAN_HEAD:
        return QColor(style.text)
    colors = ON_DARK if style.background.lightness() < 128 else ON_LIGHT
    return QColor(colors[head % len(colors)])


def head_dash(head: int) -> tuple[float, ...]:
    """Lengths of strokes and gaps of a head's lines: none for the first dozen."""
    return DASHES[max(0, head) // len(ON_LIGHT) % len(DASHES)]


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines, one an entry of each array [m], the weakest first.

    Attributes:
        head: The head of each, from 0, or ``MEAN_HEAD``.
        query: Where each begins.
        key: Where each ends.
        weight: Their weights.
        opacity: From 0 to 1.
        width: Thickness in units of the picture.
        lane: Which of the lines between two words it is, 0 in the middle: so that those of several
            heads lie side by side.
    """

    head: IntArray
    query: IntArray
    key: IntArray
    weight: FloatArray
    opacity: FloatArray
    width: FloatArray
    lane: FloatArray

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True, eq=False)
class LinesFigure:
    """What the picture shows.

    Attributes:
        weights: [heads, n, n], query by key; what is no finite number is masked.
        heads: Which heads these are, from 0, or ``MEAN_HEAD``.
        tokens: The n tokens.
        unknown: Tokens outside the vocabulary.
        threshold: Weaker weights have no line.
        query: Only the lines of this query, where it is not ``None``.
        key: Only the lines to this key, where it is not ``None``.
        full: The weight that is drawn thickest and opaque.
        elsewhere: The sum of all weights of the n queries on words beyond the n, where the picture
            shows the first words of a longer text.
        title: A line above the picture; may be empty.
        caption: What was computed, for the file's description.
        has_legend: Whether it says what its lines mean; pictures side by side share a legend.
        has_names: Whether “query (looks)” and “key (is looked at)” are written.
    """

    weights: FloatArray
    heads: tuple[int, ...]
    tokens: Sequence[str]
    unknown: frozenset[int] = frozenset()
    threshold: float = 0.0
    query: int | None = None
    key: int | None = None
    full: float = 1.0
    elsewhere: float = 0.0
    title: str = ""
    caption: str = ""
    has_legend: bool = True
    has_names: bool = True

    def words(self) -> Iterable[str]:
        return self.tokens

    def height_for(self, width: float, style: Style) -> float:
        least = LEAST_WIDTH * QFontMetricsF(style.font).height()
        wide = max(width, least)
        return lines_height(self, style.font, wide) * width / wide

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        paint_lines(painter, self, size, style)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(label_of(word, i in self.unknown) for i, word in enumerate(self.tokens))

    @cached_property
    def lines(self) -> Lines:
        """The lines that are drawn."""
        weights = self._kept
        flat = weights.ravel()
        places = np.flatnonzero((flat > 0) & (flat >= self.threshold * _FULL))
        if len(places) > MOST_LINES:
            strongest = np.argpartition(flat[places], len(places) - MOST_LINES)[-MOST_LINES:]
            places = np.sort(places[strongest])
        places = places[np.argsort(flat[places], kind="stable")]
        weight = flat[places]
        index, query, key = np.unravel_index(places, weights.shape)
        return Lines(
            head=np.array(self.heads, np.intp)[index],
            query=query + (self.query or 0),
            key=key + (self.key or 0),
            weight=weight,
            opacity=opacity_of(weight, self.full),
            width=width_of(weight, self.full),
            lane=(index - (len(self.heads) - 1) / 2).astype(np.float32),
        )

    @cached_property
    def count(self) -> int:
        """How many weights there are above 0, of the marked word alone where there is one."""
        return int(np.count_nonzero(self._kept))

    @property
    def hidden(self) -> int:
        """How many of them have no line."""
        return self.count - len(self.lines)

    @cached_property
    def hidden_share(self) -> float:
        """How much of all attention goes along lines that are not drawn; of an unmarked figure."""
        inside = float(self._kept.sum(dtype=np.float64))
        drawn = float(self.lines.weight.sum(dtype=np.float64))
        return max(0.0, inside - drawn) / max(inside + self.elsewhere, 1e-12)

    @cached_property
    def elsewhere_share(self) -> float:
        """How much of all attention goes to words beyond the n; of an unmarked figure."""
        inside = float(self._kept.sum(dtype=np.float64))
        return self.elsewhere / max(inside + self.elsewhere, 1e-12)

    @cached_property
    def _kept(self) -> FloatArray:
        """The weights of the marked row or column, or all; 0 where there can be no line."""
        rows = slice(None) if self.query is None else slice(self.query, self.query + 1)
        columns = slice(None) if self.key is None else slice(self.key, self.key + 1)
        chosen = self.weights[:, rows, columns]
        kept: FloatArray = np.fmax(chosen, 0)  # 0 for what is no number
        return kept if np.isfinite(kept.sum()) else np.where(np.isfinite(kept), kept, 0)


def opacity_of(weight: FloatArray, full: float = 1.0) -> FloatArray:
    """From 0 to 1; the root, because weak lines would else be hardly seen at all."""
    opacity: FloatArray = np.sqrt(np.clip(weight / max(full, 1e-9), 0, 1))
    return opacity


def width_of(weight: FloatArray, full: float = 1.0) -> FloatArray:
    """The thickness of lines: evenly from the thinnest to the thickest."""
    share = np.clip(weight / max(full, 1e-9), 0, 1)
    width: FloatArray = THINNEST + (THICKEST - THINNEST) * share
    return width


@dataclass(frozen=True)
class LinesLayout:
    """Where everything goes.

    Attributes:
        body: The rectangle between the ends of the lines; of a long text a part is seen in it.
        pitch: Distance of two rows.
        offset: How far the rows are scrolled up.
        lane: Distance of the lines of two heads between the same words.
        labels: How the words of both columns are written.
        legend: The rectangle of the legend.
    """

    body: QRectF
    pitch: float
    offset: float
    lane: float
    labels: AxisLabels
    legend: QRectF

    def row_center(self, row: int) -> float:
        return self.body.top() + (row + 0.5) * self.pitch - self.offset

    def row_at(self, y: float) -> int:
        """The row at a height; may lie outside the text."""
        return int((y - self.body.top() + self.offset) // self.pitch)

    def seen_rows(self, count: int) -> range:
        """The rows of which something is seen."""
        first = max(0, int(self.offset // self.pitch))
        last = int(np.ceil((self.offset + self.body.height()) / self.pitch))
        return range(first, max(first, min(count, last)))


def smallest_pitch(font: QFont) -> float:
    """The distance of rows below which their words would touch."""
    return 0.85 * QFontMetricsF(font).height()  # letters leave the rest of a line empty


def lines_height(figure: LinesFigure, font: QFont, width: float) -> float:
    """How high the whole picture has to be for all words to be written."""
    line = QFontMetricsF(font).height()
    count = len(figure.tokens)
    few = min(_WIDEST_PITCH * count, _LOW_BODY) * line
    rows = max(1.2 * smallest_pitch(font) * count, few)
    names = _NAMES * line if figure.has_names else 0.0
    return names + rows + 1.0 + legend_height(figure, QFontMetricsF(font), width)


def layout_lines(
    figure: LinesFigure,
    size: QSizeF,
    font: QFont,
    *,
    least_pitch: float = 0.0,
    offset: float = 0.0,
    alone: bool = True,
) -> LinesLayout:
    """Places everything in an area.

    Args:
        figure: What is shown.
        size: The area.
        font: The type.
        least_pitch: Rows are no closer than this; they may then end below the area.
        offset: How far the rows are scrolled up.
        alone: Whether the heads' names belong to it; a window says them elsewhere.
    """
    metrics = QFontMetricsF(font)
    line = metrics.height()
    legend = legend_height(figure, metrics, size.width(), alone)
    # Whole units: the window keeps parts of the body as images.
    body_top = round(_NAMES * line) if figure.has_names else 0
    height = int(max(line, size.height() - body_top - legend))
    count = max(1, len(figure.tokens))
    if alone and height / count < line:
        # The outermost words are higher than their rows.
        inset = int((line - height / count) / 2)
        body_top, height = body_top + inset, height - 2 * inset
    pitch = max(min(height / count, _WIDEST_PITCH * line), least_pitch, 1e-3)
    most = _MOST_LABEL * size.width() - GAP
    names = max(metrics.horizontalAdvance(name) for name in (QUERY_NAME, KEY_NAME)) + 2
    plan = plan_rows(figure.labels, pitch, metrics, most)
    step = max(1, int(np.ceil(smallest_pitch(font) / pitch - 1e-6)))
    plan = AxisLabels(False, step, min(max(plan.room, names), most))
    side = plan.room + GAP + 6
    gap = min(size.width() - 2 * side, _WIDEST_GAP)
    left = (size.width() - gap) / 2
    body = QRectF(round(left), body_top, max(1, int(gap)), height)
    bottom = QRectF(0, size.height() - legend, size.width(), legend)
    lane = min(_WIDEST_LANE, 0.7 * pitch / max(1, len(figure.heads)))
    return LinesLayout(body, pitch, offset, lane, plan, bottom)


def line_pen(head: int, opacity: float, width: float, style: Style) -> QPen:
    """The pen of one line."""
    color = head_color(head, style)
    color.setAlphaF(min(1.0, max(0.0, opacity)))
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    dash = head_dash(head)
    if dash:
        unit = max(width, 1.0)  # as Qt takes it
        pen.setDashPattern([length / unit for length in dash])
    return pen


def line_ends(lines: Lines, layout: LinesLayout) -> FloatArray:
    """Heights of both ends of each line [m, 2] as they are with nothing scrolled, from the top."""
    rows = np.stack([lines.query, lines.key], axis=1).astype(np.float32)
    ends: FloatArray = (rows + 0.5) * layout.pitch + (lines.lane * layout.lane)[:, None]
    return ends


def paint_line(
    painter: QPainter, lines: Lines, index: int, layout: LinesLayout, style: Style
) -> None:
    """Paints one of the lines."""
    head, opacity = int(lines.head[index]), float(lines.opacity[index])
    painter.setPen(line_pen(head, opacity, float(lines.width[index]), style))
    shift = float(lines.lane[index]) * layout.lane
    painter.drawLine(
        QPointF(layout.body.left(), layout.row_center(int(lines.query[index])) + shift),
        QPointF(layout.body.right(), layout.row_center(int(lines.key[index])) + shift),
    )


def paint_words(painter: QPainter, figure: LinesFigure, layout: LinesLayout, style: Style) -> None:
    """Paints the words of both columns and the columns' names above them."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    body = layout.body
    painter.setFont(style.font)
    painter.setPen(style.muted)
    width = layout.legend.width()
    for name, is_left in ((QUERY_NAME, True), (KEY_NAME, False)) if figure.has_names else ():
        short = metrics.elidedText(name, Qt.TextElideMode.ElideRight, width / 2 - GAP)
        room = metrics.horizontalAdvance(short) + 2
        # Where it is longer than the words, it reaches over the lines.
        x = max(0.0, body.left() - GAP - room)
        x = x if is_left else min(body.right() + GAP, width - room)
        painter.drawText(QRectF(x, 0, room, line), LEFT, short)
    painter.save()
    if layout.pitch * len(figure.tokens) > body.height() + 1:
        # Words that are scrolled out do not run into the names above or the legend below.
        painter.setClipRect(QRectF(0, body.top(), width, body.height()))
    is_marked = figure.query is not None or figure.key is not None
    joined = (
        (set(figure.lines.query.tolist()), set(figure.lines.key.tolist())) if is_marked else None
    )
    for index in layout.seen_rows(len(figure.tokens)):
        if index % layout.labels.step and index not in (figure.query, figure.key):
            continue
        text = shown_text(figure.labels[index], layout.labels, metrics)
        y = layout.row_center(index)
        for side, marked in enumerate((figure.query, figure.key)):
            is_faint = joined is not None and index not in joined[side]
            _set_pen(painter, style, index == marked, is_faint or index in figure.unknown)
            if side == 0:
                anchor = QPointF(body.left() - GAP, y)
                paint_label(painter, anchor, text, layout.labels, is_column=False)
            else:
                box = QRectF(body.right() + GAP, y - line / 2, layout.labels.room + line, line)
                painter.drawText(box, LEFT, text)
    painter.restore()


def _set_pen(painter: QPainter, style: Style, is_marked: bool, is_faint: bool) -> None:
    font = QFont(style.font)
    font.setUnderline(is_marked)
    painter.setFont(font)
    painter.setPen(style.highlight if is_marked else style.muted if is_faint else style.text)


def paint_legend(
    painter: QPainter,
    figure: LinesFigure,
    layout: LinesLayout,
    style: Style,
    *,
    alone: bool = True,
) -> None:
    """Paints what colour, thickness and opacity mean."""
    if not figure.has_legend:
        return
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    painter.setFont(style.font)
    room = layout.legend.width()
    y = layout.legend.top() + 0.3 * line
    if alone:
        for row in _head_rows(figure, metrics, room):
            x = GAP
            for head, name in row:
                pen = line_pen(head, 1.0, 3.0, style)
                _paint_sample(painter, QPointF(x, y + line / 2), 1.6 * line, pen)
                painter.setPen(style.text)
                painter.drawText(QRectF(x + 2.0 * line, y, room, line), LEFT, name)
                x += 2.0 * line + metrics.horizontalAdvance(name) + line
            y += 1.3 * line
    painter.setPen(style.muted)
    x = GAP
    text = metrics.elidedText(_LEGEND, Qt.TextElideMode.ElideRight, room - 2 * GAP)
    painter.drawText(QRectF(x, y, room - 2 * GAP, line), LEFT, text)
    if _scale_rows(figure, metrics, room) == 1:
        x += metrics.horizontalAdvance(_LEGEND) + 0.8 * line
    else:
        y += 1.3 * line
    for share, label, width in _fitting_samples(figure.full, metrics, room - x):
        weight = np.array([share * figure.full], np.float32)
        color = QColor(style.text)
        color.setAlphaF(float(opacity_of(weight, figure.full)[0]))
        pen = QPen(color, float(width_of(weight, figure.full)[0]))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        _paint_sample(painter, QPointF(x, y + line / 2), 1.6 * line, pen)
        painter.setPen(style.muted)
        painter.drawText(QRectF(x + 1.9 * line, y, width, line), LEFT, label)
        x += width


def _scale_rows(figure: LinesFigure, metrics: QFontMetricsF, room: float) -> int:
    """How many lines the samples of the scale and what stands before them take: one or two."""
    beside = room - GAP - metrics.horizontalAdvance(_LEGEND) - 0.8 * metrics.height()
    return 1 if len(_fitting_samples(figure.full, metrics, beside)) == len(_SAMPLES) else 2


def _fitting_samples(
    full: float, metrics: QFontMetricsF, room: float
) -> list[tuple[float, str, float]]:
    """Share of the scale, label and width of as many samples as there is room for."""
    for shares in (_SAMPLES, (_SAMPLES[0], 0.5, 1.0), (_SAMPLES[0], 1.0)):
        labels = [_percent(share * full) for share in shares]
        widths = [2.5 * metrics.height() + metrics.horizontalAdvance(label) for label in labels]
        if sum(widths) <= room:
            return list(zip(shares, labels, widths, strict=True))
    return []


def _percent(weight: float) -> str:
    share = 100 * weight
    return (
        f"{share:.0f} %" if share >= 9.95 or abs(share - round(share)) < 0.01 else f"{share:.1f} %"
    )


def _paint_sample(painter: QPainter, start: QPointF, length: float, pen: QPen) -> None:
    painter.setPen(pen)
    painter.drawLine(start, QPointF(start.x() + length, start.y()))


def _head_rows(
    figure: LinesFigure, metrics: QFontMetricsF, room: float
) -> list[list[tuple[int, str]]]:
    """The heads' names in lines that fit."""
    rows: list[list[tuple[int, str]]] = []
    x = room
    for head in figure.heads:
        name = head_name(head)
        width = 3.0 * metrics.height() + metrics.horizontalAdvance(name)
        if x + width > room:
            rows.append([])
            x = GAP
        rows[-1].append((head, name))
        x += width
    return rows


def legend_height(
    figure: LinesFigure, metrics: QFontMetricsF, room: float, alone: bool = True
) -> float:
    """How high the legend is in a picture that is ``room`` wide."""
    if not figure.has_legend:
        return 0.0
    rows = _scale_rows(figure, metrics, room)
    rows += len(_head_rows(figure, metrics, room)) if alone else 0
    return (1.3 * rows + 0.4) * metrics.height()


def paint_lines(painter: QPainter, figure: LinesFigure, size: QSizeF, style: Style) -> None:
    """Paints the whole picture into an area of ``size`` whose origin is the painter's."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    wide = max(size.width(), LEAST_WIDTH * line)
    least = (_NAMES + _LEAST_BODY) * line + legend_height(figure, metrics, wide)
    with at_least(painter, size, QSizeF(LEAST_WIDTH * line, least)) as room:
        highest = (_NAMES + _WIDEST_PITCH * len(figure.tokens)) * line + 1.0
        highest += legend_height(figure, metrics, room.width())
        if room.height() > highest:
            painter.translate(0, (room.height() - highest) / 2)
            room.setHeight(highest)
        layout = layout_lines(figure, room, style.font)
        for index in range(len(figure.lines)):
            paint_line(painter, figure.lines, index, layout, style)
        paint_words(painter, figure, layout, style)
        paint_legend(painter, figure, layout, style)
