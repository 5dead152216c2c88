"""The attention of one sentence in several encoders, side by side, small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.figures.colormaps import color_image
from posenc_gui.figures.labels import (
    GAP,
    AxisLabels,
    paint_label,
    plan_columns,
    plan_rows,
    shown_text,
)
from posenc_gui.figures.matrix import UNIT_LEVELS
from posenc_gui.painting import painting
from posenc_gui.tips import show_tip
from posenc_gui.training.lines import line_sample

_SPACE = 12.0


@dataclass(frozen=True)
class _Place:
    """Where one matrix goes, and how its words are written."""

    name: str
    top: QPointF
    cells: QRectF
    rows: AxisLabels
    columns: AxisLabels


class Matrices(QWidget):
    """A matrix for each encoding, all with the same words and the same scale from 0 to 1.

    Attributes:
        words: Label of each row and column.
        matrices: For each encoding the weights [n, n] that are shown.
    """

    def __init__(self, color_map: str) -> None:
        super().__init__()
        self.color_map = color_map
        self.words: tuple[str, ...] = ()
        self.matrices: dict[str, NDArray[np.float32]] = {}
        self.setAccessibleName("Attention matrices: one for each encoding")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_matrices(
        self, words: Sequence[str], matrices: Mapping[str, NDArray[np.float32]]
    ) -> None:
        self.words = tuple(words)
        self.matrices = dict(matrices)
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 130)

    def sizeHint(self) -> QSize:
        return QSize(700, 260)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.fillRect(self.rect(), self.palette().base())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for place in self._places():
                self._paint(painter, place)

    def tip_at(self, position: QPointF) -> str:
        """The numbers of the cell at a point; empty where there is none."""
        for place in self._places():
            if place.cells.contains(position):
                size = len(self.words)
                row = int((position.y() - place.cells.top()) / place.cells.height() * size)
                column = int((position.x() - place.cells.left()) / place.cells.width() * size)
                row, column = min(row, size - 1), min(column, size - 1)
                weight = float(self.matrices[place.name][row, column])
                # Qt looks for markup in the first line only, so the words stand in the second.
                return (
                    f"{place.name}: word {row + 1} looks at word {column + 1} with weight "
                    f"{weight:.2f}\n{self.words[row]} → {self.words[column]}"
                )
        return ""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            show_tip(self, event, self.tip_at(QPointF(event.pos())))
            return True
        return super().event(event)

    def _places(self) -> list[_Place]:
        """The arrangement in rows that gives the largest cells."""
        if not self.matrices or not self.words:
            return []
        count = len(self.matrices)
        arrangements = [self._arranged(columns) for columns in range(1, count + 1)]
        return max(arrangements, key=lambda places: places[0].cells.width())

    def _arranged(self, across: int) -> list[_Place]:
        size, metrics = len(self.words), QFontMetricsF(self.font())
        down = -(-len(self.matrices) // across)
        width, height = self.width() / across, self.height() / down
        title = metrics.height() * 1.4
        cell = min(width, height) / size
        rows = columns = AxisLabels(False, 1, 0.0)
        left = above = 0.0
        for _ in range(3):  # the labels' length depends on the cells' size and the other way round
            rows = plan_rows(self.words, cell, metrics, 0.3 * width)
            columns = self._plan_columns(cell, metrics, 0.3 * height)
            left = rows.room + GAP
            above = title + (columns.room if columns.turned else metrics.height()) + GAP
            room = min(width - left - _SPACE, height - above - _SPACE / 2)
            cell = max(room, 1.0) / size
        cell = float(int(cell)) if cell >= 3 else cell  # edges of cells fall on pixels
        places = []
        for index, name in enumerate(self.matrices):
            x = round(width * (index % across) + max(0.0, width - left - _SPACE - cell * size) / 2)
            y = round(height * (index // across))
            cells = QRectF(round(x + left), round(y + above), cell * size, cell * size)
            places.append(_Place(name, QPointF(cells.left(), y), cells, rows, columns))
        return places

    def _plan_columns(self, cell: float, metrics: QFontMetricsF, most: float) -> AxisLabels:
        """As ``plan_columns``, but single letters stay upright, every second one, say."""
        plan = plan_columns(self.words, cell, metrics, most)
        longest = max(metrics.horizontalAdvance(word) for word in self.words)
        if plan.turned and longest + 4 <= plan.step * cell:
            return AxisLabels(False, plan.step, longest)
        return plan

    def _paint(self, painter: QPainter, place: _Place) -> None:
        metrics = QFontMetricsF(self.font())
        sample = line_sample(place.name, self.palette())
        below = (metrics.height() * 1.3 - sample.deviceIndependentSize().height()) / 2
        painter.drawPixmap(place.top + QPointF(0, below), sample)
        bold = QFont(self.font())
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(self.palette().text().color())
        title = QRectF(place.top.x() + 40, place.top.y(), 200, metrics.height() * 1.3)
        painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, place.name)
        painter.setFont(self.font())
        size = len(self.words)
        for axis, plan in ((0, place.rows), (1, place.columns)):
            for index in range(0, size, plan.step):
                share = (index + 0.5) / size
                cells = place.cells
                anchor = (
                    QPointF(cells.left() + share * cells.width(), cells.top() - GAP / 2)
                    if axis
                    else QPointF(cells.left() - GAP, cells.top() + share * cells.height())
                )
                text = shown_text(self.words[index], plan, metrics)
                paint_label(painter, anchor, text, plan, is_column=bool(axis))
        image = color_image(self.matrices[place.name], UNIT_LEVELS, self.color_map)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(place.cells, image)
