"""The cells of a matrix: crisp rectangles, or one image where they are very many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from posenc_gui.figures.colormaps import color_image, color_of
from posenc_gui.figures.style import Style
from posenc_gui.fonts import resized

if TYPE_CHECKING:
    from posenc_gui.figures.matrix import MatrixFigure, MatrixLayout

# Above this many cells an export embeds one image: a rectangle for each would be a huge file.
MAX_RECTANGLES = 150 * 150
# About how many pixels wide such an image is: alone, and as one of very many.
_IMAGE_PIXELS, _SMALL_IMAGE_PIXELS = 2048, 192
_LEAST_TYPE = 0.45  # of numbers in cells, as a share of the picture's type


def paint_cells(
    painter: QPainter, figure: MatrixFigure, layout: MatrixLayout, style: Style
) -> None:
    """Paints all cells: crisp rectangles, or one enlarged image where they are very many."""
    queries, keys = figure.matrix.shape
    if queries * keys > MAX_RECTANGLES:
        _paint_image(painter, figure, layout.cells, style, _IMAGE_PIXELS)
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for row in range(queries):
        for column in range(keys):
            value = float(figure.matrix[row, column])
            rect = layout.cell_rect(row, column)
            if not np.isfinite(value):
                paint_masked(painter, rect, style)
            else:
                painter.fillRect(rect, color_of(value, figure.levels, figure.color_map))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    if figure.numbers:
        _paint_numbers(painter, figure, layout, style)


def paint_small_cells(painter: QPainter, figure: MatrixFigure, cells: QRectF, style: Style) -> None:
    """Paints the cells of one of very many matrices into a rectangle, as one image."""
    _paint_image(painter, figure, cells, style, _SMALL_IMAGE_PIXELS)


def _paint_image(
    painter: QPainter, figure: MatrixFigure, cells: QRectF, style: Style, pixels: int
) -> None:
    if not np.isfinite(figure.matrix).all():
        painter.fillRect(cells, style.masked)  # seen where cells are masked
    image = color_image(figure.matrix, figure.levels, figure.color_map)
    # Viewers smooth images; enlarged by whole numbers, a cell stays a square.
    times = max(1, pixels // max(figure.matrix.shape))
    painter.drawImage(cells, _enlarged(image, times))


def _paint_numbers(
    painter: QPainter, figure: MatrixFigure, layout: MatrixLayout, style: Style
) -> None:
    """Writes each cell's value into it, if all fit."""
    is_signed = figure.levels[0] < 0
    texts = [
        [f"{value:+.2f}".replace("-", "−") if is_signed else f"{value:.2f}" for value in row]
        for row in figure.matrix.tolist()
    ]
    widest = max(len(text) for row in texts for text in row) * "0"
    cell = layout.cell_rect(0, 0)
    metrics = QFontMetricsF(style.font)
    wide = cell.width() / (1.15 * metrics.horizontalAdvance(widest))
    share = min(1.0, wide, cell.height() / metrics.height())
    if share < _LEAST_TYPE:
        return
    painter.setFont(resized(style.font, share))
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            value = float(figure.matrix[row, column])
            if np.isfinite(value):
                painter.setPen(_ink_on(color_of(value, figure.levels, figure.color_map)))
                rect = layout.cell_rect(row, column)
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
                painter.drawText(rect.adjusted(-2, -2, 2, 2), flags, text)


def _ink_on(ground: QColor) -> QColor:
    """Black or white, whichever is read better on a colour (WCAG 2.1, relative luminance)."""
    channels = (ground.redF(), ground.greenF(), ground.blueF())
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return QColor("#000000" if luminance > 0.179 else "#ffffff")


def paint_masked(painter: QPainter, rect: QRectF, style: Style) -> None:
    """A masked cell: no colour of the scale, crossed out."""
    painter.fillRect(rect, style.masked)
    painter.setPen(QPen(style.muted, 1.0))
    painter.drawLine(rect.bottomLeft(), rect.topRight())


def _enlarged(image: QImage, times: int) -> QImage:
    return image.scaled(
        image.width() * times,
        image.height() * times,
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.FastTransformation,
    )
