"""What colours stand for: a bar with round numbers beside the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QLinearGradient, QPainter

from posenc_gui.figures.colormaps import color_of
from posenc_gui.figures.labels import CENTERED, GAP
from posenc_gui.figures.style import Style
from posenc_gui.fonts import resized
from posenc_gui.painting import restored

if TYPE_CHECKING:
    from posenc_gui.figures.matrix import MatrixFigure

BAR_WIDTH = 0.8  # in lines of type
_LEAST_TYPE = 0.6  # of names, as a share of the picture's type


def bar_room(figure: MatrixFigure, metrics: QFontMetricsF) -> float:
    """The width that the colour bar takes, with its numbers and name."""
    line = metrics.height()
    if not figure.has_bar:
        return 0.0
    texts = [_tick_text(value) for value in round_ticks(*figure.levels, 5)]
    numbers = max(metrics.horizontalAdvance(text) for text in [*texts, "0.00"])
    return line * (1.3 + BAR_WIDTH + (1.6 if figure.has_names else 0.3)) + numbers


def paint_bar(
    painter: QPainter, figure: MatrixFigure, bar: QRectF, area: QRectF, style: Style
) -> None:
    """Paints what the colours stand for.

    Args:
        painter: Where to.
        figure: Whose colours.
        bar: The rectangle of the colours themselves.
        area: What may be painted on.
        style: Colours and type.
    """
    low, high = figure.levels
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
    for share in np.linspace(0, 1, 33).tolist():
        value = low + share * (high - low)
        gradient.setColorAt(share, color_of(value, figure.levels, figure.color_map))
    painter.fillRect(bar, gradient)
    painter.setFont(style.font)
    painter.setPen(style.text)
    widest = 0.0
    for value in round_ticks(low, high, int(bar.height() / (2 * line))):
        y = bar.bottom() - (value - low) / (high - low) * bar.height()
        text = _tick_text(value)
        widest = max(widest, metrics.horizontalAdvance(text))
        painter.drawText(
            QRectF(bar.right() + GAP, y - line / 2, widest + 2, line),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            text,
        )
    if not figure.has_names:
        return
    painter.setPen(style.muted)
    center = QPointF(bar.right() + GAP + widest + line * 0.9, bar.center().y())
    paint_upwards(painter, area, figure.scale_name, center)


def _tick_text(value: float) -> str:
    return f"{value:.10g}".replace("-", "−")


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Up to ``most`` + 1 round numbers from ``low`` to ``high``, evenly spaced; at least two."""
    rough = (high - low) / max(1, min(most, 5))
    size = 10.0 ** np.floor(np.log10(rough))
    factors = (1, 2, 2.5, 5, 10)
    steps = [size * factor for factor in factors if size * factor >= rough * 0.999]
    # Where so coarse a step leaves one number, or none, a finer one.
    finer = [size * factor for factor in factors[::-1] if size * factor < steps[0]]
    finer += [size * factor / 10 for factor in factors[-2::-1]]
    step = next(
        (s for s in (steps[0], *finer) if np.floor(high / s + 1e-9) > np.ceil(low / s - 1e-9)),
        steps[0],
    )
    first = int(np.ceil(low / step - 1e-9))
    last = int(np.floor(high / step + 1e-9))
    return [round(number * step, 12) for number in range(first, last + 1)]


def paint_along(painter: QPainter, area: QRectF, text: str, center: QPointF) -> None:
    """Writes a line around a point, or as near to it as the area allows; smaller, if need be."""
    with restored(painter):
        short, width = _fitting(painter, text, area.width())
        line = QFontMetricsF(painter.font()).height()
        left = min(max(center.x() - width / 2, area.left()), area.right() - width)
        box = QRectF(left, center.y() - line / 2, width, line)
        painter.drawText(box, CENTERED, short)


def paint_upwards(painter: QPainter, area: QRectF, text: str, center: QPointF) -> None:
    """The same as :func:`paint_along`, upwards."""
    with restored(painter):
        short, length = _fitting(painter, text, area.height())
        line = QFontMetricsF(painter.font()).height()
        top = min(max(center.y() - length / 2, area.top()), area.bottom() - length)
        painter.translate(center.x(), top + length / 2)
        painter.rotate(-90)
        painter.drawText(QRectF(-length / 2, -line / 2, length, line), CENTERED, short)


def _fitting(painter: QPainter, text: str, room: float) -> tuple[str, float]:
    """Sets type in which a text fits, if it need not be too small; gives it, and its length."""
    needed = QFontMetricsF(painter.font()).horizontalAdvance(text) + 2
    if needed > room:
        painter.setFont(resized(painter.font(), max(_LEAST_TYPE, 0.97 * room / needed)))
    metrics = QFontMetricsF(painter.font())
    short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
    return short, min(metrics.horizontalAdvance(short) + 2, room)
