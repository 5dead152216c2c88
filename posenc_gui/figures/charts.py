"""Several charts as one picture, with one legend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from posenc_gui.figures.chart import (
    LEAST_HEIGHT,
    LEAST_WIDTH,
    SAMPLE_KINDS,
    Chart,
    Sample,
    curve_pen,
    mark_pen,
    paint_chart,
    paint_points,
    span_color,
)
from posenc_gui.figures.fit import at_least
from posenc_gui.figures.labels import LEFT
from posenc_gui.figures.style import Style

# In lines of type.
_GAP, _COLUMN_GAP, _LEGEND_GAP = 0.9, 1.5, 0.6
_CHART_HEIGHT = 11.0
_CHART_ASPECT = 0.5  # of the width
_TWO_COLUMNS = 34.0  # from this width on


@dataclass(frozen=True, eq=False)
class ChartsFigure:
    """Charts in columns, or all one below the other, and one legend for all.

    Attributes:
        columns: The charts of each column, from above.
        tokens: The words that are written in it.
        title: A line above the picture; may be empty.
        caption: What is shown and was computed.
    """

    columns: Sequence[Sequence[Chart]]
    tokens: Sequence[str] = ()
    title: str = ""
    caption: str = ""

    @property
    def charts(self) -> list[Chart]:
        """All charts."""
        return [chart for column in self.columns for chart in column]

    @property
    def samples(self) -> list[Sample]:
        """What the legend explains."""
        found = dict.fromkeys(sample for chart in self.charts for sample in chart.samples())
        return sorted(found, key=lambda sample: SAMPLE_KINDS.index(sample[0]))

    def words(self) -> Iterable[str]:
        return self.tokens

    def height_for(self, width: float, style: Style) -> float:
        line = QFontMetricsF(style.font).height()
        wide = max(width, LEAST_WIDTH * line)
        columns = self.columns if wide >= _TWO_COLUMNS * line else [self.charts]
        across = (wide - (len(columns) - 1) * _COLUMN_GAP * line) / len(columns)
        chart = max(_CHART_HEIGHT * line, _CHART_ASPECT * across)
        most = max(map(len, columns))
        height = most * chart + (most - 1) * _GAP * line + self._legend_height(wide, style)
        return height * width / wide

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        line = QFontMetricsF(style.font).height()
        below = self._legend_height(max(size.width(), LEAST_WIDTH * line), style)
        body = QSizeF(size.width(), max(1.0, size.height() - below))
        columns = max((self.columns, [self.charts]), key=lambda c: _room_of(c, body, line))
        most = max(map(len, columns))
        gaps = len(columns) - 1, most - 1
        least = QSizeF(
            (len(columns) * LEAST_WIDTH + gaps[0] * _COLUMN_GAP) * line,
            (most * LEAST_HEIGHT + gaps[1] * _GAP) * line + below,
        )
        with at_least(painter, size, least) as room:
            below = self._legend_height(room.width(), style)
            across = (room.width() - gaps[0] * _COLUMN_GAP * line) / len(columns)
            for index, column in enumerate(columns):
                left = index * (across + _COLUMN_GAP * line)
                high = room.height() - below - (len(column) - 1) * _GAP * line
                for place, chart in enumerate(column):
                    top = place * (high / len(column) + _GAP * line)
                    paint_chart(
                        painter, chart, QRectF(left, top, across, high / len(column)), style
                    )
            painter.translate(0, room.height() - below + _LEGEND_GAP * line)
            _paint_legend(painter, self.samples, room, style)

    def _legend_height(self, width: float, style: Style) -> float:
        _, height = _plan_legend(self.samples, width, style)
        return height + _LEGEND_GAP * QFontMetricsF(style.font).height() if height else 0.0


def _room_of(columns: Sequence[Sequence[Chart]], size: QSizeF, line: float) -> float:
    """How much room the smallest chart has, as a share of the least that it needs."""
    width = size.width() / line / len(columns)
    height = size.height() / line / max(map(len, columns))
    return min(width / LEAST_WIDTH, height / LEAST_HEIGHT)


def _plan_legend(
    samples: Sequence[Sample], width: float, style: Style
) -> tuple[list[tuple[QPointF, str]], float]:
    """The left upper corner and the text of each sample, and how high all are together."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    placed: list[tuple[QPointF, str]] = []
    x, y = 0.0, 0.0
    for _, name, _ in samples:
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, width - 2.0 * line)
        needed = metrics.horizontalAdvance(text) + 2.0 * line
        if x and x + needed > width:
            x, y = 0.0, y + 1.25 * line
        placed.append((QPointF(x, y), text))
        x += needed + line
    return placed, y + line if placed else 0.0


def _paint_legend(painter: QPainter, samples: Sequence[Sample], size: QSizeF, style: Style) -> None:
    """Paints what curves, marks and spans are, from the painter's origin."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    painter.setFont(style.font)
    placed, _ = _plan_legend(samples, size.width(), style)
    for (kind, _, head), (corner, text) in zip(samples, placed, strict=True):
        middle = corner.y() + line / 2
        start, end = QPointF(corner.x(), middle), QPointF(corner.x() + 1.5 * line, middle)
        if kind == "span":
            sample = QRectF(corner.x(), corner.y() + 0.2 * line, 1.5 * line, 0.6 * line)
            painter.fillRect(sample, span_color(style, 0.4))
        elif kind == "points":
            paint_points(painter, [QPointF((start.x() + end.x()) / 2, middle)], style)
        else:
            painter.setPen(mark_pen(style) if kind == "mark" else curve_pen(kind, head, style))
            painter.drawLine(start, end)
        painter.setPen(style.muted)
        box = QRectF(
            corner.x() + 1.9 * line, corner.y(), size.width() - corner.x() - 1.9 * line, line
        )
        painter.drawText(box, LEFT, text)
