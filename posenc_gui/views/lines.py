"""The lines view: queries left, keys right, and a line for each weight, several heads at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtGui import (
    QShowEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figures.lines import LinesFigure
from posenc_gui.figures.lines_export import lines_of
from posenc_gui.head_choice import HeadChoice
from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.base import ResultView
from posenc_gui.views.lines_heads import HeadButtons
from posenc_gui.views.lines_plot import QUERY, LinesPlot, Marked
from posenc_gui.views.wording import (
    hidden_sentence,
    lines_numbers,
    lines_sentence,
    percent,
    percent_of,
)
from posenc_model.exporters.spec import Spec
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

FloatArray = NDArray[np.float32]

MOST_WORDS = 400
"""Of a longer text the first so many words are shown: the picture would be a wall of lines."""

DEFAULT_THRESHOLD = 5  # percent

_TASK = "lines"
_INVITATION = (
    "Point at a word to see its lines alone: left what it looks at, right who looks at it."
)
_COMPUTING = "Computing the lines…"


@dataclass(frozen=True, eq=False)
class HeadRows:
    """The first rows of some heads' weights.

    Attributes:
        result: What they belong to.
        layer: From 0.
        rows: For each head, from 0 or ``MEAN_HEAD``: [at most MOST_WORDS, n].
    """

    result: RunResult
    layer: int
    rows: dict[int, FloatArray]


def head_rows(result: RunResult, layer: int, heads: tuple[int, ...]) -> HeadRows:
    """Takes or computes them; fast only where the result keeps all weights."""
    rows = {}
    for head in heads:
        weights = result.weights(layer, head)
        # Copied where the other rows are not in memory anyway, so that they do not stay there.
        first = weights[:MOST_WORDS]
        rows[head] = first if result.keeps_attentions else first.copy()
    return HeadRows(result, layer, rows)


class LinesView(ResultView):
    title = "Lines"
    pictures = ("lines",)

    def __init__(self, choice: HeadChoice | None = None) -> None:
        super().__init__(choice)
        self._result: RunResult | None = None
        self._kept: HeadRows | None = None
        self._asked: tuple[RunResult, int, tuple[int, ...]] | None = None
        self._ticked: frozenset[int] = frozenset()
        self._follows = True  # whether exactly what the shared choice says is shown
        self._full_scale = True
        self._is_stale = False
        self._threshold = DEFAULT_THRESHOLD / 100  # the slider has whole percents only
        self._build()
        self.choice.changed.connect(self._on_chosen)
        self.layer_box.valueChanged.connect(self._on_layer)
        self.heads_row.ticked.connect(self._on_ticked)
        self.heads_row.only_wanted.connect(self._on_only_wanted)
        self.all_button.clicked.connect(self._on_all)
        self.none_button.clicked.connect(self._on_none)
        self.only_button.clicked.connect(self._on_only)
        self.slider.valueChanged.connect(self._on_threshold)
        for signal in (
            self.heads_row.ticked,
            self.heads_row.only_wanted,
            self.all_button.clicked,
            self.none_button.clicked,
            self.only_button.clicked,
            self.slider.valueChanged,
        ):
            signal.connect(self.spec_chosen)
        self.plot.word_marked.connect(self._on_word_marked)

    def _build(self) -> None:
        self.layer_box = QSpinBox()
        self.layer_box.setMinimum(1)
        self.layer_box.setAccessibleName("Layer")
        self.layer_box.setToolTip("Layer (Alt+Up, Alt+Down)")
        layer = QLabel("&Layer")
        layer.setBuddy(self.layer_box)
        self.heads_row = HeadButtons()
        self.all_button = QPushButton("&All")
        self.all_button.setToolTip("Shows the lines of all heads of this layer")
        self.none_button = QPushButton("&None")
        self.none_button.setToolTip("Unticks all heads")
        self.only_button = QPushButton()
        self.only_button.setCheckable(True)
        self.only_button.setToolTip(
            "Shows the head alone that the other views show too, and follows when another is "
            "chosen (Alt+Left, Alt+Right)"
        )
        for button in (self.all_button, self.none_button):  # heads need the room
            text = button.text().replace("&", "")
            button.setFixedWidth(button.fontMetrics().horizontalAdvance(text) + 18)
        heads = QHBoxLayout()
        heads.addWidget(layer)
        heads.addWidget(self.layer_box)
        heads.addWidget(QLabel("Heads"))
        heads.addWidget(self.heads_row, 1)
        for button in (self.all_button, self.none_button, self.only_button):
            heads.addWidget(button)

        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, 100)
        self.slider.setPageStep(5)
        self.slider.setValue(DEFAULT_THRESHOLD)
        self.slider.setAccessibleName("Hide weights below, in percent")
        self.slider.setToolTip("Lines of weaker weights are not drawn (arrow keys, Page Up, Down)")
        self.slider.setFixedWidth(160)
        below = QLabel("Hide weights &below")
        below.setBuddy(self.slider)
        self.threshold_label = QLabel(f"{DEFAULT_THRESHOLD} %")
        width = self.threshold_label.fontMetrics().horizontalAdvance("100 %") + 4
        self.threshold_label.setMinimumWidth(width)
        self.hidden_label = PlainLabel(role="hint")
        threshold = QHBoxLayout()
        threshold.addWidget(below)
        threshold.addWidget(self.slider)
        threshold.addWidget(self.threshold_label)
        threshold.addWidget(self.hidden_label, 1)

        self.limit = PlainLabel(role="warning")
        self.limit.hide()
        self.plot = LinesPlot()
        self.sentence = PlainLabel(_INVITATION)
        font = self.sentence.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.sentence.setFont(font)
        # Always of two lines: a picture that moved when words come beneath it would move the word
        # away from the mouse.
        self.sentence.setMinimumHeight(2 * self.sentence.fontMetrics().lineSpacing() + 2)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.numbers = PlainLabel(" ", "hint")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(heads)
        column.addLayout(threshold)
        column.addWidget(self.limit)
        column.addWidget(self.plot, 1)
        column.addWidget(self.sentence)
        column.addWidget(self.numbers)
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setFont(font)
        self._page = page
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hint)
        self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self._pages)

    # --- what every view does -------------------------------------------------------------------

    def show_result(self, result: RunResult) -> None:
        self.choice.fit(result.num_layers, result.num_heads)
        self._result = result
        self.set_old(False)
        self._pages.setCurrentWidget(self._page)
        self._refresh_when_seen()

    def take(self, name: str, given: object) -> None:
        if name != _TASK or not isinstance(given, HeadRows):
            return
        if (given.result, given.layer) == (self._result, self.choice.layer):
            self._keep(given)
            self._refresh_when_seen()

    def fail(self, name: str, sentence: str) -> None:
        if name == _TASK:
            self.hint.setText(sentence)
            self._pages.setCurrentWidget(self.hint)

    def clear(self, hint: str) -> None:
        self._result = self._kept = self._asked = None
        self._is_stale = False
        self.set_old(False)
        self.plot.mark(None)
        self.plot.show_nothing()
        self.hint.setText(hint)
        self._pages.setCurrentWidget(self.hint)
        if self.isVisible():
            self.row_marked.emit(None, None)

    def has_result(self) -> bool:
        return self._result is not None

    def set_old(self, is_old: bool) -> None:
        self.plot.set_old(is_old)

    def set_colors(self, color_map: str, full_scale: bool) -> None:
        if full_scale != self._full_scale:
            self._full_scale = full_scale
            self._refresh_when_seen()

    def mark_query(self, query: int | None) -> None:
        figure = self.plot.figure
        is_there = query is not None and figure is not None and query < len(figure.tokens)
        self.plot.mark((QUERY, query) if is_there and query is not None else None)
        if self.isVisible():
            self._tell()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._refresh()

    # --- what is shown --------------------------------------------------------------------------

    @property
    def result(self) -> RunResult | None:
        """What is shown."""
        return self._result

    @property
    def shown(self) -> LinesFigure | None:
        """The picture as it is shown now, the marked word in it."""
        return self.plot.shown

    @property
    def heads(self) -> tuple[int, ...]:
        """The heads whose lines are shown, from 0; ``MEAN_HEAD`` where the mean is chosen."""
        if self._follows:
            return (self.choice.head,)
        return tuple(sorted(head for head in self._ticked if head < self.choice.heads))

    @property
    def threshold(self) -> float:
        """Weaker weights have no line."""
        return self._threshold

    def spec(self) -> Spec:
        heads = self.heads or (self.choice.one_head,)
        is_all = len(heads) == self.choice.heads > 1
        return self._spec("lines", heads=None if is_all else heads, threshold=self.threshold)

    def show_spec(self, spec: Spec) -> None:
        self.slider.setValue(round(100 * spec.threshold))
        self._show_threshold(spec.threshold)
        if spec.heads is None or len(spec.heads) > 1:
            self.show_heads(frozenset(spec.heads or range(self.choice.heads)))
        else:
            self._follows = True
            self._refresh_when_seen()

    def _refresh_when_seen(self) -> None:
        """Nothing is computed for a tab that nobody sees."""
        self._is_stale = True
        if self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        self._is_stale = False
        self._show_choice()
        result, layer, heads = self._result, self.choice.layer, self.heads
        if result is None:
            return
        kept = self._kept
        if kept is None or (kept.result, kept.layer) != (result, layer):
            kept = self._kept = HeadRows(result, layer, {})
            if not result.keeps_attentions:
                # A picture of another text or layer would be taken for this one's.
                self.plot.show_nothing(_COMPUTING)
                self.hidden_label.setText("")
        missing = tuple(head for head in heads if head not in kept.rows)
        if missing and result.keeps_attentions:
            self._keep(head_rows(result, layer, missing))
        elif missing:
            if self._asked != (result, layer, missing):
                self._asked = (result, layer, missing)
                self.work_wanted.emit(_TASK, partial(head_rows, result, layer, missing))
            return
        self._draw()

    def _keep(self, given: HeadRows) -> None:
        kept = self._kept
        if kept is not None and (kept.result, kept.layer) == (given.result, given.layer):
            given = HeadRows(given.result, given.layer, {**kept.rows, **given.rows})
        self._kept, self._asked = given, None

    def _draw(self) -> None:
        result, kept, heads = self._result, self._kept, self.heads
        assert result is not None
        assert kept is not None
        count = len(result.tokens)
        shown = min(count, MOST_WORDS)
        self.limit.setVisible(count > shown)
        figure = lines_of(
            result,
            {head: kept.rows[head] for head in heads},
            range(shown),
            threshold=self.threshold,
            full=1.0 if self._full_scale else None,
        )
        self.limit.setText(
            f"This view takes at most {MOST_WORDS} words: it shows the first {shown} of {count:,}. "
            f"{percent(figure.elsewhere_share).capitalize()} of their attention goes to later ones."
        )
        self.plot.show_figure(figure)
        self.hidden_label.setText(hidden_sentence(figure))
        self._tell()

    def _show_choice(self) -> None:
        choice = self.choice
        blocker = QSignalBlocker(self.layer_box)
        self.layer_box.setMaximum(choice.layers)
        self.layer_box.setValue(choice.layer + 1)
        del blocker
        self.heads_row.set_heads(choice.heads, frozenset(self.heads))
        chosen = "the mean" if choice.head == MEAN_HEAD else f"head {choice.head + 1}"
        self.only_button.setText(f"&Only {chosen}")
        self.only_button.setChecked(self._follows)

    def _tell(self) -> None:
        """Reads the marked word, beneath and to the other views."""
        figure, marked = self.plot.shown, self.plot.marked
        if figure is None or marked is None:
            self.sentence.setText(_INVITATION if figure is not None else " ")
            self.numbers.setText(" ")
            self.plot.setAccessibleDescription("")
            self.row_marked.emit(None, None)
            return
        self.sentence.setText(lines_sentence(figure))
        self.numbers.setText(lines_numbers(figure))
        self.plot.setAccessibleDescription(self.sentence.text())
        column, index = marked
        if column == QUERY and self._kept is not None and self.heads:
            row = np.mean([self._kept.rows[head][index] for head in self.heads], axis=0)
            self.row_marked.emit(index, row)
        else:
            self.row_marked.emit(None, None)

    # --- what the user does ---------------------------------------------------------------------

    @Slot()
    def _on_chosen(self) -> None:
        self._refresh_when_seen()

    @Slot(int)
    def _on_layer(self, layer: int) -> None:
        self.choice.choose(layer - 1, self.choice.head)

    def show_heads(self, heads: frozenset[int]) -> None:
        """Shows the lines of these heads, from 0, whatever the other views show."""
        self._ticked, self._follows = heads, False
        self._refresh_when_seen()

    @Slot(int, bool)
    def _on_ticked(self, head: int, is_on: bool) -> None:
        before = frozenset(self.heads) - {MEAN_HEAD}
        self.show_heads(before | {head} if is_on else before - {head})

    @Slot(int)
    def _on_only_wanted(self, head: int) -> None:
        self._follows = True
        self.choice.choose(self.choice.layer, head)
        self._refresh_when_seen()

    @Slot()
    def _on_all(self) -> None:
        self.show_heads(frozenset(range(self.choice.heads)))

    @Slot()
    def _on_none(self) -> None:
        self.show_heads(frozenset())

    @Slot(bool)
    def _on_only(self, is_on: bool) -> None:
        self._ticked = frozenset(self.heads) - {MEAN_HEAD}
        self._follows = is_on
        self._refresh_when_seen()

    @Slot(int)
    def _on_threshold(self, percent: int) -> None:
        self._show_threshold(percent / 100)

    def _show_threshold(self, threshold: float) -> None:
        self._threshold = threshold
        self.threshold_label.setText(percent_of(threshold))
        self._refresh_when_seen()

    @Slot(object)
    def _on_word_marked(self, marked: Marked | None) -> None:
        self._tell()
