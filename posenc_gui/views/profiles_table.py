"""All heads in a table that can be sorted by any of their measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from posenc_gui.views.profiles_wording import MEASURE_WORDS, head_name, missing_reason
from posenc_model.analysis import ranking

if TYPE_CHECKING:
    from posenc_model.result import RunResult

Index = QModelIndex | QPersistentModelIndex

_NUMBERS = ("Layer", "Head")
_WORDS = tuple(MEASURE_WORDS.values())
_SORT_TIP = "Click to sort by it, again to turn the order; or press Enter in the column."
_NO_PARENT = QModelIndex()


class HeadTableModel(QAbstractTableModel):
    """A row for each head; the model itself sorts, a missing value last either way."""

    def __init__(self) -> None:
        super().__init__()
        self._result: RunResult | None = None
        self._measures: dict[str, NDArray[np.float64]] = {}
        self._order = np.zeros(0, np.int64)  # for each row the head's place, layer by layer
        self._sorting = (-1, Qt.SortOrder.AscendingOrder)

    def show_measures(
        self, result: RunResult | None, measures: Mapping[str, NDArray[np.float64]]
    ) -> None:
        """Shows the measures [layers, heads] of a result, sorted as before."""
        has_same_heads = _sizes(result) == _sizes(self._result)
        if not has_same_heads:
            self.beginResetModel()
        self._result = result
        self._measures = {name: values.ravel().copy() for name, values in measures.items()}
        if not has_same_heads:
            self._order = np.zeros(0, np.int64) if result is None else self._ranked()
            self.endResetModel()
        elif result is not None:
            self.sort(*self._sorting)
            last = self.index(len(self._order) - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def head_at(self, row: int) -> tuple[int, int]:
        """Layer and head of a row, from 0."""
        assert self._result is not None
        layer, head = divmod(int(self._order[row]), self._result.num_heads)
        return layer, head

    def row_of(self, layer: int, head: int) -> int:
        """Where a head stands now."""
        assert self._result is not None
        return int(np.flatnonzero(self._order == layer * self._result.num_heads + head)[0])

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(_NUMBERS) + len(_WORDS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._result is None:
            return None
        layer, head = self.head_at(index.row())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if index.column() < len(_NUMBERS):
            return str((layer, head)[index.column()] + 1) if role == _SHOWN else None
        words = _WORDS[index.column() - len(_NUMBERS)]
        value = self._value(words.name, index.row())
        if role == _SHOWN:
            return words.shown(value)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            name = words.header.replace("\n", " ")
            return f"{head_name(layer, head)}: {name} {words.shown(value)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            is_missing = words.name == "position_dependence" and np.isnan(value)
            return missing_reason(self._result, layer) if is_missing else words.tip
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        is_measure = section >= len(_NUMBERS)
        name = _WORDS[section - len(_NUMBERS)].header if is_measure else _NUMBERS[section]
        if role == _SHOWN:
            return f"{name} {_ARROWS[self._sorting[1]]}" if section == self._sorting[0] else name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return name.replace("\n", " ")
        if role == Qt.ItemDataRole.ToolTipRole:
            tip = _WORDS[section - len(_NUMBERS)].tip if is_measure else "Counted from 1."
            return f"{tip}\n{_SORT_TIP}"
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts by a column; −1 for layer by layer."""
        self._sorting = (column, order)
        if self._result is None:
            return
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        places = [int(self._order[index.row()]) for index in held]
        self._order = self._ranked()
        rows = np.argsort(self._order)
        moved = [
            self.index(int(rows[place]), index.column())
            for place, index in zip(places, held, strict=True)
        ]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def sort_by(self, column: int) -> None:
        """Sorts by a column: first the strongest head, or the first layer; then the other way."""
        order = _DOWN if column >= len(_NUMBERS) else _UP
        if self._sorting == (column, order):
            order = _UP if order == _DOWN else _DOWN
        self.sort(column, order)

    def _ranked(self) -> NDArray[np.int64]:
        assert self._result is not None
        column, order = self._sorting
        numbers = np.arange(self._result.num_layers * self._result.num_heads)
        values = numbers.astype(np.float64)
        if column == 0:
            values = (numbers // self._result.num_heads).astype(np.float64)
        elif column == 1:
            values = (numbers % self._result.num_heads).astype(np.float64)
        elif column > 1:
            values = self._measures[_WORDS[column - len(_NUMBERS)].name]
        return ranking(values, order == Qt.SortOrder.DescendingOrder)

    def _value(self, name: str, row: int) -> float:
        return float(self._measures[name][self._order[row]])


class HeadTable(QTableView):
    """The table. The arrow keys choose a head; Enter sorts by the column they are in."""

    head_chosen = Signal(int, int)  # layer and head, from 0

    def __init__(self) -> None:
        super().__init__()
        self.heads = HeadTableModel()
        self.setModel(self.heads)
        self.setAccessibleName(
            "All heads: up and down choose one, Enter sorts by the column of the marked cell"
        )
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        header.setMinimumSectionSize(20)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setResizeContentsPrecision(0)  # the header and what is seen, not all heads
        # The style would keep room for its arrow beside every name; the model writes one instead.
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.sort_by)
        self.selectionModel().selectionChanged.connect(self._on_selected)

    def choose(self, layer: int, head: int) -> None:
        """Selects a head's row; a negative head selects none."""
        if head < 0 or not self.heads.rowCount():
            self.clearSelection()
            return
        column = max(0, self.currentIndex().column())
        index = self.heads.index(self.heads.row_of(layer, head), column)
        flag = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        column = self.currentIndex().column()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and column >= 0:
            self.sort_by(column)
        else:
            super().keyPressEvent(event)

    @Slot(int)
    def sort_by(self, column: int) -> None:
        """Sorts by a column; again turns the order. The chosen head stays in sight."""
        self.heads.sort_by(column)
        self.scrollTo(self.currentIndex())

    @Slot(QItemSelection, QItemSelection)
    def _on_selected(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        rows = self.selectionModel().selectedRows()
        if rows:
            self.head_chosen.emit(*self.heads.head_at(rows[0].row()))


def _sizes(result: RunResult | None) -> tuple[int, int] | None:
    return None if result is None else (result.num_layers, result.num_heads)


_SHOWN = Qt.ItemDataRole.DisplayRole
_UP, _DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
_ARROWS = {_UP: "▴", _DOWN: "▾"}
