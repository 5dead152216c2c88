"""The matrix of one head as a picture: cells, words along both axes, names, a colour bar.

The window draws its cells with pyqtgraph and everything else with :func:`paint_frame`; an export
draws both here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QLinearGradient, QPainter, QPen

from posenc_gui.figures.colormaps import DEFAULT_COLOR_MAP, color_image, color_of
from posenc_gui.figures.labels import (
    GAP,
    AxisLabels,
    paint_label,
    plan_columns,
    plan_rows,
    shown_text,
    visible,
)

QUERY_NAME = "query (looks)"
KEY_NAME = "key (is looked at)"
UNIT_LEVELS = (0.0, 1.0)

# Above this many cells an export embeds one image: a rectangle for each would be a huge file.
MAX_RECTANGLES = 150 * 150


@dataclass(frozen=True, eq=False)
class MatrixFigure:
    """What a picture of a matrix shows.

    Attributes:
        matrix: [queries, keys]; a cell that is no finite number is drawn as masked.
        query_words: Label of each row.
        key_words: Label of each column.
        unknown_queries: Rows whose word is outside the vocabulary.
        unknown_keys: Columns likewise.
        title: A line above the picture; may be empty.
        caption: What was computed, for the file's description.
        levels: Values at the two ends of the colour scale.
        color_map: A name in ``COLOR_MAPS``.
        scale_name: What the colour stands for.
        is_small: Whether the names of the axes and of the scale are left out, for pictures among
            others that say them.
    """

    matrix: NDArray[np.float32]
    query_words: Sequence[str]
    key_words: Sequence[str]
    unknown_queries: frozenset[int] = frozenset()
    unknown_keys: frozenset[int] = frozenset()
    title: str = ""
    caption: str = ""
    levels: tuple[float, float] = UNIT_LEVELS
    color_map: str = DEFAULT_COLOR_MAP
    scale_name: str = "attention weight"
    is_small: bool = False


@dataclass(frozen=True)
class Style:
    """Colours and type of a picture."""

    font: QFont
    background: QColor = field(default_factory=lambda: QColor("#ffffff"))
    text: QColor = field(default_factory=lambda: QColor("#1b1f24"))
    muted: QColor = field(default_factory=lambda: QColor("#667080"))
    highlight: QColor = field(default_factory=lambda: QColor("#c2410c"))
    masked: QColor = field(default_factory=lambda: QColor("#d5d9df"))


@dataclass(frozen=True)
class MatrixLayout:
    """Where everything goes.

    Attributes:
        cells: The rectangle that the visible cells fill.
        bar: The colour bar.
        rows: How the words of the queries are written.
        columns: How the words of the keys are written.
        visible_rows: First and last visible row edge, in cells.
        visible_columns: First and last visible column edge, in cells.
    """

    cells: QRectF
    bar: QRectF
    rows: AxisLabels
    columns: AxisLabels
    visible_rows: tuple[float, float]
    visible_columns: tuple[float, float]

    def row_center(self, row: int) -> float:
        first, last = self.visible_rows
        return self.cells.top() + (row + 0.5 - first) / (last - first) * self.cells.height()

    def column_center(self, column: int) -> float:
        first, last = self.visible_columns
        return self.cells.left() + (column + 0.5 - first) / (last - first) * self.cells.width()

    def cell_rect(self, row: int, column: int) -> QRectF:
        """The rectangle of one cell."""
        first_row, last_row = self.visible_rows
        first_column, last_column = self.visible_columns
        height = self.cells.height() / (last_row - first_row)
        width = self.cells.width() / (last_column - first_column)
        return QRectF(
            self.column_center(column) - width / 2, self.row_center(row) - height / 2, width, height
        )


def layout_matrix(
    figure: MatrixFigure,
    size: QSizeF,
    font: QFont,
    visible_rows: tuple[float, float] | None = None,
    visible_columns: tuple[float, float] | None = None,
) -> MatrixLayout:
    """Places cells, labels and colour bar in an area; cells are square where all are visible."""
    metrics = QFontMetricsF(font)
    line = metrics.height()
    queries, keys = figure.matrix.shape
    rows_seen = visible_rows or (0.0, float(queries))
    columns_seen = visible_columns or (0.0, float(keys))
    title = line * 1.6 if figure.title else line * 0.3
    bar_width = line * 0.8
    bar_space = bar_width + line * 1.3 + metrics.horizontalAdvance("0.00")
    bar_space += line * (0.3 if figure.is_small else 1.6)
    names = 0.0 if figure.is_small else 1.0

    # The labels' length depends on the cells' size and the other way round: start from the whole
    # area and correct it.
    left = top = 0.0
    cell = 1.0
    rows = columns = AxisLabels(False, 1, 0.0)
    for _ in range(3):
        width = size.width() - left - bar_space - line
        height = size.height() - top - line * 0.8
        cell = max(min(width / keys, height / queries), 1e-3)
        pitch_down = cell * queries / (rows_seen[1] - rows_seen[0])
        pitch_across = cell * keys / (columns_seen[1] - columns_seen[0])
        rows = plan_rows(_labels(figure, 0), pitch_down, metrics, 0.26 * size.width())
        columns = plan_columns(_labels(figure, 1), pitch_across, metrics, 0.26 * size.height())
        left = line * (0.2 + 1.5 * names) + rows.room + GAP
        top = title + line * 1.5 * names + (columns.room if columns.turned else line) + GAP
    # Whole units, so that the edges of cells fall on pixels in files.
    cell = float(int(cell)) if cell >= 4 else cell
    cells_width, cells_height = cell * keys, cell * queries
    x = left + max(0.0, (size.width() - left - bar_space - cells_width) / 2)
    y = top + max(0.0, (size.height() - top - line * 0.8 - cells_height) / 2)
    cells = QRectF(round(x), round(y), cells_width, cells_height)
    bar = QRectF(cells.right() + line * 1.3, cells.top(), bar_width, cells.height())
    return MatrixLayout(cells, bar, rows, columns, rows_seen, columns_seen)


def _labels(figure: MatrixFigure, axis: int) -> list[str]:
    words = figure.query_words if axis == 0 else figure.key_words
    unknown = figure.unknown_queries if axis == 0 else figure.unknown_keys
    return [label_of(word, index in unknown) for index, word in enumerate(words)]


def label_of(word: str, is_unknown: bool) -> str:
    """A word as it is named everywhere, with its mark where it is unknown."""
    shown = visible(word)
    return f"{shown} (unknown)" if is_unknown else shown


def paint_frame(
    painter: QPainter,
    figure: MatrixFigure,
    layout: MatrixLayout,
    style: Style,
    marked: tuple[int, int] | None = None,
) -> None:
    """Paints everything but the cells: words, names, title, colour bar and the marked cell."""
    painter.setFont(style.font)
    metrics = QFontMetricsF(style.font)
    line = metrics.height()
    cells = layout.cells
    query, key = marked or (None, None)
    _paint_labels(painter, figure, layout, style, query, of_columns=False)
    _paint_labels(painter, figure, layout, style, key, of_columns=True)

    painter.setPen(style.muted)
    above = layout.columns.room if layout.columns.turned else line
    name_top = cells.top() - above - GAP - (0.0 if figure.is_small else line * 1.25)
    if not figure.is_small:
        painter.drawText(
            QRectF(cells.center().x() - 400, name_top, 800, line),
            Qt.AlignmentFlag.AlignCenter,
            KEY_NAME,
        )
        _paint_upwards(
            painter,
            QPointF(cells.left() - layout.rows.room - GAP - line * 1.25, cells.center().y()),
            QUERY_NAME,
            line,
        )
    if figure.title:
        painter.setPen(style.text)
        bold = QFont(style.font)
        bold.setBold(True)
        painter.setFont(bold)
        painter.drawText(
            QRectF(cells.center().x() - 2000, name_top - line * 1.5, 4000, line * 1.3),
            Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine,
            figure.title,
        )
        painter.setFont(style.font)
    _paint_bar(painter, figure, layout, style, line)
    if marked is not None:
        rect = layout.cell_rect(*marked).intersected(cells)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor("#ffffff"), 3.0))
        painter.drawRect(rect)
        painter.setPen(QPen(style.highlight, 1.5))
        painter.drawRect(rect)


def _paint_labels(
    painter: QPainter,
    figure: MatrixFigure,
    layout: MatrixLayout,
    style: Style,
    chosen: int | None,
    *,
    of_columns: bool,
) -> None:
    cells = layout.cells
    if of_columns:
        plan, visible_range = layout.columns, layout.visible_columns
        words, unknown = figure.key_words, figure.unknown_keys
        low, high = cells.left(), cells.right()
    else:
        plan, visible_range = layout.rows, layout.visible_rows
        words, unknown = figure.query_words, figure.unknown_queries
        low, high = cells.top(), cells.bottom()
    metrics = QFontMetricsF(style.font)
    for index in _written(visible_range, plan.step, len(words), chosen):
        place = layout.column_center(index) if of_columns else layout.row_center(index)
        if low <= place <= high:
            text = shown_text(label_of(words[index], index in unknown), plan, metrics)
            _set_label_pen(painter, style, index == chosen, index in unknown)
            above, beside = QPointF(place, cells.top() - GAP), QPointF(cells.left() - GAP, place)
            paint_label(painter, above if of_columns else beside, text, plan, is_column=of_columns)


def _written(visible: tuple[float, float], step: int, count: int, chosen: int | None) -> list[int]:
    """The labels to write: every ``step``-th, and the chosen one in place of its neighbours."""
    first = max(0, int(visible[0]) // step * step)
    last = min(count, int(np.ceil(visible[1])))
    regular = range(first, last, step)
    if chosen is None or step == 1:
        return list(regular)
    return [index for index in regular if abs(index - chosen) >= step] + [chosen]


def _set_label_pen(painter: QPainter, style: Style, is_marked: bool, is_unknown: bool) -> None:
    font = QFont(style.font)
    font.setItalic(is_unknown)
    painter.setFont(font)
    painter.setPen(style.highlight if is_marked else style.muted if is_unknown else style.text)


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Up to ``most`` + 1 round numbers from ``low`` to ``high``, evenly spaced; at least two."""
    rough = (high - low) / max(1, min(most, 5))
    size = 10.0 ** np.floor(np.log10(rough))
    factors = (1, 2, 2.5, 5, 10)
    steps = [size * factor for factor in factors if size * factor >= rough * 0.999]
    # Where so coarse a step leaves one number, or none, a finer one.
    finer = [size * factor / 10 for factor in factors[::-1]]
    step = next(
        (s for s in (steps[0], *finer) if np.floor(high / s + 1e-9) > np.ceil(low / s - 1e-9)),
        steps[0],
    )
    first = int(np.ceil(low / step - 1e-9))
    last = int(np.floor(high / step + 1e-9))
    return [round(number * step, 12) for number in range(first, last + 1)]


