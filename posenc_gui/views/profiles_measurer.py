"""Measures all heads of a result outside the GUI thread, some at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from posenc_gui.work import Work
from posenc_model.analysis import MeasuredHeads, known_measures, measure_heads

if TYPE_CHECKING:
    from posenc_model.result import RunResult

TASK = "profiles"
# Longer texts are measured only when somebody asks for it.
MOST_TOKENS_UNASKED = 1500
# So much at a time that a run, or another head, does not have to wait long.
_CELLS_AT_ONCE = 2**21


class HeadMeasurer(QObject):
    """Asks for the measures of the shown result's heads while somebody sees them.

    What others have asked for is taken, too, so that no head is measured twice.

    Attributes:
        result: What is measured; ``None`` before the first.
        measures: The measures by name [layers, heads], NaN where one is not known, or not yet.
    """

    work_wanted = Signal(str, object)  # as that of a view
    changed = Signal()  # more is known

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.result: RunResult | None = None
        self.measures: dict[str, NDArray[np.float64]] = {}
        self._missing: list[tuple[int, int]] = []
        self._asked_for: list[tuple[int, int]] = []
        self._work: Work | None = None
        self._is_wanted = False
        self._may_take_long = False

    @property
    def total(self) -> int:
        """How many heads there are."""
        return 0 if self.result is None else self.result.num_layers * self.result.num_heads

    @property
    def done(self) -> int:
        """How many of them are measured."""
        return self.total - len(self._missing)

    @property
    def is_complete(self) -> bool:
        """Whether all heads of a result are measured."""
        return self.result is not None and not self._missing

    @property
    def is_short(self) -> bool:
        """Whether all are measured at one go, in about the time of a blink."""
        return self.result is None or self.total <= self._heads_at_once()

    @property
    def needs_asking(self) -> bool:
        """Whether it takes so long that the user has to ask for it."""
        if self.result is None or self.is_complete or self._may_take_long:
            return False
        return len(self.result.tokens) > MOST_TOKENS_UNASKED

    @property
    def is_running(self) -> bool:
        """Whether some heads are being measured, or wait for it."""
        return self._work is not None

    def show_result(self, result: RunResult | None) -> None:
        """Takes another result, of which no head is measured yet; or none."""
        self._stop()
        self.result = result
        self.measures = {} if result is None else known_measures(result)
        self._may_take_long = False
        self._missing = (
            []
            if result is None
            else [(i, j) for i in range(result.num_layers) for j in range(result.num_heads)]
        )
        self._go_on()

    def set_wanted(self, is_wanted: bool) -> None:
        """Says whether somebody sees the measures; while nobody does, nothing is done."""
        self._is_wanted = is_wanted
        if is_wanted:
            self._go_on()
        else:
            self._stop()

    def measure_all(self) -> None:
        """Measures all heads, however long it takes."""
        self._may_take_long = True
        self._go_on()

    def take(self, name: str, given: object) -> None:
        """Takes what was asked for, by whomever."""
        if name != TASK or not isinstance(given, MeasuredHeads) or given.result is not self.result:
            return
        for place, values in given.values.items():
            for measure, value in values.items():
                self.measures[measure][place] = value
        self._missing = [place for place in self._missing if place not in given.values]
        if not set(self._asked_for) & set(self._missing):
            self._work, self._asked_for = None, []
        self._go_on()
        self.changed.emit()

    def _heads_at_once(self) -> int:
        assert self.result is not None
        return max(1, _CELLS_AT_ONCE // max(1, len(self.result.tokens)) ** 2)

    def _go_on(self) -> None:
        result = self.result
        if result is None or not self._missing or self.needs_asking:
            return
        if not self._is_wanted or self._work is not None:
            return
        self._asked_for = self._missing[: self._heads_at_once()]
        self._work = Work(partial(measure_heads, result, self._asked_for))
        self.work_wanted.emit(TASK, self._work)

    def _stop(self) -> None:
        if self._work is not None:
            self._work.cancel()
        self._work, self._asked_for = None, []
