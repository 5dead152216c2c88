"""Results side by side: other encodings on the same words, or a result that was kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figures.colormaps import DEFAULT_COLOR_MAP
from posenc_gui.figures.compare import difference_figure
from posenc_gui.figures.from_result import matrix_figure
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure
from posenc_gui.head_choice import HeadChoice
from posenc_gui.head_weights import DRAWN_CELLS, block_maxima
from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.base import ResultView
from posenc_gui.views.head_controls import HeadControls
from posenc_gui.views.heatmap import HeatmapPlot
from posenc_gui.views.wording import cell_sentence, difference_sentence, percent
from posenc_gui.work import Work
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_model.compare import Comparison
    from posenc_model.result import RunResult

_TASK = "compare"
_MOST_TOKENS = 512
_SHOWN_HEADS = 20
_TOO_LONG = "Comparing takes at most {most} tokens; this text has {count:,}."
_COMPARING = "Running the other encodings…"
_INVITATION = (
    "Point at a cell to read it in all pictures: rows are words that look, columns words that are "
    "looked at."
)
_OWN_WEIGHTS = (
    "Each encoding has trained weights of its own: heads of the same number need not have learned "
    "the same."
)
_SHARED_WEIGHTS = "All share the same random weights, so only the encoding differs."
_KEPT_IS_NOT_EXPORTED = (
    "A file can be made again from the settings of one result only, so in place of the kept result "
    "the ticked encodings are compared."
)
_KEPT, _ENCODINGS = "kept", "encodings"


def result_title(result: RunResult) -> str:
    """What tells results apart: the encoding, the weights, and the text's beginning."""
    text = " ".join(result.request.text.split())
    text = text if len(text) <= 24 else f"{text[:23]}…"
    return f"{result.encoding_title}, {result.weights_title}, “{text}”"


class _EncodingsWork:
    """Runs the text of a result under other encodings and compares them with it."""

    def __init__(self, result: RunResult, names: list[str]) -> None:
        self._result, self._names = result, names

    def __call__(self, is_cancelled: Callable[[], bool]) -> Comparison:
        from posenc_model.compare import compare, run_encodings

        others = run_encodings(self._result.request, self._names, is_cancelled)
        return compare(self._result, others)


class _KeptWork:
    """Compares a result with the one that was kept."""

    def __init__(self, kept: RunResult, result: RunResult) -> None:
        self._kept, self._result = kept, result

    def __call__(self, is_cancelled: Callable[[], bool]) -> Comparison:
        from posenc_model.compare import compare

        return compare(self._kept, [self._result])


