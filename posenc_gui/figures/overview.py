"""Every head of some layers in one picture: layers downwards, heads across."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from posenc_gui.figures.cells import MAX_RECTANGLES, paint_cells, paint_small_cells
from posenc_gui.figures.color_bar import bar_room, paint_bar
from posenc_gui.figures.figure import Figure
from posenc_gui.figures.from_result import overview_caption, overview_title
from posenc_gui.figures.matrix import MatrixFigure, layout_matrix
from posenc_gui.figures.matrix_export import head_matrix, looked, with_one_scale
from posenc_gui.figures.style import Style
from posenc_model.exporters import Export
from posenc_model.matrices import WEIGHTS
from posenc_model.request import MEAN_HEAD

_LEAST_SIDE = 6.0
_HIGHEST_BAR = 20.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTERED = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, eq=False)
class OverviewFigure:
    """Small matrices in rows and columns that are numbered at the edges.

    Attributes:
        matrices: Row by row; all have one scale.
        layers: What the rows are called.
        heads: What the columns are called.
        title: A line above the picture; may be empty.
        caption: What is shown and was computed.
    """

    matrices: Sequence[MatrixFigure]
    layers: Sequence[int]
    heads: Sequence[int]
    title: str = ""
    caption: str = ""

    def words(self) -> Iterable[str]:
        return ()

    def height_for(self, width: float, style: Style) -> float:
        line = QFontMetricsF(style.font).height()
        left, right = self._sides(style)
        side = max(_LEAST_SIDE, (width - left - right) / len(self.heads))
        queries, keys = self.matrices[0].matrix.shape
        return float(np.ceil(self._above(line) + side * len(self.layers) * queries / keys + 2))

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        metrics = QFontMetricsF(style.font)
        line = metrics.height()
        left, right = self._sides(style)
        above = self._above(line)
        across = (size.width() - left - right) / len(self.heads)
        down = (size.height() - above - 2) / len(self.layers)
        pitch = max(1.0, min(across, down))
        left += max(0.0, (size.width() - left - right - pitch * len(self.heads)) / 2)
        gap = min(0.35 * line, 0.08 * pitch)
        for index, matrix in enumerate(self.matrices):
            row, column = divmod(index, len(self.heads))
            side = max(1.0, pitch - gap)
            tile = QRectF(left + column * pitch, above + row * pitch, side, side)
            self._paint_tile(painter, matrix, tile, style)
        painter.setFont(style.font)
        self._paint_numbers(painter, left, above, pitch, gap, style)
        if self.matrices[0].color_bar:
            end = left + pitch * len(self.heads)
            height = min(pitch * len(self.layers) - gap, _HIGHEST_BAR * line)
            bar = QRectF(end + 0.8 * line, above, 0.8 * line, height)
            paint_bar(
                painter, self.matrices[0], bar, QRectF(0, 0, size.width(), size.height()), style
            )

    def _paint_tile(
        self, painter: QPainter, matrix: MatrixFigure, tile: QRectF, style: Style
    ) -> None:
        if matrix.matrix.size * len(self.matrices) > MAX_RECTANGLES:
            paint_small_cells(painter, matrix, tile, style)
            return
        layout = layout_matrix(matrix, tile.size(), style.font)
        paint_cells(painter, matrix, replace(layout, cells=tile), style)

    def _paint_numbers(
        self, painter: QPainter, left: float, above: float, pitch: float, gap: float, style: Style
    ) -> None:
        metrics = QFontMetricsF(style.font)
        line = metrics.height()
        painter.setPen(style.muted)
        width = pitch * len(self.heads) - gap
        room = max(width, metrics.horizontalAdvance("head") + 2)
        if self.heads != (MEAN_HEAD,):
            painter.drawText(QRectF(left, 0, room, line), _CENTERED, "head")
        height = pitch * len(self.layers) - gap
        painter.save()
        painter.translate(left - self._numbers_room(metrics) - 0.8 * line, above + height / 2)
        painter.rotate(-90)
        painter.drawText(QRectF(-100, -line / 2, 200, line), _CENTERED, "layer")
        painter.restore()
        painter.setPen(style.text)
        step = _step(metrics.horizontalAdvance("00") + 2, pitch)
        for column in range(0, len(self.heads), step):
            head = self.heads[column]
            text = "mean" if head == MEAN_HEAD else str(head + 1)
            middle = left + (column + 0.5) * pitch - gap / 2
            painter.drawText(QRectF(middle - 50, above - 1.2 * line, 100, line), _CENTERED, text)
        for row in range(0, len(self.layers), _step(0.9 * line, pitch)):
            middle = above + (row + 0.5) * pitch - gap / 2
            box = QRectF(left - 100 - 0.35 * line, middle - line / 2, 100, line)
            painter.drawText(box, _RIGHT, str(self.layers[row] + 1))

    def _numbers_room(self, metrics: QFontMetricsF) -> float:
        widest = str(max(self.layers) + 1)
        return metrics.horizontalAdvance(widest) + 0.35 * metrics.height()

    def _sides(self, style: Style) -> tuple[float, float]:
        metrics = QFontMetricsF(style.font)
        left = self._numbers_room(metrics) + 1.4 * metrics.height()
        return left, bar_room(self.matrices[0], metrics) + 2.0

    @staticmethod
    def _above(line: float) -> float:
        return 2.4 * line


def _step(needed: float, pitch: float) -> int:
    return max(1, int(np.ceil(needed / max(pitch, 1e-6))))


def overview_figure(export: Export) -> Figure:
    """The matrix of every chosen head; weights of long texts reduced to the largest of blocks."""
    result, spec = export.result, export.spec
    layers, heads = spec.chosen_layers(result), spec.chosen_heads(result)
    reduced = result.overview.maximum
    # Of a long text, what the run has reduced already.
    is_reduced = (
        result.overview.cell > 1
        and spec.matrix == WEIGHTS
        and spec.tokens is None
        and heads != (MEAN_HEAD,)
    )
    matrices = []
    for layer in layers:
        for head in heads:
            if is_reduced:
                small = reduced[layer, head]
                words = [""] * len(small)
                figure = MatrixFigure(small, words, words)
            else:
                figure = head_matrix(export, result, layer, head)
            matrices.append(looked(export, figure))
    matrices = with_one_scale(export, matrices)
    cell = result.overview.cell if is_reduced else 1
    return OverviewFigure(
        matrices,
        layers,
        heads,
        title=overview_title(result, layers, heads, spec.matrix),
        caption=overview_caption(result, layers, heads, spec.matrix, cell),
    )