def _paint_upwards(painter: QPainter, center: QPointF, text: str, line: float) -> None:
    painter.save()
    painter.translate(center)
    painter.rotate(-90)
    painter.drawText(QRectF(-400, -line / 2, 800, line), Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


def _paint_bar(
    painter: QPainter, figure: MatrixFigure, layout: MatrixLayout, style: Style, line: float
) -> None:
    low, high = figure.levels
    bar = layout.bar
    gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
    for share in np.linspace(0, 1, 33).tolist():
        value = low + share * (high - low)
        gradient.setColorAt(share, color_of(value, figure.levels, figure.color_map))
    painter.fillRect(bar, gradient)
    painter.setPen(style.text)
    widest = 0.0
    for value in round_ticks(low, high, int(bar.height() / (2 * line))):
        y = bar.bottom() - (value - low) / (high - low) * bar.height()
        text = f"{value:.10g}".replace("-", "−")
        widest = max(widest, QFontMetricsF(style.font).horizontalAdvance(text))
        painter.drawText(
            QRectF(bar.right() + GAP, y - line / 2, 100, line),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            text,
        )
    if figure.is_small:
        return
    painter.setPen(style.muted)
    center = QPointF(bar.right() + GAP + widest + line * 0.9, bar.center().y())
    _paint_upwards(painter, center, figure.scale_name, line)


def paint_veil(painter: QPainter, cells: QRectF, style: Style) -> None:
    """Fades the cells and says that they are those of an earlier text or setting."""
    veil = QColor(style.background)
    veil.setAlphaF(0.75)
    painter.fillRect(cells, veil)
    painter.setPen(style.text)
    wrapped = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(cells, wrapped, "This is the picture from before;\nthe new one is on its way.")


def paint_cells(
    painter: QPainter, figure: MatrixFigure, layout: MatrixLayout, style: Style
) -> None:
    """Paints all cells: crisp rectangles, or one enlarged image where they are very many."""
    queries, keys = figure.matrix.shape
    if queries * keys > MAX_RECTANGLES:
        painter.fillRect(layout.cells, style.masked)  # seen where cells are masked
        image = color_image(figure.matrix, figure.levels, figure.color_map)
        # Viewers smooth images; enlarged by whole numbers, a cell stays a square.
        times = max(1, 2048 // max(queries, keys))
        painter.drawImage(layout.cells, _enlarged(image, times))
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for row in range(queries):
        for column in range(keys):
            value = float(figure.matrix[row, column])
            rect = layout.cell_rect(row, column)
            if not np.isfinite(value):
                _paint_masked(painter, rect, style)
            else:
                painter.fillRect(rect, color_of(value, figure.levels, figure.color_map))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _paint_masked(painter: QPainter, rect: QRectF, style: Style) -> None:
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


def paint_matrix(painter: QPainter, figure: MatrixFigure, size: QSizeF, style: Style) -> None:
    """Paints the whole picture into an area of ``size`` whose origin is the painter's."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.fillRect(QRectF(QPointF(0, 0), size), style.background)
    layout = layout_matrix(figure, size, style.font)
    paint_cells(painter, figure, layout, style)
    paint_frame(painter, figure, layout, style)
