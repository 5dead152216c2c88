"""How much attention goes how far, as a picture: a bar for each distance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from posenc_gui.figures.figure import Figure
from posenc_gui.figures.fit import at_least
from posenc_gui.figures.from_result import head_title, made_with, where
from posenc_gui.figures.grid import GridFigure, each_head
from posenc_gui.figures.labels import LEFT, RIGHT
from posenc_gui.figures.style import Style
from posenc_model.analysis import head_profile
from posenc_model.exporters import Export

if TYPE_CHECKING:
    from posenc_model.analysis import HeadProfile

# From this many pairs on, a mean is drawn in full; in a short text, the most there are.
FULL_PAIRS = 10
_PALEST = 0.25
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_UP = "mean attention weight"
_ACROSS = (
    "words to the left  ←  distance  →  words to the right",
    "to the left  ←  distance  →  to the right",
    "left  ←  distance  →  right",
    "←  distance  →",
)
_BARS, _LINE, _PALE = "as it is", "without position", "paler: fewer pairs"
_LEAST_WIDTH, _LEAST_HEIGHT = 18.0, 11.0  # in lines of type
_HEIGHT = 0.5  # of the width


@dataclass(frozen=True, eq=False)
class ProfileFigure:
    """What the picture shows; the distances are −reach … reach.

    Attributes:
        pairs: How many pairs of words have each distance [2 · reach + 1].
        means: Mean weight at each distance [2 · reach + 1].
        without: The same without position in this layer, or ``None``.
        full_pairs: From how many pairs on a mean is drawn in full.
        title: A line above the picture; may be empty.
        caption: What was computed, for the file's description.
    """

    pairs: NDArray[np.int64]
    means: NDArray[np.float64]
    without: NDArray[np.float64] | None
    full_pairs: int
    title: str = ""
    caption: str = ""

    @property
    def reach(self) -> int:
        """The largest distance that is shown."""
        return len(self.means) // 2

    def strength(self, index: int) -> float:
        """How strongly a mean is drawn, up to 1: less where it stands on few pairs."""
        known = min(1.0, float(self.pairs[index]) / self.full_pairs)
        return _PALEST + (1 - _PALEST) * known

    def words(self) -> Iterable[str]:
        return ()

    def height_for(self, width: float, style: Style) -> float:
        line = QFontMetricsF(style.font).height()
        wide = max(width, _LEAST_WIDTH * line)
        return max(_LEAST_HEIGHT * line, _HEIGHT * wide) * width / wide

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        line = QFontMetricsF(style.font).height()
        with at_least(painter, size, QSizeF(_LEAST_WIDTH, _LEAST_HEIGHT) * line) as room:
            paint_profile(painter, self, plan_profile(self, room, style), style, style.accent)


def profile_figure(profile: HeadProfile, reach: int | None = None) -> ProfileFigure:
    """The picture of a profile, up to a distance of ``reach`` to both sides, or whole."""
    n = int(profile.distances[-1]) + 1
    reach = n - 1 if reach is None else min(reach, n - 1)
    shown = slice(n - 1 - reach, n + reach)
    without = profile.means_without
    return ProfileFigure(
        pairs=profile.pairs[shown],
        means=profile.means[shown],
        without=None if without is None else without[shown],
        full_pairs=min(n, FULL_PAIRS),
    )


@dataclass(frozen=True)
class ProfileLayout:
    """Where everything goes.

    Attributes:
        area: What the bars fill.
        reach: The largest distance.
        top: The weight at the upper edge.
        ticks: The weights that are written at the left edge.
        step: How many distances are between numbers below.
        legend: The left upper corner of each sample.
    """

    area: QRectF
    reach: int
    top: float
    ticks: tuple[float, ...]
    step: int
    legend: tuple[QPointF, ...]

    @property
    def width(self) -> float:
        """The room of one distance."""
        return self.area.width() / (2 * self.reach + 1)

    def center(self, distance: float) -> float:
        """The middle of a distance's bar."""
        return self.area.left() + (distance + self.reach + 0.5) * self.width

    def height(self, weight: float) -> float:
        """Where the upper end of a bar is."""
        return self.area.bottom() - max(0.0, weight) / self.top * self.area.height()

    def distance_at(self, x: float) -> int | None:
        """The distance whose bar is above or below a point, if there is one."""
        if not self.area.left() <= x < self.area.right():
            return None
        return min(int((x - self.area.left()) / self.width), 2 * self.reach) - self.reach