class CompareView(ResultView):
    title = "Compare"
    pictures = ("compare",)

    def __init__(self, choice: HeadChoice | None = None) -> None:
        super().__init__(choice)
        self._result: RunResult | None = None
        self._kept: RunResult | None = None
        self._compared: RunResult | None = None  # the result that ``comparison`` is about
        self.comparison: Comparison | None = None
        self._color_map = DEFAULT_COLOR_MAP
        self._full_scale = True
        self.plots: list[HeatmapPlot] = []
        self._build()
        self.choice.changed.connect(self._draw)
        self.mode_box.currentIndexChanged.connect(self._on_what_changed)
        for box in self.encoding_boxes.values():
            box.toggled.connect(self._on_what_changed)
        self.other_box.currentIndexChanged.connect(self._draw)
        self.keep_button.clicked.connect(self._on_keep)
        for signal in (
            self.mode_box.currentIndexChanged,
            *(box.toggled for box in self.encoding_boxes.values()),
            self.keep_button.clicked,
        ):
            signal.connect(self.spec_chosen)
        self.heads.itemSelectionChanged.connect(self._on_row_chosen)

    def _build(self) -> None:
        self.mode_box = QComboBox()
        self.mode_box.addItem("other encodings", _ENCODINGS)
        self.mode_box.addItem("the kept result", _KEPT)
        mode_label = QLabel("Compare &with")
        mode_label.setBuddy(self.mode_box)
        self.encoding_boxes = {name: QCheckBox(name) for name in ENCODINGS}
        for name, box in self.encoding_boxes.items():
            box.setToolTip(ENCODINGS[name].title)
            box.setChecked(name in ("abs", "rel"))
        self.keep_button = QPushButton("&Keep this result")
        self.keep_button.setToolTip(
            "Keeps what is shown now, to compare it with another text, seed or setting"
        )
        self._head_controls = HeadControls(self.choice)
        top = QHBoxLayout()
        for widget in (mode_label, self.mode_box, *self.encoding_boxes.values()):
            top.addWidget(widget)
        top.addWidget(self.keep_button)
        top.addStretch(1)

        self.other_box = QComboBox()
        self.other_label = QLabel("&Difference from")
        self.other_label.setBuddy(self.other_box)
        self.note = PlainLabel(role="hint")
        self.sentence = PlainLabel(_INVITATION)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        pictures = QWidget()
        column = QVBoxLayout(pictures)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._head_controls, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(self._grid, 1)
        column.addWidget(self.sentence)
        column.addWidget(self.note)

        self.heads = QTableWidget(0, 2)
        self.heads.setHorizontalHeaderLabels(["Head", "Moved"])
        self.heads.setAccessibleName("Heads that changed most")
        moved = QTableWidgetItem("Moved")
        moved.setToolTip(
            "The share of its attention that went to other words: half the sum of all differences, "
            "averaged over the words that look"
        )
        self.heads.setHorizontalHeaderItem(1, moved)
        self.heads.verticalHeader().hide()
        header = self.heads.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.heads.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.heads.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.heads.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.heads.setTabKeyNavigation(False)
        side = QWidget()
        side_column = QVBoxLayout(side)
        side_column.setContentsMargins(6, 0, 0, 0)
        heading = QLabel("Heads that changed most")
        heading.setProperty("role", "heading")
        row = QHBoxLayout()
        row.addWidget(self.other_label)
        row.addWidget(self.other_box, 1)
        side_column.addWidget(heading)
        side_column.addLayout(row)
        side_column.addWidget(self.heads, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(pictures)
        splitter.addWidget(side)
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([760, 230])

        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hint)
        self._pages.addWidget(splitter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self._pages, 1)
        self._show_mode()

    # --- what is compared -----------------------------------------------------------------------

    def show_result(self, result: RunResult) -> None:
        self._result = result
        self.choice.fit(result.num_layers, result.num_heads)
        self._head_controls.refresh()
        self.keep_button.setEnabled(True)
        for name, box in self.encoding_boxes.items():
            box.setEnabled(name != result.encoding_title)
        self._ask()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._head_controls.refresh()
        self._draw()  # layer and head may be others by now
        self._ask()

    def has_result(self) -> bool:
        return self._result is not None

    def clear(self, hint: str) -> None:
        self._result = self._compared = self.comparison = None
        self.keep_button.setEnabled(False)
        self._say(hint)

    def take(self, name: str, given: object) -> None:
        from posenc_model.compare import Comparison

        if name != _TASK or not isinstance(given, Comparison):
            return
        if given.reference is self._result or self._result in given.others:
            self.comparison = given
            self._compared = self._result
            self._show_comparison()

    def fail(self, name: str, sentence: str) -> None:
        if name == _TASK:
            self._say(sentence)

    def spec(self) -> Spec:
        names = self._exported()
        return self._spec("compare", compare=tuple(names or self._ticked()))

    def spec_note(self) -> str:
        if self._mode() == _KEPT and self._exported() is None:
            return _KEPT_IS_NOT_EXPORTED
        return ""

    def show_spec(self, spec: Spec) -> None:
        self.mode_box.setCurrentIndex(self.mode_box.findData(_ENCODINGS))
        for name, box in self.encoding_boxes.items():
            box.setChecked(name in spec.compare or (not spec.compare and box.isChecked()))

    def _ticked(self) -> list[str]:
        """The encodings that stand beside the result's own."""
        assert self._result is not None
        ticked = [name for name, box in self.encoding_boxes.items() if box.isChecked()]
        return [name for name in ticked if name != self._result.encoding_title]

    def _exported(self) -> list[str] | None:
        """The encodings that make the other results again; ``None`` where none do.

        A file names the settings of one result: what was kept can be made from them only where
        nothing but the encoding is another.
        """
        from posenc_model.compare import with_encoding

        result, kept = self._result, self._kept
        if self._mode() == _ENCODINGS:
            return self._ticked()
        if result is None or kept is None:
            return None
        old, new = kept.request, result.request
        name = old.settings.positional_encoding
        if (old.text, old.masked) != (new.text, new.masked) or name == result.encoding_title:
            return None
        try:
            is_same = with_encoding(new.settings, name) == old.settings
        except PosencError:  # these weights have no other encoding
            is_same = False
        return [name] if is_same else None

    def _mode(self) -> str:
        return str(self.mode_box.currentData())

    @Slot()
    def _on_what_changed(self) -> None:
        self._compared = None
        self._show_mode()
        self._ask()

    @Slot()
    def _on_keep(self) -> None:
        self._kept = self._result
        self.mode_box.setCurrentIndex(self.mode_box.findData(_KEPT))
        self._on_what_changed()

    def _show_mode(self) -> None:
        for box in self.encoding_boxes.values():
            box.setVisible(self._mode() == _ENCODINGS)

    def _ask(self) -> None:
        """Asks for what is compared, once it is looked at."""
        if self._result is None or not self.isVisible() or self._compared is self._result:
            return
        result = self._result
        if len(result.tokens) > _MOST_TOKENS:
            self._say(_TOO_LONG.format(most=_MOST_TOKENS, count=len(result.tokens)))
        elif self._mode() == _KEPT:
            self._ask_for_kept(result)
        elif (source := result.request.settings.source).kind in ("model", "attention") or (
            "positional_encoding" in source.fixed
        ):
            self._say(
                f"{result.weights_title} has no other encoding. “Keep this result” compares it "
                "with another text or other weights."
            )
        else:
            names = self._ticked()
            if not names:
                self._say("Tick the encodings to compare with.")
                return
            self._say(_COMPARING)
            self.work_wanted.emit(_TASK, Work(_EncodingsWork(result, names)))

    def _ask_for_kept(self, result: RunResult) -> None:
        if self._kept is None:
            self._say(
                "Press “Keep this result”, then change the text, the seed or any setting: both are "
                "shown side by side."
            )
        elif self._kept is result:
            self._say("Kept. Now change the text, the seed or any setting.")
        else:
            self._say("Comparing…")
            self.work_wanted.emit(_TASK, Work(_KeptWork(self._kept, result)))

    def _say(self, sentence: str) -> None:
        self.hint.setText(sentence)
        self._pages.setCurrentIndex(0)

    # --- what is shown --------------------------------------------------------------------------

    def _show_comparison(self) -> None:
        comparison = self.comparison
        assert comparison is not None
        source = comparison.reference.request.settings.source.kind
        self.note.setVisible(self._mode() == _ENCODINGS)
        self.note.setText(_OWN_WEIGHTS if source == "trained" else _SHARED_WEIGHTS)
        chosen = self.other_box.currentText()
        self.other_box.blockSignals(True)
        self.other_box.clear()
        for other in comparison.others:
            name = other.encoding_title if self._mode() == _ENCODINGS else result_title(other)
            self.other_box.addItem(name)
        self.other_box.setCurrentIndex(max(0, self.other_box.findText(chosen)))
        self.other_box.blockSignals(False)
        several = len(comparison.others) > 1
        self.other_box.setVisible(several)
        self.other_label.setVisible(several)
        self._make_plots(2 + len(comparison.others))
        self._pages.setCurrentIndex(1)
        self._draw()

    def _make_plots(self, count: int) -> None:
        while len(self.plots) < count:
            plot = HeatmapPlot()
            plot.cell_marked.connect(self._on_cell_marked)
            self.plots.append(plot)
        columns = 2 if count == 4 else 3
        for index, plot in enumerate(self.plots):
            self._grid.addWidget(plot, index // columns, index % columns)
            plot.setVisible(index < count)
        for row in range(3):
            used = row * columns < count
            self._grid.setRowStretch(row, 1 if used else 0)

    def _results(self) -> list[RunResult]:
        assert self.comparison is not None
        return [self.comparison.reference, *self.comparison.others]

    @Slot()
    def _draw(self) -> None:
        if self.comparison is None or self._pages.currentIndex() != 1 or not self.isVisible():
            return
        results = self._results()
        for plot, result in zip(self.plots, results, strict=False):
            layer = min(self.choice.layer, result.num_layers - 1)
            head = min(self.choice.head, result.num_heads - 1)
            figure = matrix_figure(result, layer, head, color_map=self._color_map)
            title = figure.title
            if self._mode() == _KEPT:
                title = f"{self._name(result)}: {result_title(result)}"
            self._show_figure(plot, replace(figure, title=title, is_small=True))
        self._draw_difference()
        self._show_heads()
        self._on_cell_marked(self.plots[0].marked)

    def _show_figure(self, plot: HeatmapPlot, figure: MatrixFigure) -> None:
        if not self._full_scale and figure.levels == UNIT_LEVELS:
            largest = max(float(np.nanmax(figure.matrix)), 1e-9)
            figure = replace(figure, levels=(0.0, largest))
        plot.show_figure(figure, block_maxima(figure.matrix, DRAWN_CELLS))

    def _draw_difference(self) -> None:
        from posenc_model.compare import why_no_difference

        comparison = self.comparison
        assert comparison is not None
        plot = self.plots[1 + len(comparison.others)]
        other = comparison.others[max(0, self.other_box.currentIndex())]
        reason = why_no_difference(comparison.reference, other)
        plot.setVisible(reason is None)
        if reason is not None:
            self.note.setText(reason)
            self.note.show()
            return
        name = f"{self._name(other)} minus {self._name(comparison.reference)}"
        layer, head = self.choice.layer, self.choice.head
        figure = difference_figure(comparison.reference, other, layer, head, name)
        plot.show_figure(replace(figure, is_small=True), block_maxima(figure.matrix, DRAWN_CELLS))

    def _name(self, result: RunResult) -> str:
        if self._mode() == _ENCODINGS:
            return result.encoding_title
        return "now" if result is self._result else "kept"

    def _show_heads(self) -> None:
        comparison = self.comparison
        assert comparison is not None
        moved = comparison.moved[max(0, self.other_box.currentIndex())]
        self.heads.blockSignals(True)
        self.heads.setRowCount(0)
        if moved is not None:
            order = np.argsort(-moved, axis=None, kind="stable")[:_SHOWN_HEADS]
            self.heads.setRowCount(len(order))
            for row, flat in enumerate(order.tolist()):
                layer, head = divmod(flat, moved.shape[1])
                name = QTableWidgetItem(f"layer {layer + 1}, head {head + 1}")
                name.setData(Qt.ItemDataRole.UserRole, (layer, head))
                self.heads.setItem(row, 0, name)
                self.heads.setItem(row, 1, QTableWidgetItem(percent(float(moved[layer, head]))))
                if (layer, head) == (self.choice.layer, self.choice.head):
                    self.heads.selectRow(row)
        self.heads.blockSignals(False)

    @Slot()
    def _on_row_chosen(self) -> None:
        items = self.heads.selectedItems()
        if items:
            self.choice.choose(*items[0].data(Qt.ItemDataRole.UserRole))

    # --- pointing -------------------------------------------------------------------------------

    @Slot(object)
    def _on_cell_marked(self, cell: tuple[int, int] | None) -> None:
        for plot in self.plots:
            figure = plot.figure
            fits = cell is not None and figure is not None and max(cell) < len(figure.matrix)
            plot.mark(cell if fits else None)
        self._read(cell)

    def mark_query(self, query: int | None) -> None:
        if self.comparison is None or self._pages.currentIndex() != 1:
            return
        figure = self.plots[0].figure
        if query is None or figure is None or query >= len(figure.matrix):
            self._on_cell_marked(None)
        else:
            self._on_cell_marked((query, int(np.argmax(figure.matrix[query]))))

    def _read(self, cell: tuple[int, int] | None) -> None:
        if cell is None or self.comparison is None:
            self.sentence.setText(_INVITATION)
            return
        words = []
        for plot, result in zip(self.plots, self._results(), strict=False):
            figure = plot.figure
            if figure is not None and max(cell) < len(figure.matrix):
                words.append((self._name(result), figure))
        if not words:
            self.sentence.setText(_INVITATION)
        elif len(words) == 1:
            self.sentence.setText(cell_sentence(words[0][1], *cell))
        else:
            self.sentence.setText(difference_sentence(words, *cell))

    def set_colors(self, color_map: str, full_scale: bool) -> None:
        self._color_map, self._full_scale = color_map, full_scale
        self._draw()

    def set_old(self, is_old: bool) -> None:
        for plot in self.plots:
            plot.set_old(is_old)
