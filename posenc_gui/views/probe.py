"""The order probe: words are moved, repeated and left out, to see what that does to attention."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figures.colormaps import DEFAULT_COLOR_MAP
from posenc_gui.head_choice import HeadChoice
from posenc_gui.head_weights import DRAWN_CELLS, block_maxima
from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.base import ResultView
from posenc_gui.views.head_controls import HeadControls
from posenc_gui.views.heatmap import HeatmapPlot
from posenc_gui.views.probe_bars import LayerBars
from posenc_gui.views.probe_chips import Chip, ProbeChipArea
from posenc_gui.views.probe_figures import ProbePictures, probe_pictures
from posenc_gui.views.probe_order import Order, moved, repeated, shuffled, without
from posenc_gui.views.probe_wording import cell_reading, matching_note, moved_sentence
from posenc_gui.work import Work

if TYPE_CHECKING:
    from posenc_model.probe import OrderProbe
    from posenc_model.result import RunResult

_TASK = "probe"
_MOST_TOKENS = 512
_LAST_SEED = 9999
_SMALLEST_PLOT = QSize(180, 190)
_SLOW_AFTER_MS = 250
_TOO_LONG = "The order probe takes at most {most} tokens; this text has {count:,}."
_NOT_OUR_OWN = (
    "The order probe runs the words again in another order, which needs an encoder of our own: set "
    "the weights to “trained” or “random”."
)
_RUNNING = "Running the changed text…"
_BY_WORD, _BY_PLACE = "word", "place"
_MATCHES = {
    _BY_WORD: ("by word", "After is put back into the order before: each word beside itself"),
    _BY_PLACE: ("by place", "After as it stands: first word beside first word, whatever they are"),
}
_HIDDEN_TITLE = "How far hidden states moved, by layer"
_WEIGHTS_TITLE = "Share of attention that moved, by layer"
_HIDDEN_TIP = (
    "‖h − h′‖ / ‖h‖: a word’s hidden state before (h) and after the change (h′), in the input and "
    "after each layer; mean over the words."
)
_WEIGHTS_TIP = (
    "How much of a word’s attention went to other words: half the sum of all differences; mean "
    "over the words and the layer’s heads."
)


@dataclass(frozen=True, eq=False)
class _Probed:
    """What a :class:`_ProbeWork` gives."""

    result: RunResult
    probe: OrderProbe


class _ProbeWork:
    """Runs the words of a result in another order."""

    def __init__(self, result: RunResult, order: Order) -> None:
        self._result, self._order = result, order

    def __call__(self, is_cancelled: Callable[[], bool]) -> _Probed:
        from posenc_model.probe import probe_result

        return _Probed(self._result, probe_result(self._result, self._order, is_cancelled))


class ProbeView(ResultView):
    """The words of the result to be put into another order, and what comes of it.

    Attributes:
        order: Which word of the text stands at each place now.
        probe: What was measured for it; ``None`` until it is.
    """

    title = "Order probe"

    def __init__(self, choice: HeadChoice | None = None) -> None:
        super().__init__(choice)
        self.order: Order = ()
        self.probe: OrderProbe | None = None
        self._result: RunResult | None = None
        self._words: tuple[str, ...] = ()
        self._asked: tuple[RunResult, Order] | None = None
        self._pictures: ProbePictures | None = None
        self._color_map = DEFAULT_COLOR_MAP
        self._full_scale = True
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SLOW_AFTER_MS)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.repeat_button = _button("Duplicate", "The chosen word stands there twice (Ctrl+D)")
        self.remove_button = _button("Delete", "Leaves the chosen word out (Del)")
        self.shuffle_button = _button("Shuffle", "Puts all words in an order drawn from the seed")
        self.seed_box = QSpinBox()
        self.seed_box.setMaximum(_LAST_SEED)
        self.seed_box.setAccessibleName("Seed of the next shuffle")
        self.seed_box.setToolTip("The seed of the next shuffle: the same seed, the same order")
        self.reset_button = _button("Reset", "The words as they stand in the text")
        self.match_box = QComboBox()
        for index, (name, (text, tip)) in enumerate(_MATCHES.items()):
            self.match_box.addItem(text, name)
            self.match_box.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
        self.match_box.setToolTip(_MATCHES[_BY_WORD][1])
        match_label, seed_label = QLabel("Match"), QLabel("seed")
        match_label.setBuddy(self.match_box)
        seed_label.setBuddy(self.seed_box)
        self.area = ProbeChipArea()
        self.chips = self.area.chips
        self.head_controls = HeadControls(self.choice)
        tools, matching = QHBoxLayout(), QHBoxLayout()
        tools.addWidget(self.repeat_button)
        tools.addWidget(self.remove_button)
        tools.addWidget(self.reset_button)
        tools.addWidget(self.shuffle_button)
        tools.addWidget(seed_label)
        tools.addWidget(self.seed_box)
        tools.addStretch(1)
        matching.addWidget(match_label)
        matching.addWidget(self.match_box)
        matching.addSpacing(12)
        matching.addStretch(1)
        matching.addWidget(self.head_controls)

        controls = QWidget()  # in one row or two: its width is not that of the window
        controls.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._controls = QBoxLayout(QBoxLayout.Direction.TopToBottom, controls)
        self._controls.setContentsMargins(0, 0, 0, 0)
        self._controls.setSpacing(4)
        self._rows = (tools, matching)
        self._controls.addLayout(tools)
        self._controls.addLayout(matching)

        self.plots = [HeatmapPlot() for _ in range(3)]
        self.no_difference = PlainLabel(role="hint")
        self.no_difference.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._third = QStackedWidget()
        self._third.addWidget(self.plots[2])
        self._third.addWidget(self.no_difference)
        pictures = QHBoxLayout()
        pictures.setSpacing(4)
        for plot in self.plots:
            plot.setMinimumSize(_SMALLEST_PLOT)
        pictures.addWidget(self.plots[0], 1)
        pictures.addWidget(self.plots[1], 1)
        pictures.addWidget(self._third, 1)
        self.hidden_bars = LayerBars(_HIDDEN_TITLE, _HIDDEN_TIP)
        self.weights_bars = LayerBars(_WEIGHTS_TITLE, _WEIGHTS_TIP)
        bars = QHBoxLayout()
        bars.setSpacing(4)
        bars.addWidget(self.hidden_bars, 1)
        bars.addWidget(self.weights_bars, 1)
        self.sentence = PlainLabel()
        self.note = PlainLabel(role="hint")

        seen = QWidget()
        below = QVBoxLayout(seen)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(4)
        below.addLayout(pictures, 1)
        below.addLayout(bars)
        scrolled = QScrollArea()  # in a low window
        scrolled.setWidget(seen)
        scrolled.setWidgetResizable(True)
        scrolled.setFrameShape(QScrollArea.Shape.NoFrame)
        scrolled.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(controls)
        column.addWidget(self.area)
        column.addWidget(self.sentence)
        column.addWidget(self.note)
        column.addWidget(scrolled, 1)
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hint)
        self._pages.addWidget(shown)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def _connect(self) -> None:
        self.choice.changed.connect(self._draw)
        self.match_box.currentIndexChanged.connect(self._on_match_chosen)
        self.chips.move_wanted.connect(self.move_word)
        self.chips.repeat_wanted.connect(self._repeat)
        self.chips.remove_wanted.connect(self._remove)
        self.chips.current_changed.connect(self._say_moved)
        self.repeat_button.clicked.connect(self._on_repeat)
        self.remove_button.clicked.connect(self._on_remove)
        self.shuffle_button.clicked.connect(self._on_shuffle)
        self.reset_button.clicked.connect(self._on_reset)
        for index, plot in enumerate(self.plots):
            plot.cell_marked.connect(partial(self._mark, index))
        for bars in (self.hidden_bars, self.weights_bars):
            bars.layer_chosen.connect(self._on_layer_chosen)
        self._slow.timeout.connect(self._on_slow)

    # --- the order ------------------------------------------------------------------------------

    @Slot(int, int)
    def move_word(self, start: int, end: int) -> None:
        """The word at the place ``start`` comes to the place ``end``."""
        self._set_order(moved(self.order, start, end), end)

    @Slot(int)
    def _repeat(self, place: int) -> None:
        if len(self.order) < _MOST_TOKENS:
            self._set_order(repeated(self.order, place), place + 1)

    @Slot(int)
    def _remove(self, place: int) -> None:
        if len(self.order) > 1:
            self._set_order(without(self.order, place), place)

    @Slot()
    def _on_repeat(self) -> None:
        self._repeat(self.chips.current)

    @Slot()
    def _on_remove(self) -> None:
        self._remove(self.chips.current)

    @Slot()
    def _on_shuffle(self) -> None:
        seed = self.seed_box.value()
        self.seed_box.setValue(seed + 1 if seed < _LAST_SEED else 0)
        self._set_order(shuffled(self.order, seed), self.chips.current)

    @Slot()
    def _on_reset(self) -> None:
        token = self.order[self.chips.current]
        self._set_order(tuple(range(len(self._words))), token)

    def _set_order(self, order: Order, current: int) -> None:
        self.order = order
        self._show_chips(current)
        self._ask()

    def _show_chips(self, current: int) -> None:
        result = self._result
        assert result is not None
        chips, seen = [], set()
        for token in self.order:
            word, is_unknown = result.tokens[token].text, result.is_unknown[token]
            chips.append(Chip(word, token, token in seen, is_unknown))
            seen.add(token)
        self.chips.set_chips(chips, current)
        count = len(self.order)
        self.remove_button.setEnabled(count > 1)
        self.repeat_button.setEnabled(count < _MOST_TOKENS)
        self.shuffle_button.setEnabled(len(seen) > 1)
        self.reset_button.setEnabled(self.order != tuple(range(len(self._words))))

    # --- what is measured -----------------------------------------------------------------------

    def show_result(self, result: RunResult) -> None:
        self._result = result
        self.probe = self._pictures = None
        self.choice.fit(result.num_layers, result.num_heads)
        self.head_controls.refresh()
        # Not above: torch, which it imports, is loaded by now.
        from posenc_model.probe import words_of_result

        words = tuple(token.text for token in words_of_result(result))
        current = self.chips.current
        if words != self._words:
            self._words, self.order, current = words, tuple(range(len(words))), 0
        if self._why_not(result) is None:
            self._show_chips(current)
        if not self.isVisible():
            self._show_nothing()
        self._ask()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()
        self._draw()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._slow.stop()

    def has_result(self) -> bool:
        return self._result is not None

    def clear(self, hint: str) -> None:
        # The order is kept: it is that of these words, which may come back.
        self._result = self.probe = self._pictures = self._asked = None
        self._show_nothing()
        self._say(hint)

    def take(self, name: str, given: object) -> None:
        if name != _TASK or not isinstance(given, _Probed):
            return
        if given.result is self._result and given.probe.order == self.order:
            self._slow.stop()
            self.probe = given.probe
            self._draw()

    def fail(self, name: str, sentence: str) -> None:
        if name == _TASK:
            self._slow.stop()
            self._say(sentence)

    def _ask(self) -> None:
        """Asks for what is shown, once it is looked at."""
        result = self._result
        if result is None or not self.isVisible():
            return
        reason = self._why_not(result)
        if reason is not None:
            self._say(reason)
            return
        self._pages.setCurrentIndex(1)
        wanted = (result, self.order)
        if self._asked is not None and self._asked[0] is result and self._asked[1] == self.order:
            return
        self._asked = wanted
        self.probe = None
        self._slow.start()
        self.work_wanted.emit(_TASK, Work(_ProbeWork(*wanted)))

    def _why_not(self, result: RunResult) -> str | None:
        if result.encoding_name is None:
            return _NOT_OUR_OWN
        if len(self._words) > _MOST_TOKENS:
            return _TOO_LONG.format(most=_MOST_TOKENS, count=len(self._words))
        return None

    def _say(self, sentence: str) -> None:
        self._slow.stop()
        self.hint.setText(sentence)
        self._pages.setCurrentIndex(0)

    @Slot()
    def _on_slow(self) -> None:
        self.set_old(True)
        self.sentence.setText(_RUNNING)

    # --- what is shown --------------------------------------------------------------------------

    def _show_nothing(self) -> None:
        self._slow.stop()
        self.set_old(False)
        for plot in self.plots:
            plot.show_nothing()
        for bars in (self.hidden_bars, self.weights_bars):
            bars.set_values((), (), ())
        self.sentence.setText(" ")
        self.note.hide()

    @Slot()
    def _draw(self) -> None:
        probe = self.probe
        if probe is None or not self.isVisible():
            return
        self._pictures = probe_pictures(
            probe,
            self.choice.layer,
            self.choice.head,
            by_word=self._is_by_word(),
            color_map=self._color_map,
            full_scale=self._full_scale,
        )
        for plot, figure in zip(self.plots, self._pictures.figures, strict=True):
            if figure is not None:
                plot.show_figure(figure, block_maxima(figure.matrix, DRAWN_CELLS))
        reason = self._pictures.why_no_difference
        self.no_difference.setText(reason)
        self._third.setCurrentIndex(1 if reason else 0)
        self.set_old(False)
        layers = range(probe.before.num_layers)
        names = [str(layer + 1) for layer in layers]
        self.hidden_bars.set_values(
            probe.mean_hidden_shift.tolist(), ["input", *names], [None, *layers]
        )
        self.weights_bars.set_values(probe.mean_weights_shift.tolist(), names, layers)
        for bars in (self.hidden_bars, self.weights_bars):
            bars.choose(self.choice.layer)
        note = matching_note(probe)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._mark(0, None)

    def _is_by_word(self) -> bool:
        return bool(self.match_box.currentData() == _BY_WORD)

    @Slot()
    def _say_moved(self) -> None:
        if self.probe is not None:
            token = self.order[self.chips.current]
            self.sentence.setText(moved_sentence(self.probe, self.choice.layer, token))

    @Slot()
    def _on_match_chosen(self) -> None:
        self.match_box.setToolTip(_MATCHES[str(self.match_box.currentData())][1])
        self._draw()

    @Slot(int)
    def _on_layer_chosen(self, layer: int) -> None:
        self.choice.choose(layer, self.choice.head)

    # --- pointing -------------------------------------------------------------------------------

    def _mark(self, index: int, cell: tuple[int, int] | None) -> None:
        """Marks the words of a cell of one picture, or its places, in all and reads them out."""
        pictures = self._pictures
        if pictures is None:
            return
        if cell is None:
            cells: list[tuple[int, int] | None] = [None, None, None]
        else:
            cells = pictures.same_cells(index, cell)
            cells[index] = cell  # which may be that of a copy
        for plot, one in zip(self.plots, cells, strict=True):
            plot.mark(one)
        if cell is None:
            self._say_moved()
        else:
            self.sentence.setText(cell_reading(pictures, cells))

    def mark_query(self, query: int | None) -> None:
        pictures = self._pictures
        if pictures is None or not self.isVisible():
            return
        figure = pictures.figures[0]
        cell = None
        if query is not None and query < len(figure.matrix):
            cell = (query, int(np.nan_to_num(figure.matrix[query]).argmax()))
        self._mark(0, cell)

    # --- looks ----------------------------------------------------------------------------------

    def set_colors(self, color_map: str, full_scale: bool) -> None:
        self._color_map, self._full_scale = color_map, full_scale
        self._draw()

    def set_old(self, is_old: bool) -> None:
        for plot in self.plots:
            plot.set_old(is_old)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        needed = sum(row.sizeHint().width() for row in self._rows) + self._controls.spacing()
        is_wide = event.size().width() >= needed
        direction = QBoxLayout.Direction
        self._controls.setDirection(direction.LeftToRight if is_wide else direction.TopToBottom)
        self.area.set_most_lines(3 if event.size().height() >= 440 else 2)


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    return button
