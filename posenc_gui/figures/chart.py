"""Charts: lines, steps, points and images over whole numbers, with axes that say what they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QLinearGradient,
    QPainter,
    QPen,
    QPolygonF,
)

from posenc_gui.figures.cells import MAX_RECTANGLES
from posenc_gui.figures.color_bar import round_ticks
from posenc_gui.figures.colormaps import SIGNED_COLOR_MAP, color_image, color_of
from posenc_gui.figures.fit import paint_wrapped, text_height
from posenc_gui.figures.labels import LEFT, RIGHT
from posenc_gui.figures.lines import head_color, head_dash
from posenc_gui.figures.style import Style

# How a curve is drawn: that of a head, one of many heads, one that is of no head; or points.
Kind = Literal["main", "many", "plain", "points"]
# In the order of a legend.
SAMPLE_KINDS = ("main", "many", "plain", "points", "mark", "span")

# In lines of type.
LEAST_WIDTH, LEAST_HEIGHT = 16.0, 8.0
_TITLE_LINES = 2
_BAND = 0.35  # above an image, for its spans
_TICK = 0.25
_SCALE_WIDTH = 8.0
_LEAST_CELL = 3.0  # in pixels
_OVERLAP = 0.5  # of cells, else viewers that smooth edges show the ground between them


@dataclass(frozen=True, eq=False)
class Curve:
    """A line, or points.

    Attributes:
        across: Places on the horizontal axis [m].
        up: Values [m].
        kind: How it is drawn.
        name: What the legend calls it; empty: it is not in the legend.
        head: The head whose colour it has, where there are curves of several.
    """

    across: NDArray[Any]
    up: NDArray[Any]
    kind: Kind = "main"
    name: str = ""
    head: int | None = None


@dataclass(frozen=True, eq=False)
class Cells:
    """An image: a cell around each whole number.

    Attributes:
        values: [rows, columns]; the rows count from 0, downwards.
        first: What the first column stands for.
        levels: The ends of the colour scale.
        has_scale: Whether the chart says what its colours mean.
    """

    values: NDArray[np.floating]
    first: int
    levels: tuple[float, float]
    has_scale: bool = True


@dataclass(frozen=True)
class Mark:
    """The line of a marked place.

    Attributes:
        at: Where.
        name: What the legend calls it.
        is_across: Whether it is a place on the horizontal axis.
    """

    at: float
    name: str
    is_across: bool = True


class Sample(NamedTuple):
    """What a legend explains.

    Attributes:
        kind: A name in ``SAMPLE_KINDS``.
        name: What it is.
        head: The head whose colour it has.
    """

    kind: str
    name: str
    head: int | None = None


@dataclass(frozen=True, eq=False)
class Chart:
    """One chart.

    Attributes:
        title: What it shows.
        across: What the horizontal axis counts, whole numbers.
        up: What the vertical axis shows.
        x: The ends of the horizontal axis.
        y: The ends of the vertical axis.
        curves: Lines and points, the first lowest.
        cells: An image, in place of curves.
        spans: Stretches of the horizontal axis that belong together.
        span_name: What the legend calls them.
        marks: Marked places.
        is_whole: Whether the vertical axis counts whole numbers.
    """

    title: str
    across: str
    up: str
    x: tuple[float, float]
    y: tuple[float, float]
    curves: Sequence[Curve] = ()
    cells: Cells | None = None
    spans: Sequence[tuple[float, float]] = ()
    span_name: str = ""
    marks: Sequence[Mark] = ()
    is_whole: bool = False

    def samples(self) -> list[Sample]:
        """What a legend has to explain."""
        found = [Sample(c.kind, c.name, c.head) for c in self.curves if c.name]
        found += [Sample("mark", mark.name) for mark in self.marks]
        return found + ([Sample("span", self.span_name)] if self.spans else [])


@dataclass(frozen=True)
class ChartLayout:
    """Where everything goes.

    Attributes:
        title: The box of the title.
        names: The top of the line with the vertical axis's name and the colour scale.
        area: What the curves or the image fill.
        x: The values at its left and right edge.
        y: The values at its lower and upper edge.
        x_ticks: The numbers below it.
        y_ticks: The numbers beside it.
    """

    title: QRectF
    names: float
    area: QRectF
    x: tuple[float, float]
    y: tuple[float, float]
    x_ticks: Sequence[float]
    y_ticks: Sequence[float]

    def x_of(self, value: float) -> float:
        low, high = self.x
        return self.area.left() + (value - low) / (high - low) * self.area.width()

    def y_of(self, value: float) -> float:
        low, high = self.y
        return self.area.bottom() - (value - low) / (high - low) * self.area.height()

    def points(self, curve: Curve) -> list[QPointF]:
        return [
            QPointF(self.x_of(float(x)), self.y_of(float(y)))
            for x, y in zip(curve.across, curve.up, strict=True)
        ]


def steps(
    distances: NDArray[Any], values: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A line that is level over each distance, from half before it to half after it."""
    edges = np.stack([distances - 0.5, distances + 0.5], 1).ravel()
    return edges.astype(float), np.repeat(np.asarray(values, float), 2)