def plan_profile(figure: ProfileFigure, size: QSizeF, style: Style) -> ProfileLayout:
    """Where everything goes in a picture of ``size``."""
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    shown = figure.means
    if figure.without is not None:
        shown = np.concatenate([shown, figure.without])
    top, ticks = _scale(float(shown.max()))
    widest = max(
        metrics.horizontalAdvance(f"−{figure.reach}"),
        metrics.horizontalAdvance(f"{int(figure.pairs.max()):,}"),
    )
    # The outermost numbers stand out over narrow bars.
    over = max(0.0, widest - size.width() / (2 * figure.reach + 1)) / 2
    left = max(metrics.horizontalAdvance(_percent(tick)) for tick in ticks) + 0.5 * line
    left = max(left, metrics.horizontalAdvance("pairs") + 0.7 * line + over)
    legend: list[QPointF] = []
    x, y = metrics.horizontalAdvance(_UP) + line, 0.0
    for name in _legend(figure):
        needed = metrics.horizontalAdvance(name) + 1.8 * line
        if x + needed > size.width():
            x, y = 0.0, y + 1.2 * line
        legend.append(QPointF(x, y))
        x += needed + 0.8 * line
    above = y + 1.6 * line
    area = QRectF(
        left,
        above,
        max(10.0, size.width() - left - max(0.6 * line, over)),
        max(10.0, size.height() - above - 3.8 * line),
    )
    room = area.width() / (2 * figure.reach + 1)
    step = next((s for s in _STEPS if s * room >= widest + 0.7 * line), _STEPS[-1])
    return ProfileLayout(area, figure.reach, top, ticks, step, tuple(legend))


