"""The matrix of one head as a picture: cells, words along both axes, names, a colour bar.

The window draws its cells with pyqtgraph and everything else with :func:`paint_frame`; an export
draws both here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from posenc_gui.figures.cells import paint_cells, paint_masked
from posenc_gui.figures.color_bar import (
    BAR_WIDTH,
    bar_room,
    paint_along,
    paint_bar,
    paint_upwards,
)
from posenc_gui.figures.colormaps import DEFAULT_COLOR_MAP
from posenc_gui.figures.labels import (
    GAP,
    AxisLabels,
    paint_label,
    plan_columns,
    plan_rows,
    shown_text,
    visible,
)
from posenc_gui.figures.style import Style
from posenc_model.exporters.look import AUTOMATIC

QUERY_NAME = "query (looks)"
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
KEY_NAME = "key (is looked at)"
UNIT_LEVELS = (0.0, 1.0)

# What the words beside and above the cells may take of the area.
_LABEL_SHARE, _ABOVE_SHARE, _TILE_SHARE = 0.26, 0.32, 0.36
# So many lines of type is a tile wide that has words although not all of them fit.
_LEAST_TILE = 9.0
# So many lines of type is a level label wide at least; else only every second is written, or fewer.
_LEAST_LEVEL = 3.0


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
        color_bar: Whether the scale is shown.
        labels: How the words of the keys are written: ``"level"``, ``"turned"``, or ``"auto"``.
        numbers: Whether each cell says its value, where there is room.
        is_tile: Whether it is one of many that share a scale: small, without a bar, and with words
            only where all of them fit.
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
    color_bar: bool = True
    labels: str = AUTOMATIC
    numbers: bool = False
    is_tile: bool = False

    @property
    def has_bar(self) -> bool:
        """Whether the scale stands beside the cells."""
        return self.color_bar and not self.is_tile

    @property
    def has_names(self) -> bool:
        """Whether the names of the axes and of the scale are written."""
        return not (self.is_small or self.is_tile)

    @property
    def has_masked(self) -> bool:
        """Whether some cells are masked."""
        return not bool(np.isfinite(self.matrix).all())

    def words(self) -> Iterable[str]:
        yield from self.query_words
        yield from self.key_words

    def height_for(self, width: float, style: Style) -> float:
        return matrix_height(self, width, style.font)

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        figure = replace(self, title="")
        layout = layout_matrix(figure, size, style.font)
        paint_cells(painter, figure, layout, style)
        paint_frame(painter, figure, layout, style)


@dataclass(frozen=True)
class MatrixLayout:
    """Where everything goes.

    Attributes:
        area: All that may be painted on.
        cells: The rectangle that the visible cells fill.
        bar: The colour bar.
        rows: How the words of the queries are written.
        columns: How the words of the keys are written.
        visible_rows: First and last visible row edge, in cells.
        visible_columns: First and last visible column edge, in cells.
    """

    area: QRectF
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
    bar_space = bar_room(figure, metrics)
    names = 1.0 if figure.has_names else 0.0
    edge = line * (0.1 if figure.is_tile else 0.8)
    has_words = not figure.is_tile or _has_room_for_words(figure, size, line)

    # The labels' length depends on the cells' size and the other way round: start from the whole
    # area and correct it.
    left = top = 0.0
    cell = 1.0
    rows = columns = AxisLabels(False, 1, 0.0)
    for _ in range(3):
        width = size.width() - left - bar_space - edge
        height = size.height() - top - edge
        cell = max(min(width / keys, height / queries), 1e-3)
        # Whole units, so that the edges of cells fall on pixels.
        cell = float(int(cell)) if cell >= 4 else cell
        if has_words:
            pitch_down = cell * queries / (rows_seen[1] - rows_seen[0])
            pitch_across = cell * keys / (columns_seen[1] - columns_seen[0])
            share = _TILE_SHARE if figure.is_tile else _LABEL_SHARE
            rows = plan_rows(_labels(figure, 0), pitch_down, metrics, share * size.width())
            # Less of a low picture, whose cells need the height.
            low = min(1.0, size.height() / (0.75 * size.width()))
            most = _ABOVE_SHARE * low * min(size.height(), size.width())
            columns = _plan_columns(figure, pitch_across, metrics, most)
            left = line * (0.2 + 1.5 * names) + rows.room + GAP
            top = title + line * 1.5 * names + (columns.room if columns.turned else line) + GAP
        else:
            left, top = line * 1.5 * names, title * bool(figure.title) + line * 1.5 * names
    cells_width, cells_height = cell * keys, cell * queries
    x = left + max(0.0, (size.width() - left - bar_space - cells_width) / 2)
    y = top + max(0.0, (size.height() - top - edge - cells_height) / 2)
    cells = QRectF(round(x), round(y), cells_width, cells_height)
    bar = QRectF(cells.right() + line * 1.3, cells.top(), BAR_WIDTH * line, cells.height())
    if _says_masked(figure) and bar.height() > 8 * line:
        bar.setTop(bar.top() + 2 * line)
    area = QRectF(QPointF(0, 0), size)
    return MatrixLayout(area, cells, bar, rows, columns, rows_seen, columns_seen)


def _plan_columns(
    figure: MatrixFigure, pitch: float, metrics: QFontMetricsF, most: float
) -> AxisLabels:
    words = _labels(figure, 1)
    if figure.labels == AUTOMATIC:
        return plan_columns(words, pitch, metrics, most)
    if figure.labels == "turned":
        # As for a pitch that no word fits into; how many are written depends on the real one.
        turned = plan_columns(words, 0.0, metrics, most)
        return AxisLabels(True, plan_rows((), pitch, metrics, most).step, turned.room)
    step = max(1, int(np.ceil(_LEAST_LEVEL * metrics.height() / max(pitch, 1e-6))))
    return AxisLabels(False, step, max(1.0, (step * pitch - 4)))


def _says_masked(figure: MatrixFigure) -> bool:
    """Whether it is said beside the cells what those that are crossed out mean."""
    return figure.has_bar and figure.has_names and figure.has_masked


def _has_room_for_words(figure: MatrixFigure, size: QSizeF, line: float) -> bool:
    """Whether a tile is large enough for words: for some of them, or for all where they are few."""
    if min(size.width(), size.height()) >= _LEAST_TILE * line:
        return True
    queries, keys = figure.matrix.shape
    left = 1 - _LABEL_SHARE
    return bool(min(left * size.width() / keys, left * size.height() / queries) >= 0.8 * line)


def matrix_height(figure: MatrixFigure, width: float, font: QFont) -> float:
    """How high a picture of this width is whose cells are square and fill it."""
    queries, keys = figure.matrix.shape
    line = QFontMetricsF(font).height()
    tall = QSizeF(width, 1.3 * width * max(1.0, queries / keys) + 10 * line)
    layout = layout_matrix(figure, tall, font)
    if figure.is_tile and not layout.rows.room:
        return layout.cells.height() + 0.2 * line
    names = 1.5 * line * figure.has_names
    edge = 0.4 * line if figure.is_tile else 1.1 * line
    cells, height = layout.cells.height(), tall.height()
    for _ in range(3):  # the words above may take a share of the height
        columns = layout_matrix(figure, QSizeF(width, height), font).columns
        above = columns.room if columns.turned else line
        height = float(np.ceil(cells + above + names + GAP + edge + 1))
    return height


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

    painter.setFont(style.font)  # the last word may have been unknown, and slanted
    above = (layout.columns.room if layout.columns.turned else line) * bool(layout.columns.room)
    name_top = cells.top() - above - GAP - line * 1.25 * figure.has_names
    if figure.has_names:
        painter.setPen(style.muted)
        paint_along(
            painter, layout.area, KEY_NAME, QPointF(cells.center().x(), name_top + line / 2)
        )
        x = cells.left() - layout.rows.room - GAP - line * 1.25
        paint_upwards(painter, layout.area, QUERY_NAME, QPointF(x, cells.center().y()))
    if figure.title:
        painter.setPen(style.text)
        bold = QFont(style.font)
        bold.setBold(True)
        painter.setFont(bold)
        center = QPointF(cells.center().x(), name_top - line * 0.85)
        paint_along(painter, layout.area, figure.title, center)
        painter.setFont(style.font)
    if figure.has_bar:
        paint_bar(painter, figure, layout.bar, layout.area, style)
    if _says_masked(figure) and layout.bar.top() > cells.top():
        sample = QRectF(layout.bar.left(), cells.top(), 0.8 * line, 0.8 * line)
        paint_masked(painter, sample, style)
        painter.setPen(style.text)
        room = QRectF(sample.right() + GAP, cells.top() - 0.1 * line, 6 * line, line)
        painter.drawText(room, _LEFT, "masked")
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
        if low <= place <= high and plan.room:
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


def paint_veil(painter: QPainter, cells: QRectF, style: Style) -> None:
    """Fades the cells and says that they are those of an earlier text or setting."""
    veil = QColor(style.background)
    veil.setAlphaF(0.75)
    painter.fillRect(cells, veil)
    painter.setPen(style.text)
    wrapped = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(cells, wrapped, "This is the picture from before;\nthe new one is on its way.")
