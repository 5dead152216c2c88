"""The profiles view: how much attention goes how far, and the numbers of all heads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figures.profile import profile_figure
from posenc_gui.head_choice import HeadChoice
from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.base import ResultView
from posenc_gui.views.head_controls import HeadControls
from posenc_gui.views.profiles_measurer import HeadMeasurer
from posenc_gui.views.profiles_plot import ProfilePlot
from posenc_gui.views.profiles_table import HeadTable
from posenc_gui.views.profiles_wording import distance_sentence, head_sentences
from posenc_gui.work import Work
from posenc_model.analysis import HeadProfile, head_profile
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_model.result import RunResult

TASK = "profile"
_REACHES = (("up to 10 words", 10), ("up to 30 words", 30), ("all", None))
_INVITATION = "Point at a bar to read it: how much of the attention goes that far, on average."
_TIP = (
    "For each distance key − query, the mean weight over all pairs of words so far apart.\n"
    "The line is the same without position in this layer: the softmax of the content’s scores only."
)
# Below it, a profile is there before an empty picture could be seen.
_KEPT_TOKENS = 300


class ProfilesView(ResultView):
    """Shows the chosen head's distance profile beside a table of all heads."""

    title = "Profiles"
    pictures = ("profile",)

    def __init__(self, choice: HeadChoice | None = None) -> None:
        super().__init__(choice)
        self._result: RunResult | None = None
        self._profile: HeadProfile | None = None
        self._is_stale = False  # whether something changed while the view was hidden
        self.measurer = HeadMeasurer(self)
        self._head_controls = HeadControls(self.choice)
        self.reach_box = QComboBox()
        self.reach_box.setAccessibleName("Distances")
        self.reach_box.setToolTip("How far to both sides the picture goes")
        for text, reach in _REACHES:
            self.reach_box.addItem(text, reach)
        self.reach_box.setCurrentIndex(1)
        label = QLabel("Dis&tances")
        label.setBuddy(self.reach_box)
        controls = QHBoxLayout()
        controls.addWidget(self._head_controls)
        controls.addWidget(label)
        controls.addWidget(self.reach_box)
        controls.addStretch(1)

        self.plot = ProfilePlot()
        self.plot.setToolTip(_TIP)
        self.sentence = PlainLabel(_INVITATION)
        self.numbers = PlainLabel()
        picture = QWidget()
        column = QVBoxLayout(picture)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        column.addWidget(self.sentence)

        self.table = HeadTable()
        self.status = PlainLabel(role="hint")
        self.measure_button = QPushButton("Measure all heads")
        self.measure_button.setToolTip("With a text this long, it takes a while")
        beside = QWidget()
        side = QVBoxLayout(beside)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(4)
        side.addWidget(self.table, 1)
        side.addWidget(self.numbers)
        row = QHBoxLayout()
        row.addWidget(self.status, 1)
        row.addWidget(self.measure_button)
        side.addLayout(row)

        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(picture)
        self.splitter.addWidget(beside)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setCollapsible(0, False)
        self.splitter.setSizes([540, 460])
        shown = QWidget()
        whole = QVBoxLayout(shown)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addLayout(controls)
        whole.addWidget(self.splitter, 1)
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        font = self.hint.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.hint.setFont(font)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hint)
        self._pages.addWidget(shown)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

        self.choice.changed.connect(self._on_head_chosen)
        self.reach_box.currentIndexChanged.connect(self._draw)
        self.reach_box.currentIndexChanged.connect(self.spec_chosen)
        self.plot.distance_marked.connect(self._say_distance)
        self.table.head_chosen.connect(self._on_row_chosen)
        self.measure_button.clicked.connect(self._on_measure_asked)
        self.measurer.work_wanted.connect(self.work_wanted)
        self.measurer.changed.connect(self._show_measures)

    @property
    def profile(self) -> HeadProfile | None:
        """The profile that is shown."""
        return self._profile

    def show_result(self, result: RunResult) -> None:
        self.choice.fit(result.num_layers, result.num_heads)
        self._head_controls.refresh()
        self._result = result
        self.set_old(False)
        self._pages.setCurrentIndex(1)
        self.measurer.show_result(result)
        self._refresh()

    def has_result(self) -> bool:
        return self._result is not None

    def take(self, name: str, given: object) -> None:
        self.measurer.take(name, given)
        if name == TASK and isinstance(given, HeadProfile):
            wanted = (self._result, self.choice.layer, self.choice.head)
            if (given.result, given.layer, given.head) == wanted:
                self._profile = given
                self._draw()

    def clear(self, hint: str) -> None:
        self._result = self._profile = None
        self.measurer.show_result(None)
        self.set_old(False)
        self._draw()
        self.table.heads.show_measures(None, {})
        self.hint.setText(hint)
        self._pages.setCurrentIndex(0)

    def spec(self) -> Spec:
        assert self._result is not None
        farthest = max(1, len(self._result.tokens) - 1)
        return self._spec("profile", reach=self.reach_box.currentData() or farthest)

    def show_spec(self, spec: Spec) -> None:
        enough = (i for i, (_, reach) in enumerate(_REACHES) if reach and reach >= spec.reach)
        self.reach_box.setCurrentIndex(next(enough, len(_REACHES) - 1))

    def set_old(self, is_old: bool) -> None:
        self.plot.set_old(is_old)
        self.table.setEnabled(not is_old)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._refresh()
        self.measurer.set_wanted(True)
        self._show_status()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.measurer.set_wanted(False)

    def _refresh(self) -> None:
        """Shows another result; while nobody sees it, that waits."""
        self._is_stale = not self.isVisible()
        if self._result is None or self._is_stale:
            return
        # A table that is filled again at once would only flicker.
        if not self.measurer.is_short or not self.measurer.is_running:
            self._show_measures()
        self._ask_for_profile()

    @Slot()
    def _on_head_chosen(self) -> None:
        if not self.isVisible():
            self._is_stale = True
            return
        self._choose_row()
        self._ask_for_profile()

    def _ask_for_profile(self) -> None:
        result = self._result
        if result is None:
            return
        shown = self._profile
        if shown is not None and shown.result is not result and len(result.tokens) > _KEPT_TOKENS:
            # Until it is there: the picture of another text would be taken for this one's.
            self._profile = None
            self._draw()
        layer, head = self.choice.layer, self.choice.head
        self.work_wanted.emit(TASK, Work(partial(head_profile, result, layer, head)))

    @Slot()
    def _on_measure_asked(self) -> None:
        self.measurer.measure_all()
        self._show_status()

    @Slot(int, int)
    def _on_row_chosen(self, layer: int, head: int) -> None:
        # Not where it is chosen already: a head that a shorter text lacks is still remembered.
        if (layer, head) != (self.choice.layer, self.choice.head):
            self.choice.choose(layer, head)

    @Slot()
    def _show_measures(self) -> None:
        if not self.isVisible():
            self._is_stale = True
            return
        self.table.heads.show_measures(self.measurer.result, self.measurer.measures)
        self._choose_row()
        self._show_status()

    def _choose_row(self) -> None:
        if self.table.heads.rowCount() == self.choice.layers * self.choice.heads:
            self.table.choose(self.choice.layer, self.choice.head)

    def _show_status(self) -> None:
        measurer = self.measurer
        self.measure_button.setVisible(measurer.needs_asking)
        if measurer.needs_asking:
            text = f"{measurer.total} heads of a long text: this takes a while."
        elif measurer.is_running and not measurer.is_short:
            text = f"Measuring… {measurer.done} of {measurer.total} heads"
        else:
            text = "A row chooses its head; a click on a column’s name, or Enter in it, sorts."
        self.status.setText(text)

    @Slot()
    def _draw(self) -> None:
        profile = self._profile
        if profile is None:
            self.plot.show_figure(None)
            self.numbers.setText("")
        else:
            self.plot.show_figure(profile_figure(profile, self.reach_box.currentData()))
            self.numbers.setText(head_sentences(profile))
        self._say_distance(self.plot.marked)

    @Slot(object)
    def _say_distance(self, distance: int | None) -> None:
        if self._profile is None or distance is None:
            self.sentence.setText(_INVITATION if self._profile is not None else "Measuring…")
        else:
            self.sentence.setText(distance_sentence(self._profile, distance))