def paint_profile(
    painter: QPainter,
    figure: ProfileFigure,
    layout: ProfileLayout,
    style: Style,
    bar_color: QColor,
    marked: int | None = None,
) -> None:
    """Paints the picture where its layout says; ``marked`` is a distance to set off."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setFont(style.font)
    _paint_axes(painter, figure, layout, style)
    _paint_bars(painter, figure, layout, style, bar_color, marked)
    if figure.without is not None:
        _paint_line(painter, figure, figure.without, layout, style)
    painter.setPen(QPen(style.muted, 1.0))
    painter.drawLine(layout.area.bottomLeft(), layout.area.bottomRight())
    _paint_legend(painter, figure, layout, style, bar_color)


def _paint_axes(
    painter: QPainter, figure: ProfileFigure, layout: ProfileLayout, style: Style
) -> None:
    metrics = QFontMetricsF(style.font)
    line, area = metrics.height(), layout.area
    painter.setPen(style.text)
    painter.drawText(QRectF(0, 0, area.right(), line), LEFT, _UP)
    faint = QColor(style.muted)
    faint.setAlphaF(0.25)
    for tick in layout.ticks:
        y = layout.height(tick)
        painter.setPen(QPen(faint, 1.0))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(style.text)
        box = QRectF(0, y - line / 2, area.left() - 0.35 * line, line)
        painter.drawText(box, RIGHT, _percent(tick))
    y = area.bottom() + 0.25 * line
    room = layout.step * layout.width
    last = figure.reach // layout.step * layout.step
    for distance in range(-last, last + 1, layout.step):
        box = QRectF(layout.center(distance) - room / 2, y, room, line)
        painter.setPen(style.text)
        painter.drawText(box, _CENTER, f"{distance}".replace("-", "−"))
        painter.setPen(style.muted)
        pairs = int(figure.pairs[distance + figure.reach])
        painter.drawText(box.translated(0, line), _CENTER, f"{pairs:,}")
    painter.drawText(QRectF(0, y + line, area.left() - 0.35 * line, line), LEFT, "pairs")
    painter.setPen(style.text)
    names = [n for n in _ACROSS if metrics.horizontalAdvance(n) <= area.width()]
    below = QRectF(area.left(), y + 2.25 * line, area.width(), line)
    painter.drawText(below, _CENTER, names[0] if names else _ACROSS[-1])


def _paint_bars(
    painter: QPainter,
    figure: ProfileFigure,
    layout: ProfileLayout,
    style: Style,
    bar_color: QColor,
    marked: int | None,
) -> None:
    """One bar for each distance, or for several where they are less than a pixel wide."""
    together = max(1, math.ceil(1.0 / layout.width))
    share = 0.8 if layout.width >= 4 else 1.0
    for first in range(0, len(figure.means), together):
        last = min(first + together, len(figure.means))
        # The largest of them, so that nothing strong gets lost.
        index = first + int(figure.means[first:last].argmax())
        left = layout.center(first - figure.reach) - share * layout.width / 2
        right = layout.center(last - 1 - figure.reach) + share * layout.width / 2
        is_marked = marked is not None and first <= marked + figure.reach < last
        color = QColor(style.highlight if is_marked else bar_color)
        color.setAlphaF(1.0 if is_marked else figure.strength(index))
        y = layout.height(float(figure.means[index]))
        bar = QRectF(left, y, right - left, layout.area.bottom() - y)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, share < 1)
        painter.fillRect(bar, color)
        if is_marked:
            above = QColor(style.highlight)
            above.setAlphaF(0.12)
            whole = QRectF(left, layout.area.top(), right - left, y - layout.area.top())
            painter.fillRect(whole, above)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _paint_line(
    painter: QPainter,
    figure: ProfileFigure,
    means: NDArray[np.float64],
    layout: ProfileLayout,
    style: Style,
) -> None:
    """A thin line, as pale as the bars where there are few pairs."""
    together = max(1, math.ceil(1.0 / layout.width))
    starts = range(0, len(means), together)
    indexes = [first + int(means[first : first + together].argmax()) for first in starts]
    points = [QPointF(layout.center(i - layout.reach), layout.height(means[i])) for i in indexes]
    strengths = [figure.strength(i) for i in indexes]
    pen, dot = _line_pen(style), QColor(style.text)
    color = QColor(style.text)
    for (first, second), strength in zip(pairwise(points), strengths, strict=False):
        color.setAlphaF(strength)
        pen.setColor(color)
        painter.setPen(pen)
        painter.drawLine(first, second)
    if layout.width >= 8:
        painter.setPen(Qt.PenStyle.NoPen)
        for point, strength in zip(points, strengths, strict=True):
            dot.setAlphaF(strength)
            painter.setBrush(dot)
            painter.drawEllipse(point, 2.0, 2.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_legend(
    painter: QPainter,
    figure: ProfileFigure,
    layout: ProfileLayout,
    style: Style,
    bar_color: QColor,
) -> None:
    line = QFontMetricsF(style.font).height()
    for name, corner in zip(_legend(figure), layout.legend, strict=True):
        sample = QRectF(corner.x(), corner.y() + 0.25 * line, 1.4 * line, 0.55 * line)
        if name == _LINE:
            painter.setPen(_line_pen(style))
            y = sample.center().y()
            painter.drawLine(QPointF(sample.left(), y), QPointF(sample.right(), y))
        else:
            color = QColor(bar_color)
            if name == _PALE:
                color.setAlphaF(_PALEST)
            painter.fillRect(sample, color)
        painter.setPen(style.muted)
        width = layout.area.right() - corner.x()
        painter.drawText(QRectF(corner.x() + 1.8 * line, corner.y(), width, line), LEFT, name)


def _legend(figure: ProfileFigure) -> tuple[str, ...]:
    names = [_BARS]
    if figure.without is not None:
        names.append(_LINE)
    if int(figure.pairs.min()) < figure.full_pairs:
        names.append(_PALE)
    return tuple(names) if len(names) > 1 else ()


def _line_pen(style: Style) -> QPen:
    return QPen(style.text, 1.3)


def _scale(largest: float) -> tuple[float, tuple[float, ...]]:
    """The weight at the top, and round ones to write."""
    largest = largest if largest > 1e-9 else 1.0
    rough = largest / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s for s in (power, 2 * power, 5 * power, 10 * power) if s >= rough * 0.999)
    count = math.ceil(largest / step * 0.999)
    return count * step, tuple(step * i for i in range(count + 1))


def _percent(weight: float) -> str:
    return f"{100 * weight:.6g} %"


_CENTER = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip


def profile_picture(export: Export) -> Figure:
    """The distance profile of one head, or those of several as one picture."""
    spec, result = export.spec, export.result
    layers, heads = spec.chosen_layers(result), spec.chosen_heads(result)
    reach = min(spec.reach, len(result.tokens) - 1)
    caption = (
        "Mean attention weight by distance, key minus query in tokens, up to "
        f"{reach} to both sides, {where(result, layers, heads)}; {made_with(result)}"
    )

    def make(layer: int, head: int, is_one_of_many: bool) -> ProfileFigure:
        return replace(
            profile_figure(head_profile(result, layer, head), spec.reach),
            title=head_title(result, layer, head),
            caption=caption,
        )

    made = each_head(export, make)
    return replace(made, caption=caption) if isinstance(made, GridFigure) else made