def spans_beyond(first: int, reach: int) -> list[tuple[float, float]]:
    """The distances from −reach to reach that are at least ``first``, on both sides."""
    if first > reach:
        return []
    return [(-reach - 0.5, 0.5 - first), (first - 0.5, reach + 0.5)]


def whole_ticks(low: float, high: float, most: int) -> list[float]:
    """About ``most`` round whole numbers from ``low`` to ``high``; two where there are two."""
    steps = [factor * 10**power for power in range(12) for factor in (1, 2, 5)]
    place = next(i for i, step in enumerate(steps) if (high - low) / step <= max(1, most))
    while place and math.floor(high / steps[place]) <= math.ceil(low / steps[place]):
        place -= 1  # so coarse a step leaves one number
    step = steps[place]
    return [float(n * step) for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def number_text(value: float) -> str:
    """A number beside an axis."""
    return f"{value:.6g}".replace("-", "−")


def plan_chart(chart: Chart, box: QRectF, style: Style) -> ChartLayout:
    """Where everything goes in a box."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    title = min(text_height(chart.title, _bold(style.font), box.width()), _TITLE_LINES * line)
    above = title + (0.2 * line if title else 0.0)
    names = box.top() + above
    has_band = chart.cells is not None and chart.spans
    above += 1.2 * line + (_BAND * line + 2.0 if has_band else 0.3 * line)
    below = (_TICK + 2.1) * line
    height = max(line, box.height() - above - below)
    y = chart.y
    if chart.cells is None:
        margin = 0.05 * (y[1] - y[0])
        y = y[0] - margin, y[1] + margin
    most_up = max(1, min(6, int(height / (1.6 * line))))
    y_ticks = (whole_ticks if chart.is_whole else round_ticks)(*chart.y, most_up)
    widest = max(metrics.horizontalAdvance(number_text(end)) for end in map(round, chart.x))
    left = max(metrics.horizontalAdvance(number_text(tick)) for tick in y_ticks) + 0.5 * line
    left = max(left, widest / 2)
    right = max(widest / 2, 0.3 * line)
    width = max(line, box.width() - left - right)
    x_ticks = whole_ticks(*chart.x, min(12, int(width / (widest + line))))
    return ChartLayout(
        title=QRectF(box.left(), box.top(), box.width(), title),
        names=names,
        area=QRectF(box.left() + left, box.top() + above, width, height),
        x=chart.x,
        y=(y[1], y[0]) if chart.cells is not None else y,
        x_ticks=x_ticks,
        y_ticks=y_ticks,
    )


def paint_chart(painter: QPainter, chart: Chart, box: QRectF, style: Style) -> None:
    """Paints a chart into a box."""
    layout = plan_chart(chart, box, style)
    painter.setPen(style.text)
    paint_wrapped(painter, layout.title, chart.title, _bold(style.font))
    painter.setFont(style.font)
    _paint_names(painter, chart, layout, style)
    if chart.cells is None:
        _paint_spans(painter, chart, layout, style)
    else:
        _paint_cells(painter, chart.cells, layout)
        _paint_bands(painter, chart, layout, style)
    _paint_axes(painter, chart, layout, style)
    _paint_marks(painter, chart, layout, style)
    for curve in chart.curves:
        _paint_curve(painter, curve, layout, style)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


def _paint_names(painter: QPainter, chart: Chart, layout: ChartLayout, style: Style) -> None:
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    left, right = layout.title.left(), layout.title.right()
    painter.setPen(style.muted)
    up = metrics.elidedText(chart.up, Qt.TextElideMode.ElideRight, right - left)
    painter.drawText(QRectF(left, layout.names, right - left, line), LEFT, up)
    across = metrics.elidedText(chart.across, Qt.TextElideMode.ElideRight, right - left)
    width = metrics.horizontalAdvance(across) + 2
    x = min(max(layout.area.center().x() - width / 2, left), right - width)
    below = QRectF(x, layout.area.bottom() + (_TICK + 1.1) * line, width, line)
    painter.drawText(below, _CENTER, across)
    if chart.cells is not None and chart.cells.has_scale:
        left += metrics.horizontalAdvance(up) + line
        scale = QRectF(left, layout.names, right - left, line)
        paint_scale(painter, scale, "", chart.cells.levels, style)


def _paint_axes(painter: QPainter, chart: Chart, layout: ChartLayout, style: Style) -> None:
    metrics = QFontMetricsF(style.font)
    line, area = metrics.height(), layout.area
    faint = QColor(style.muted)
    faint.setAlphaF(0.25)
    for tick in layout.y_ticks:
        y = layout.y_of(tick)
        if chart.cells is None:
            painter.setPen(QPen(style.muted if tick == 0 else faint, 1.0))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(style.text)
        text = QRectF(layout.title.left(), y - line / 2, area.left() - layout.title.left(), line)
        painter.drawText(text.adjusted(0, 0, -0.35 * line, 0), RIGHT, number_text(tick))
    painter.setPen(QPen(style.muted, 1.0))
    if chart.cells is None:
        painter.drawLine(area.bottomLeft(), area.bottomRight())
    for tick in layout.x_ticks:
        x = layout.x_of(tick)
        painter.setPen(QPen(style.muted, 1.0))
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 0.15 * line))
        painter.setPen(style.text)
        width = metrics.horizontalAdvance(number_text(tick)) + 2
        text = QRectF(x - width / 2, area.bottom() + _TICK * line, width, line)
        painter.drawText(text, _CENTER, number_text(tick))


def span_color(style: Style, alpha: float) -> QColor:
    """The colour of what belongs together."""
    color = QColor(style.muted)
    color.setAlphaF(alpha)
    return color


def _paint_spans(painter: QPainter, chart: Chart, layout: ChartLayout, style: Style) -> None:
    for first, last in chart.spans:
        left, right = layout.x_of(first), layout.x_of(last)
        span = QRectF(left, layout.area.top(), right - left, layout.area.height())
        painter.fillRect(span, span_color(style, 0.22))


def _paint_bands(painter: QPainter, chart: Chart, layout: ChartLayout, style: Style) -> None:
    """The spans of an image, above it: within it they would change its colours."""
    height = _BAND * QFontMetricsF(style.font).height()
    for first, last in chart.spans:
        left, right = layout.x_of(first), layout.x_of(last)
        band = QRectF(left, layout.area.top() - height - 1, right - left, height)
        painter.fillRect(band, span_color(style, 0.4))


def _paint_cells(painter: QPainter, cells: Cells, layout: ChartLayout) -> None:
    """Crisp rectangles, or one image where they are very many or very small."""
    rows, columns = cells.values.shape
    area = layout.area
    pixels = painter.deviceTransform().mapRect(area).size()
    is_small = isinstance(painter.device(), QImage) and (
        min(pixels.width() / columns, pixels.height() / rows) < _LEAST_CELL
    )
    if is_small or rows * columns > MAX_RECTANGLES:
        image = color_image(cells.values, cells.levels, SIGNED_COLOR_MAP)
        # Elsewhere viewers smooth images; enlarged by whole numbers, a cell keeps its edges.
        times = max(1, 2048 // max(rows, columns))
        size = pixels.toSize() if is_small else image.size() * times
        mode = Qt.TransformationMode
        smooth = mode.SmoothTransformation if is_small else mode.FastTransformation
        painter.drawImage(area, image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, smooth))
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    x_edges = [layout.x_of(cells.first + column - 0.5) for column in range(columns + 1)]
    y_edges = [layout.y_of(row - 0.5) for row in range(rows + 1)]
    for row in range(rows):
        bottom = min(y_edges[row + 1] + _OVERLAP, area.bottom())
        for column in range(columns):
            right = min(x_edges[column + 1] + _OVERLAP, area.right())
            rect = QRectF(QPointF(x_edges[column], y_edges[row]), QPointF(right, bottom))
            value = float(cells.values[row, column])
            painter.fillRect(rect, color_of(value, cells.levels, SIGNED_COLOR_MAP))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _paint_marks(painter: QPainter, chart: Chart, layout: ChartLayout, style: Style) -> None:
    area, pen = layout.area, mark_pen(style)
    if chart.cells is not None:
        pen.setStyle(Qt.PenStyle.SolidLine)
    for mark in chart.marks:
        if mark.is_across:
            x = layout.x_of(mark.at)
            start, end = QPointF(x, area.top()), QPointF(x, area.bottom())
        else:
            y = layout.y_of(mark.at)
            start, end = QPointF(area.left(), y), QPointF(area.right(), y)
        if chart.cells is not None:
            # Else it is lost among the colours.
            painter.setPen(_flat_pen(QColor("#ffffff"), 3.0))
            painter.drawLine(start, end)
        painter.setPen(pen)
        painter.drawLine(start, end)


def _paint_curve(painter: QPainter, curve: Curve, layout: ChartLayout, style: Style) -> None:
    points = layout.points(curve)
    if curve.kind == "points":
        paint_points(painter, points, style)
        return
    painter.setPen(curve_pen(curve.kind, curve.head, style))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF(points))


def paint_points(painter: QPainter, points: Sequence[QPointF], style: Style) -> None:
    """Paints a dot at each."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.text)
    for point in points:
        painter.drawEllipse(point, 2.6, 2.6)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _flat_pen(color: QColor, width: float) -> QPen:
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def curve_pen(kind: str, head: int | None, style: Style) -> QPen:
    """The pen of a curve of a kind; of one of several heads, in that head's colour."""
    if kind == "many":
        pen = _flat_pen(style.muted, 0.8)
    elif kind == "plain":
        pen = _flat_pen(style.text, 1.8)
    elif head is None:
        pen = _flat_pen(style.accent, 2.2)
    else:
        pen = _flat_pen(head_color(head, style), 1.6)
        if head_dash(head):
            pen.setDashPattern([length / 1.6 for length in head_dash(head)])
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen


def mark_pen(style: Style) -> QPen:
    """The pen of a marked place."""
    pen = _flat_pen(style.highlight, 1.6)
    pen.setDashPattern([3.5, 2.0])
    return pen


def paint_scale(
    painter: QPainter, rect: QRectF, name: str, levels: tuple[float, float], style: Style
) -> None:
    """Paints name, lower end, colours and upper end of the scale of a signed image."""
    metrics = QFontMetricsF(style.font)
    gap = 0.4 * metrics.height()
    low, high = (f"{end:+.2g}".replace("-", "−") for end in levels)
    x = rect.left()
    painter.setFont(style.font)
    painter.setPen(style.muted)
    for text in filter(None, (name, low)):
        width = metrics.horizontalAdvance(text)
        painter.drawText(QRectF(x, rect.top(), width + 2, rect.height()), LEFT, text)
        x += width + gap
    last = metrics.horizontalAdvance(high)
    room = rect.right() - x - gap - last
    bar = QRectF(
        x, 0, max(10.0, min(_SCALE_WIDTH * metrics.height(), room)), 0.7 * metrics.height()
    )
    bar.moveTop(rect.center().y() - bar.height() / 2)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for share in np.linspace(0, 1, 33).tolist():
        gradient.setColorAt(share, color_of(share, (0.0, 1.0), SIGNED_COLOR_MAP))
    painter.fillRect(bar, gradient)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    painter.drawText(QRectF(bar.right() + gap, rect.top(), last + 2, rect.height()), LEFT, high)


_CENTER = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
