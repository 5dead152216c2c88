"""The length test's answer: a plot, a table, and what it says in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QIODevice, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.dialogs.files import ask_save
from posenc_gui.plain_label import PlainLabel
from posenc_gui.training.legend import Legend
from posenc_gui.training.lines import muted
from posenc_gui.training.plot import EDGE, Plot
from posenc_gui.training.wording import EXPLAINED, measured
from posenc_model.training.lengths import REPORTED, percent

BEFORE = (
    "The length test asks the trained encoders on longer sentences than they have seen: 20, 40, "
    "80 and 160 words. Train on a task of made-up sentences first, then press “Length test”; "
    "its plot and its table appear here."
)


class LengthsView(QWidget):
    """Shows accuracies by length, and says what they say."""

    save_asked = Signal(object, bytes)  # Path, content

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.accuracies: dict[str, dict[int, float]] = {}
        self.plot: Plot | None = None
        self.legend = Legend()
        self._plot_place = QVBoxLayout()
        self._plot_place.addWidget(self.legend)
        self.table = QTableWidget()
        self.table.setAccessibleName("Accuracy by length")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.setSizeAdjustPolicy(QAbstractItemView.SizeAdjustPolicy.AdjustToContents)
        self.table.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.measured = PlainLabel()
        copy = QPushButton("Copy table")
        copy.setToolTip("Puts the table on the clipboard, for a spreadsheet")
        copy.clicked.connect(self.copy_table)
        save = QPushButton("Save table…")
        save.setToolTip("Writes the table to a CSV file")
        save.clicked.connect(self.save_table)
        picture = QPushButton("Save picture…")
        picture.setToolTip("Writes the plot to a PNG file")
        picture.clicked.connect(self.save_picture)
        buttons = QHBoxLayout()
        for button in (copy, save, picture):
            buttons.addWidget(button)
        side = QVBoxLayout()
        label = PlainLabel("Right answers, by words in the sentence")
        side.addWidget(label)
        side.addWidget(self.table)
        side.addLayout(buttons)
        side.addStretch(1)
        top = QHBoxLayout()
        top.addLayout(self._plot_place, 3)
        top.addLayout(side, 2)
        words = QWidget()
        column = QVBoxLayout(words)
        column.setContentsMargins(4, 2, 8, 2)
        heading = QLabel("What was measured here")
        heading.setProperty("role", "heading")
        column.addWidget(heading)
        column.addWidget(self.measured)
        column.addWidget(PlainLabel(EXPLAINED, "hint"))
        column.addWidget(PlainLabel(REPORTED, "hint"))
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(words)
        shown = QWidget()
        rows = QVBoxLayout(shown)
        rows.setContentsMargins(0, 4, 0, 0)
        rows.addLayout(top, 3)
        rows.addWidget(scroll, 2)
        before = PlainLabel(BEFORE)
        before.setAlignment(Qt.AlignmentFlag.AlignCenter)
        before.setMargin(24)
        self._pages = QStackedWidget()
        self._pages.addWidget(before)
        self._pages.addWidget(shown)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def show_accuracies(
        self,
        accuracies: Mapping[str, Mapping[int, float]],
        trained: tuple[int, int],
        chance: float,
        reasons: Mapping[str, str] | None = None,
    ) -> None:
        """Shows what a length test gave.

        Args:
            accuracies: For each encoding the accuracy at each length.
            trained: The shortest and the longest sentence in training.
            chance: The accuracy of guessing.
            reasons: Why an encoding finds the task hard, where that is known.
        """
        self.accuracies = {name: dict(found) for name, found in accuracies.items()}
        sentences = measured(accuracies, trained[1], chance, reasons)
        self.measured.setText("\n".join(sentences))
        self._fill_table()
        self._draw(trained, chance)
        self._pages.setCurrentIndex(1)

    def clear(self) -> None:
        """Goes back to saying what will appear here."""
        self.accuracies = {}
        self._pages.setCurrentIndex(0)

    def lengths(self) -> list[int]:
        """All lengths that were tested."""
        return sorted({length for found in self.accuracies.values() for length in found})

    def as_text(self, separator: str) -> str:
        """The table as lines; shares from 0 to 1."""
        lines = [["encoding", *(str(length) for length in self.lengths())]]
        for name, found in self.accuracies.items():
            shares = (f"{found[n]:.4f}" if n in found else "" for n in self.lengths())
            lines.append([name, *shares])
        return "".join(separator.join(line) + "\n" for line in lines)

    def copy_table(self) -> None:
        """Puts the table on the clipboard."""
        QGuiApplication.clipboard().setText(self.as_text("\t"))

    def save_table(self) -> None:
        """Asks for a file name for the table."""
        path = ask_save(self, "Save table", "length-test.csv", {".csv": "Table (CSV)"})
        if path is not None:
            self.save_asked.emit(path, self.as_text(",").encode())

    def save_picture(self) -> None:
        """Asks for a file name for the plot."""
        path = ask_save(self, "Save picture", "length-test.png", {".png": "Picture (PNG)"})
        if path is not None and self.plot is not None:
            buffer = QBuffer()
            buffer.open(QIODevice.OpenModeFlag.WriteOnly)
            self.plot.grab().save(buffer, "PNG")
            self.save_asked.emit(path, bytes(buffer.data().data()))

    def _fill_table(self) -> None:
        lengths = self.lengths()
        self.table.setRowCount(len(self.accuracies))
        self.table.setColumnCount(len(lengths))
        self.table.setHorizontalHeaderLabels([str(length) for length in lengths])
        self.table.setVerticalHeaderLabels(list(self.accuracies))
        for row, found in enumerate(self.accuracies.values()):
            for column, length in enumerate(lengths):
                cell = QTableWidgetItem(percent(found[length]) if length in found else "–")
                cell.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                self.table.setItem(row, column, cell)

    def _draw(self, trained: tuple[int, int], chance: float) -> None:
        if self.plot is None:  # made when it is first needed: it takes a moment
            self.plot = Plot("words in the sentence", "accuracy (%)")
            self._plot_place.addWidget(self.plot, 1)
        self.plot.clear()
        self.legend.show_names(list(self.accuracies))
        region = pg.LinearRegionItem(np.log2(trained), movable=False)
        ground = QColor(muted(self.palette()))
        ground.setAlphaF(0.22)
        region.setBrush(ground)
        for line in region.lines:
            line.setPen(None)
        region.setZValue(-10)
        self.plot.add_aid(region)
        self.plot.add_aid(pg.InfiniteLine(pos=100 * chance, angle=0, movable=False))
        for name, found in self.accuracies.items():
            across = np.log2(sorted(found))
            up = [100 * found[length] for length in sorted(found)]
            self.plot.set_line(name, across, up, with_points=True)
        lengths = self.lengths()
        ticks = [(float(np.log2(length)), str(length)) for length in lengths]
        self.plot.item.getAxis("bottom").setTicks([ticks])
        low = np.log2(min([trained[0], *lengths]))
        self.plot.item.setXRange(low, np.log2(max([trained[1], *lengths])), padding=0.04)
        self.plot.item.setYRange(0, 100, padding=EDGE)
