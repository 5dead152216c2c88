"""Several figures in one: small pictures side by side, each with its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from posenc_gui.figures.color_bar import bar_room, paint_bar
from posenc_gui.figures.figure import Figure
from posenc_gui.figures.from_result import overview_caption, overview_title
from posenc_gui.figures.labels import CENTERED
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.style import Style
from posenc_gui.painting import restored
from posenc_model.exporters import Export
from posenc_model.exporters.spec import PICTURES
from posenc_model.matrices import WEIGHTS
from posenc_model.request import MEAN_HEAD

_GAP = 0.8  # between pictures, in lines of type
_HEADING = 1.3
_HIGHEST_BAR = 16.0
READING_NOTE = "rows: query (looks) · columns: key (is looked at)"


@dataclass(frozen=True, eq=False)
class GridFigure:
    """Figures row by row.

    Attributes:
        figures: What is shown, in order; ``None`` leaves a place empty.
        names: What stands above each; where not all fit, the same shorter.
        columns: How many are in a row; 0: as many as makes them largest.
        note: A line beneath, on how to read them; may be empty.
        title: A line above the picture; may be empty.
        caption: What is shown and was computed.
        scales: For a row, from 0, the figures whose colour bars stand beside it, and beside the
            rows after it that have none of their own.
    """

    figures: Sequence[Figure | None]
    names: Sequence[tuple[str, ...]]
    columns: int = 0
    title: str = ""
    caption: str = ""
    note: str = ""
    scales: Mapping[int, Sequence[MatrixFigure]] = field(default_factory=dict)

    def words(self) -> Iterable[str]:
        for figure in self.figures:
            if figure is not None:
                yield from figure.words()
        for names in self.names:
            yield from names[:1]

    def height_for(self, width: float, style: Style) -> float:
        line = QFontMetricsF(style.font).height()
        columns = self.columns or self._columns_for(width, width / 1.4)
        wanted = self._heights(self._across(width, columns, style), columns, style)
        return sum(wanted) + self._gaps(len(wanted), line)

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        metrics = QFontMetricsF(style.font)
        line = metrics.height()
        columns = self.columns or self._columns_for(size.width(), size.height())
        across = self._across(size.width(), columns, style)
        # Each row as high as it wants to be, then all shrunk or stretched alike.
        wanted = self._heights(across, columns, style)
        room = max(1.0, size.height() - self._gaps(len(wanted), line))
        share = room / max(1e-6, sum(wanted))
        top = 0.0
        if share > 1 and any(isinstance(f, (MatrixFigure, GridFigure)) for f in self.figures):
            # Cells stay square: what is left over goes above and below.
            share, top = 1.0, (room - sum(wanted)) / 2
        names = self._fitting_names(across, metrics)
        tops = []
        y = top
        for row, height in enumerate(wanted):
            tops.append(y + _HEADING * line)
            body = QSizeF(across, height * share)
            for column in range(columns):
                index = row * columns + column
                figure = self.figures[index] if index < len(self.figures) else None
                if figure is None:
                    continue
                x = column * (across + _GAP * line)
                painter.setFont(style.font)
                painter.setPen(style.text)
                painter.drawText(QRectF(x, y, across, line), CENTERED, names[index])
                with restored(painter):
                    painter.translate(x, y + _HEADING * line)
                    figure.paint(painter, body, style)
            y += height * share + (_HEADING + _GAP) * line
        ends = [top + height * share for top, height in zip(tops, wanted, strict=True)]
        self._paint_scales(painter, size, style, tops, ends)
        if self.note:
            painter.setFont(style.font)
            painter.setPen(style.muted)
            width = columns * across + (columns - 1) * _GAP * line
            note = metrics.elidedText(self.note, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRectF(0, ends[-1] + 0.5 * line, width, line), CENTERED, note)

    def _gaps(self, rows: int, line: float) -> float:
        """The height of all that is no picture."""
        note = 1.6 * line * bool(self.note)
        return rows * _HEADING * line + (rows - 1) * _GAP * line + note

    def _across(self, width: float, columns: int, style: Style) -> float:
        """The width of each picture."""
        metrics = QFontMetricsF(style.font)
        scales = [scale for scales in self.scales.values() for scale in scales]
        room = max((bar_room(scale, metrics) for scale in scales), default=0.0)
        gaps = (columns - 1) * _GAP * metrics.height()
        return max(1.0, (width - room - gaps) / columns)

    def _heights(self, across: float, columns: int, style: Style) -> list[float]:
        """How high each row wants to be."""
        heights = [0.0 if f is None else f.height_for(across, style) for f in self.figures]
        return [max(1.0, *heights[i : i + columns]) for i in range(0, len(heights), columns)]

    def _fitting_names(self, across: float, metrics: QFontMetricsF) -> list[str]:
        """The longest names of which all fit, or the shortest, cut."""
        kinds = max(len(names) for names in self.names)
        for kind in range(kinds):
            names = [each[min(kind, len(each) - 1)] for each in self.names]
            if max(map(metrics.horizontalAdvance, names)) <= across:
                return names
        return [metrics.elidedText(n, Qt.TextElideMode.ElideRight, across) for n in names]

    def _paint_scales(
        self,
        painter: QPainter,
        size: QSizeF,
        style: Style,
        tops: Sequence[float],
        ends: Sequence[float],
    ) -> None:
        metrics = QFontMetricsF(style.font)
        line = metrics.height()
        firsts = sorted(self.scales)
        for first, after in zip(firsts, [*firsts[1:], len(tops)], strict=False):
            scales = [scale for scale in self.scales[first] if scale.has_bar]
            top, end = tops[first], ends[after - 1]
            if len(scales) > 1 and len(tops) == 1:
                top, end = 0.0, size.height()
            for index, scale in enumerate(scales):
                share = (end - top) / len(scales)
                area = QRectF(0, top + index * share, size.width(), share)
                height = min(share - line, _HIGHEST_BAR * line)
                left = size.width() - bar_room(scale, metrics) + 0.8 * line
                bar = QRectF(left, area.center().y() - height / 2, 0.8 * line, max(1.0, height))
                paint_bar(painter, scale, bar, area, style)

    def _columns_for(self, width: float, height: float) -> int:
        """The number of columns with which the pictures are largest."""
        count = len(self.figures)

        def side(columns: int) -> float:
            return min(width / columns, height / math.ceil(count / columns))

        return max(range(1, count + 1), key=side)


def each_head(export: Export, make: Callable[[int, int, bool], Figure]) -> Figure:
    """The figure of one head, or those of all chosen heads as one.

    Args:
        export: What is exported.
        make: Takes a layer, a head and whether it is one of several; gives the figure.
    """
    spec, result = export.spec, export.result
    layers, heads = spec.chosen_layers(result), spec.chosen_heads(result)
    if len(layers) == len(heads) == 1:
        return make(layers[0], heads[0], False)
    figures = [make(layer, head, True) for layer in layers for head in heads]
    names = [_names(layer, head) for layer in layers for head in heads]
    columns = len(heads) if len(layers) > 1 and len(heads) > 1 else 0
    kind = spec.matrix if "matrix" in PICTURES[spec.view].uses else WEIGHTS
    return GridFigure(
        figures,
        names,
        columns,
        title=overview_title(result, layers, heads, kind),
        caption=overview_caption(result, layers, heads, kind),
    )


def _names(layer: int, head: int) -> tuple[str, ...]:
    if head == MEAN_HEAD:
        return f"layer {layer + 1}, mean over heads", f"layer {layer + 1}", f"{layer + 1}"
    return f"layer {layer + 1}, head {head + 1}", f"L{layer + 1} H{head + 1}"
