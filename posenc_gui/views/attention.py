"""The attention view: the matrix of one head, and all heads to choose from."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.actions import Actions
from posenc_gui.figures.colormaps import DARK_BELOW, DEFAULT_COLOR_MAP
from posenc_gui.figures.from_result import matrix_figure
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure
from posenc_gui.head_choice import HeadChoice
from posenc_gui.head_weights import HeadWeights, head_weights
from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.base import ResultView
from posenc_gui.views.head_controls import HeadControls
from posenc_gui.views.heatmap import HeatmapPlot
from posenc_gui.views.neighbours import NeighbourHeads
from posenc_gui.views.overview import OrderedMosaic, OverviewMosaic
from posenc_gui.views.why import WhyView
from posenc_gui.views.wording import cell_numbers, cell_sentence, provenance_sentence
from posenc_model.explain import CellExplanation, explain_cell
from posenc_model.exporters.spec import Spec
from posenc_model.matrices import MATRICES, MATRIX, WEIGHTS, why_missing
from posenc_model.pairs import PAIR_PARTS, PairPart, pair_boundary
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_INVITATION = "Point at a cell to read it: each row shows what one word looks at."
_TOO_DARK = "Most weights here are small: untick “Scale 0–1” to see them."
_MASKED = "Grey cells are masked: no word looks there."
_UNEVEN_PART = "The part that is shown has other rows than columns, so all words are saved."
_HEAD, _WHY = "head", "why"
_MEAN_HAS_NO_SCORE = (
    "The mean over heads comes from no single score: untick “Mean” to take a cell apart."
)


class AttentionView(ResultView):
    title = "Attention"
    pictures = ("matrix", "overview", "why")

    def __init__(self, choice: HeadChoice | None = None) -> None:
        super().__init__(choice)
        self._result: RunResult | None = None
        self._weights: HeadWeights | None = None
        self._kind = WEIGHTS
        self._wanted_part: tuple[int, int] | None = None  # first and last edge of rows and columns
        self._boundary: int | None = None  # where sentence B of a pair begins
        self._color_map = DEFAULT_COLOR_MAP
        self._full_scale = True
        self._is_dark = False  # whether most rows have no large weight
        self._head_controls = HeadControls(self.choice)
        self.layer_box = self._head_controls.layer_box
        self.head_box = self._head_controls.head_box
        self.mean_box = self._head_controls.mean_box
        self.controls = QHBoxLayout()
        self.controls.setContentsMargins(0, 0, 0, 0)
        self.controls.addWidget(self._head_controls)
        self.kind_box = QComboBox()
        self.kind_box.setAccessibleName(MATRIX.label)
        for index, kind in enumerate(MATRICES.values()):
            self.kind_box.addItem(kind.title, kind.name)
            self.kind_box.setItemData(index, kind.summary, Qt.ItemDataRole.ToolTipRole)
        label = QLabel("Sho&w")
        label.setBuddy(self.kind_box)
        self.controls.addWidget(label)
        self.controls.addWidget(self.kind_box)
        self.part_label = QLabel("P&art")
        self.part_box = QComboBox()
        self.part_box.setAccessibleName("Part of the sentence pair")
        self.part_box.setToolTip("Two lines of text are a pair of sentences, A and B")
        self.part_box.addItem("A and B", None)
        for part in PAIR_PARTS:
            self.part_box.addItem(part.title, part)
        self.part_label.setBuddy(self.part_box)
        self.controls.addWidget(self.part_label)
        self.controls.addWidget(self.part_box)
        self.controls.addStretch(1)

        self.plot = HeatmapPlot()
        self.missing = PlainLabel()
        self.missing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pictures = QStackedWidget()
        self._pictures.addWidget(self.plot)
        self._pictures.addWidget(self.missing)
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
        column.addWidget(self._pictures, 1)
        column.addWidget(self.sentence)
        column.addWidget(self.numbers)

        self.mosaic = OverviewMosaic()
        heads = QWidget()
        side = QVBoxLayout(heads)
        side.setContentsMargins(0, 0, 0, 0)
        self.ordered = OrderedMosaic(self.mosaic, self)
        side.addWidget(self.ordered, 1)
        self.neighbours = NeighbourHeads()
        side.addWidget(self.neighbours)
        self.provenance = PlainLabel(role="hint")
        side.addWidget(self.provenance)

        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(picture)
        self.why = WhyView()
        self.side = QTabWidget()
        self.side.setDocumentMode(True)
        self.side.addTab(heads, "All heads")
        self.side.addTab(self.why, "Why this cell?")
        self.splitter.addWidget(self.side)
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

        self.choice.changed.connect(self._on_head_chosen)
        self.plot.cell_chosen.connect(self.explain)
        self.kind_box.currentIndexChanged.connect(self._on_kind_chosen)
        self.part_box.currentIndexChanged.connect(self._show_part)
        self.mosaic.head_chosen.connect(self.choose_head)
        self.neighbours.head_chosen.connect(self.choose_head)
        self.plot.cell_marked.connect(self._on_cell_marked)
        for signal in (
            self.plot.part_chosen,
            self.plot.cell_chosen,
            self.kind_box.currentIndexChanged,
            self.part_box.currentIndexChanged,
            self.side.currentChanged,
            self.why.pin_chosen,
        ):
            signal.connect(self.spec_chosen)

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
        show_all = self.plot.choose_all
        actions.add(menu, "Show the &whole matrix", show_all, "Ctrl+0", "zoom-reset")

    def _step(self, layers: int, heads: int) -> None:
        head = self.choice.head if self.choice.head == MEAN_HEAD else self.choice.head + heads
        self.choice.choose(self.choice.layer + layers, head)

    @property
    def layer(self) -> int:
        """The chosen layer, from 0."""
        return self.choice.layer

    @property
    def head(self) -> int:
        """The chosen head, from 0, or ``MEAN_HEAD``."""
        return self.choice.head

    @Slot(int, int)
    def choose_head(self, layer: int, head: int) -> None:
        """Shows another layer and head, both from 0; out of range, the nearest."""
        self.choice.choose(layer, head)

    def show_result(self, result: RunResult) -> None:
        self.choice.fit(result.num_layers, result.num_heads)
        self._head_controls.refresh()
        self._result = result
        self.neighbours.show_overview(result.overview, len(result.tokens))
        self.provenance.setText(provenance_sentence(result))
        self.set_old(False)
        self._pages.setCurrentWidget(self.splitter)
        self._boundary = pair_boundary(result)
        self.part_label.setVisible(self._boundary is not None)
        self.part_box.setVisible(self._boundary is not None)
        self._show_overview()
        self._on_head_chosen()

    def take(self, name: str, given: object) -> None:
        self.ordered.take(name, given)
        if name == _HEAD and isinstance(given, HeadWeights):
            self.show_head(given)
        elif name == _WHY and isinstance(given, CellExplanation):
            wanted = (self._result, self.layer, self.head, self.plot.chosen)
            cell = (given.query, given.key)
            if (given.result, given.layer, given.head, cell) == wanted:
                self.why.show_explanation(given)

    def fail(self, name: str, sentence: str) -> None:
        if name == _HEAD:
            self._show_missing(sentence)
        elif name == _WHY:
            self.why.show_nothing(sentence)

    @Slot(object)
    def explain(self, cell: tuple[int, int]) -> None:
        """Takes a cell, query and key, apart beside the matrix."""
        self.plot.choose(cell)
        self.side.setCurrentWidget(self.why)
        self._ask_why()

    def _ask_why(self) -> None:
        """Explains the chosen cell anew, for another head or text."""
        cell = self.plot.chosen
        if cell is None or self._result is None:
            return
        if max(cell) >= len(self._result.tokens):
            self.plot.choose(None)
            self.why.show_nothing()
        elif self.head == MEAN_HEAD:
            self.why.show_nothing(_MEAN_HAS_NO_SCORE)
        else:
            work = partial(explain_cell, self._result, self.layer, self.head, *cell)
            self.work_wanted.emit(_WHY, work)

    def show_head(self, weights: HeadWeights) -> None:
        """Shows a matrix, if it is still the one that is wanted."""
        wanted = (self._result, self.layer, self.head, self._kind)
        if (weights.result, weights.layer, weights.head, weights.kind) != wanted:
            return
        self._weights = weights
        self._draw()

    def clear(self, hint: str) -> None:
        self._result = self._weights = self._wanted_part = None
        self.plot.choose(None)
        self.why.show_nothing()
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

    def spec(self) -> Spec:
        cell = self.why.explanation if self.side.currentWidget() is self.why else None
        if cell is not None and cell.result is self._result:  # a pinned one may be of another text
            heads = {"layers": (cell.layer,), "heads": (cell.head,)}
            return self._spec("why", cell=(cell.query, cell.key), **heads)
        tokens = self.plot.shown_tokens()
        return self._spec("matrix", matrix=self._kind, tokens=tokens, cell=self.plot.chosen)

    def spec_note(self) -> str:
        is_uneven = self.spec().view == "matrix" and self.plot.is_uneven_part()
        return _UNEVEN_PART if is_uneven else ""

    def show_spec(self, spec: Spec) -> None:
        self.kind_box.setCurrentIndex(self.kind_box.findData(spec.matrix))
        tokens, count = spec.tokens, 0 if self._result is None else len(self._result.tokens)
        self._wanted_part = None
        if tokens is None or tokens != tuple(range(tokens[0], tokens[-1] + 1)):
            self.plot.show_all()
        elif tokens[-1] < count:
            self._wanted_part = (tokens[0], tokens[-1] + 1)
            self._show_wanted_part()
        if spec.cell is not None and max(spec.cell) < count:
            self.explain(spec.cell)
        if spec.view != "why":
            self.side.setCurrentIndex(0)

    def _show_wanted_part(self) -> None:
        """Zooms to the words that a file shows, once their matrix is there."""
        if self._wanted_part is not None and self._weights is not None:
            self.plot.show_part(self._wanted_part, self._wanted_part)
            self._wanted_part = None

    def figure(self) -> MatrixFigure | None:
        return self.plot.figure

    @property
    def shown(self) -> HeadWeights | None:
        """The matrix that is shown."""
        return self._weights

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

    @Slot()
    def _ask_for_head(self) -> None:
        if self._result is None:
            return
        layer, head = self.layer, self.head
        self.mosaic.choose(layer, head)
        reason = why_missing(self._result, layer, self._kind)
        if reason is not None:
            self._show_missing(reason)
            return
        self._pictures.setCurrentWidget(self.plot)
        if self._result.keeps_attentions and self._kind == WEIGHTS:
            self.show_head(head_weights(self._result, layer, head))
            return
        if self._weights is not None and self._weights.result is not self._result:
            # Until the head is there: a picture of another text would be taken for this one's.
            self._weights = None
            self.plot.show_nothing()
        work = partial(head_weights, self._result, layer, head, self._kind)
        self.work_wanted.emit(_HEAD, work)

    def _show_missing(self, sentence: str) -> None:
        """Says why there is no such matrix, in its place."""
        self._weights = None
        self.plot.show_nothing()
        self.missing.setText(sentence)
        self._pictures.setCurrentWidget(self.missing)
        self._on_cell_marked(None)

    @Slot()
    def _on_head_chosen(self) -> None:
        self._ask_for_head()
        self._ask_why()

    @Slot()
    def _show_part(self) -> None:
        """Zooms to the chosen part of a sentence pair, or shows all."""
        part = self.part_box.currentData()
        if not isinstance(part, PairPart) or self._boundary is None or self._result is None:
            self.plot.show_all()
            return
        n = len(self._result.tokens)
        self.plot.show_part(*part.ranges(self._boundary, n))

    @Slot()
    def _on_kind_chosen(self) -> None:
        self._kind = str(self.kind_box.currentData())
        self.kind_box.setToolTip(MATRICES[self._kind].summary)
        self._ask_for_head()

    def _draw(self) -> None:
        weights = self._weights
        assert weights is not None
        strongest = np.fmax.reduce(weights.reduced, axis=1)  # of each row, or of a block of rows
        self._is_dark = float(np.median(strongest)) < DARK_BELOW
        figure = matrix_figure(
            weights.result,
            weights.layer,
            weights.head,
            weights.kind,
            matrix=weights.matrix,
            levels=self._levels(float(strongest.max())),
            color_map=self._color_map,
        )
        words_before = None if self.plot.figure is None else tuple(self.plot.figure.query_words)
        self.plot.show_figure(figure, weights.reduced)
        if self._boundary is not None and words_before != tuple(figure.query_words):
            self._show_part()
        self._show_wanted_part()
        self._on_cell_marked(self.plot.marked)

    @Slot(object)
    def _on_cell_marked(self, cell: tuple[int, int] | None) -> None:
        figure = self.plot.figure
        if cell is None or figure is None:
            self.sentence.setText(_INVITATION if figure is not None else " ")
            is_dark = figure is not None and self._full_scale and self._is_dark
            is_dark = is_dark and self._kind == WEIGHTS
            is_masked = self._result is not None and self._result.mask is not None
            self.numbers.setText(_TOO_DARK if is_dark else _MASKED if is_masked else " ")
            self.row_marked.emit(None, None)
            return
        self.sentence.setText(cell_sentence(figure, *cell, self._kind))
        self.numbers.setText(cell_numbers(figure, *cell))
        self.row_marked.emit(cell[0], figure.matrix[cell[0]])
