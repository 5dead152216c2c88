"""Where the words along an axis go, so that none overlaps another."""

from __future__ import annotations

import functools
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

_ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
LEFT = Qt.AlignmentFlag.AlignLeft | _ONE_LINE
RIGHT = Qt.AlignmentFlag.AlignRight | _ONE_LINE
CENTERED = Qt.AlignmentFlag.AlignHCenter | _ONE_LINE
GAP = 5.0  # between a label and its axis
# Categories of characters that leave no ink: controls, formats, separators and lone marks.
_INKLESS = {"Cc", "Cf", "Cn", "Zl", "Zp", "Zs", "Mn", "Me"}
_LONGEST_WORD = 60
_LEFT_TO_RIGHT = "\u200e"


@functools.lru_cache(maxsize=8192)
def visible(word: str) -> str:
    """The word, or the names of its characters where none of them can be seen."""
    if all(unicodedata.category(character) in _INKLESS for character in word):
        return " ".join(f"U+{ord(character):04X}" for character in word)
    return word


def quoted(words: Sequence[str], index: int, unknown: frozenset[int] = frozenset()) -> str:
    """A word in quotes; where it occurs several times, with its place."""
    word = words[index]
    shown = visible(word)
    shown = shown if len(shown) <= _LONGEST_WORD else shown[: _LONGEST_WORD - 1] + "…"
    text = f"‘{shown}’" + (" (unknown)" if index in unknown else "")
    return f"{text} (token {index + 1})" if words.count(word) > 1 else text


def arrow(first: str, second: str) -> str:
    """“‘a’ → ‘b’”, the first left also where both are written from right to left."""
    pair = f"{first} → {second}"
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in pair):
        mark = _LEFT_TO_RIGHT
        return f"{mark}{first}{mark} → {mark}{second}{mark}"
    return pair


@dataclass(frozen=True)
class AxisLabels:
    """How the labels of an axis are written.

    Attributes:
        turned: Whether they are written upwards.
        step: Every ``step``-th label is written; the others are left out.
        room: Length a label may take; longer ones end in an ellipsis.
    """

    turned: bool
    step: int
    room: float


def plan_rows(
    words: Sequence[str], pitch: float, metrics: QFontMetricsF, most: float
) -> AxisLabels:
    """Labels left of the rows: written along, thinned where rows are lower than the type."""
    return AxisLabels(False, _step(pitch, metrics), _longest(words, metrics, most))


def plan_columns(
    words: Sequence[str], pitch: float, metrics: QFontMetricsF, most: float
) -> AxisLabels:
    """Labels above the columns: along where each fits its column, else turned and thinned."""
    longest = _longest(words, metrics, math.inf)
    if longest <= pitch - 4:
        return AxisLabels(False, 1, longest)
    return AxisLabels(True, _step(pitch, metrics), min(longest, most))


def _step(pitch: float, metrics: QFontMetricsF) -> int:
    return max(1, math.ceil(metrics.height() * 0.85 / max(pitch, 1e-6)))


def _longest(words: Sequence[str], metrics: QFontMetricsF, most: float) -> float:
    # Measuring thousands of words takes long, and the longest by letters is the longest enough.
    if len(words) > 200:
        words = sorted(words, key=len)[-50:]
    return min(max((metrics.horizontalAdvance(word) for word in words), default=0.0) + 2, most)


def shown_text(word: str, plan: AxisLabels, metrics: QFontMetricsF) -> str:
    """The word as it is written, shortened with an ellipsis where it must be."""
    return metrics.elidedText(word, Qt.TextElideMode.ElideRight, plan.room)


def paint_label(
    painter: QPainter, anchor: QPointF, text: str, plan: AxisLabels, *, is_column: bool
) -> None:
    """Writes one label that ends at ``anchor``: left of a row, or above a column."""
    height = painter.fontMetrics().height() + 2.0
    # Those of other fonts may stand out of the box, and are whole all the same.
    flags = Qt.TextFlag.TextSingleLine | Qt.TextFlag.TextDontClip
    if not is_column:
        box = QRectF(anchor.x() - plan.room - 60, anchor.y() - height / 2, plan.room + 60, height)
        painter.drawText(
            box, flags | Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text
        )
    elif not plan.turned:
        box = QRectF(anchor.x() - plan.room, anchor.y() - height, 2 * plan.room, height)
        painter.drawText(box, flags | Qt.AlignmentFlag.AlignCenter, text)
    else:
        painter.save()
        painter.translate(anchor)
        painter.rotate(-90)
        box = QRectF(0, -height / 2, plan.room + 60, height)
        painter.drawText(
            box, flags | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text
        )
        painter.restore()
