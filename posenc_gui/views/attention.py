"""The attention view: the matrix of one head, and all heads to choose from."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.actions import Actions
from posenc_gui.figures.colormaps import DEFAULT_COLOR_MAP
from posenc_gui.figures.from_result import matrix_figure
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure
from posenc_gui.head_weights import HeadWeights, head_weights
from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.base import ResultView
from posenc_gui.views.heatmap import HeatmapPlot
from posenc_gui.views.overview import OverviewMosaic
from posenc_gui.views.wording import cell_numbers, cell_sentence
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_INVITATION = "Point at a cell to read it: each row shows what one word looks at."
_TOO_DARK = "Most weights here are small: untick “Scale 0–1” to see them."
_DARK_BELOW = 0.3
_RANDOM = (
    "The encoder’s weights are random: what you see comes from the encoding and from chance, "
    "not from what the words mean."
)


class AttentionView(ResultView):
    title = "Attention"

    def __init__(self) -> None:
        super().__init__()
        self._result: RunResult | None = None
        self._weights: HeadWeights | None = None
        self._color_map = DEFAULT_COLOR_MAP
        self._full_scale = True
        self._is_dark = False  # whether most rows have no large weight
        # Chosen layer and head, from 1: remembered while a result has fewer of them.
        self._wanted = (1, 1)
        self.layer_box = self._number_box("Layer", "Alt+Up, Alt+Down")
        self.head_box = self._number_box("Head", "Alt+Left, Alt+Right")
        self.mean_box = QCheckBox("Mean over heads")
        self.mean_box.setToolTip("Shows the mean of all heads of the layer (Alt+M)")
        self.controls = QHBoxLayout()
        self.controls.setContentsMargins(0, 0, 0, 0)
        for name, box in (("&Layer", self.layer_box), ("&Head", self.head_box)):
            label = QLabel(name)
            label.setBuddy(box)
            self.controls.addWidget(label)
            self.controls.addWidget(box)
        self.controls.addWidget(self.mean_box)
        self.controls.addStretch(1)

        self.plot = HeatmapPlot()
        self.sentence = PlainLabel(_INVITATION)
        font = self.sentence.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.sentence.setFont(font)
        self.numbers = PlainLabel(" ", "hint")
        picture = QWidget()
        column = QVBoxLayout(picture)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self.controls)
        column.addWidget(self.plot, 1)
        column.addWidget(self.sentence)
        column.addWidget(self.numbers)

        self.mosaic = OverviewMosaic()
        heads = QWidget()
        side = QVBoxLayout(heads)
        side.setContentsMargins(0, 0, 0, 0)
        heading = QLabel("All layers and heads")
        heading.setProperty("role", "heading")
        side.addWidget(heading)
        side.addWidget(self.mosaic, 1)
        side.addWidget(PlainLabel(_RANDOM, "hint"))

        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(picture)
        self.splitter.addWidget(heads)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([640, 320])
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setFont(font)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hint)
        self._pages.addWidget(self.splitter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

        self.layer_box.valueChanged.connect(self._on_head_chosen)
        self.head_box.valueChanged.connect(self._on_head_chosen)
        self.mean_box.toggled.connect(self._on_head_chosen)
        self.mosaic.head_chosen.connect(self.choose_head)
        self.plot.cell_marked.connect(self._on_cell_marked)

    @staticmethod
    def _number_box(name: str, keys: str) -> QSpinBox:
        box = QSpinBox()
        box.setMinimum(1)
        box.setAccessibleName(name)
        box.setToolTip(f"{name} ({keys})")
        return box

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        """Adds what this view can do, with its keys."""
        step = self._step
        actions.add(menu, "&Previous layer", partial(step, -1, 0), "Alt+Up", "previous")
        actions.add(menu, "&Next layer", partial(step, 1, 0), "Alt+Down", "next")
        actions.add(menu, "P&revious head", partial(step, 0, -1), "Alt+Left", "previous")
        actions.add(menu, "N&ext head", partial(step, 0, 1), "Alt+Right", "next")
        mean = actions.add(menu, "&Mean over heads", self.mean_box.click, "Alt+M", "average")
        mean.setCheckable(True)
        self.mean_box.toggled.connect(mean.setChecked)
        show_all = self.plot.show_all
        actions.add(menu, "Show the &whole matrix", show_all, "Ctrl+0", "zoom-reset")

    def _step(self, layers: int, heads: int) -> None:
        self.layer_box.setValue(self.layer_box.value() + layers)
        self.head_box.setValue(self.head_box.value() + heads)

    @property
    def layer(self) -> int:
        """The chosen layer, from 0."""
        return self.layer_box.value() - 1

    @property
    def head(self) -> int:
        """The chosen head, from 0, or ``MEAN_HEAD``."""
        return MEAN_HEAD if self.mean_box.isChecked() else self.head_box.value() - 1

    @Slot(int, int)
    def choose_head(self, layer: int, head: int) -> None:
        """Shows another layer and head, both from 0; out of range, the nearest."""
        self.mean_box.setChecked(head == MEAN_HEAD)
        self.layer_box.setValue(layer + 1)
        if head != MEAN_HEAD:
            self.head_box.setValue(head + 1)

    def show_result(self, result: RunResult) -> None:
        # A maximum below the value changes it; nothing is to be asked for before both are right.
        self._result = None
        layer, head = self._wanted
        self.layer_box.setMaximum(result.config.num_layers)
        self.head_box.setMaximum(result.config.num_heads)
        self.layer_box.setValue(layer)
        self.head_box.setValue(head)
        self._result = result
        self.set_old(False)
        self._pages.setCurrentWidget(self.splitter)
        self._show_overview()
        self._ask_for_head()

    def show_head(self, weights: HeadWeights) -> None:
        is_wanted = (weights.result, weights.layer, weights.head) == (
            self._result,
            self.layer,
            self.head,
        )
        if not is_wanted:
            return
        self._weights = weights
        self._draw()

    def clear(self, hint: str) -> None:
        self._result = self._weights = None
        self.set_old(False)
        self.plot.show_nothing()
        self.mosaic.show_nothing()
        self.hint.setText(hint)
        self._pages.setCurrentWidget(self.hint)
        self.row_marked.emit(None, None)

    def mark_query(self, query: int | None) -> None:
        if self._weights is None or query is None or query >= len(self._weights.matrix):
            self.plot.mark(None)
            self._on_cell_marked(None)
            return
        key = int(self._weights.matrix[query].argmax())
        self.plot.mark((query, key))
        self._on_cell_marked((query, key))

    def set_colors(self, color_map: str, full_scale: bool) -> None:
        self._color_map, self._full_scale = color_map, full_scale
        if self._result is not None:
            self._show_overview()
        if self._weights is not None:
            self._draw()

    def has_result(self) -> bool:
        return self._result is not None

    def set_old(self, is_old: bool) -> None:
        self.plot.set_old(is_old)
        self.mosaic.set_old(is_old)

    def figure(self) -> MatrixFigure | None:
        return self.plot.figure

    @property
    def result(self) -> RunResult | None:
        """What is shown."""
        return self._result

    def _levels(self, largest: float) -> tuple[float, float]:
        return UNIT_LEVELS if self._full_scale else (0.0, max(largest, 1e-9))

    def _show_overview(self) -> None:
        assert self._result is not None
        overview = self._result.overview
        levels = self._levels(float(overview.maximum.max()))
        self.mosaic.show_overview(overview, levels, self._color_map)

    def _ask_for_head(self) -> None:
        if self._result is None:
            return
        layer, head = self.layer, self.head
        self.mosaic.choose(layer, head)
        if self._result.keeps_attentions:
            self.show_head(head_weights(self._result, layer, head))
            return
        if self._weights is not None and self._weights.result is not self._result:
            # Until the head is there: a picture of another text would be taken for this one's.
            self._weights = None
            self.plot.show_nothing()
        self.head_wanted.emit(self._result, layer, head)

    def _draw(self) -> None:
        weights = self._weights
        assert weights is not None
        strongest = weights.reduced.max(1)  # of each row, or of a block of rows
        self._is_dark = float(np.median(strongest)) < _DARK_BELOW
        figure = matrix_figure(
            weights.result,
            weights.layer,
            weights.head,
            matrix=weights.matrix,
            levels=self._levels(float(strongest.max())),
            color_map=self._color_map,
        )
        self.plot.show_figure(figure, weights.reduced)
        self._on_cell_marked(self.plot.marked)

    @Slot()
    def _on_head_chosen(self) -> None:
        self.head_box.setEnabled(not self.mean_box.isChecked())
        if self._result is not None:
            self._wanted = (self.layer_box.value(), self.head_box.value())
        self._ask_for_head()

    @Slot(object)
    def _on_cell_marked(self, cell: tuple[int, int] | None) -> None:
        figure = self.plot.figure
        if cell is None or figure is None:
            self.sentence.setText(_INVITATION)
            is_dark = figure is not None and self._full_scale and self._is_dark
            self.numbers.setText(_TOO_DARK if is_dark else " ")
            self.row_marked.emit(None, None)
            return
        self.sentence.setText(cell_sentence(figure, *cell))
        self.numbers.setText(cell_numbers(figure, *cell))
        self.row_marked.emit(cell[0], figure.matrix[cell[0]])
