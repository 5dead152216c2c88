"""The learning rate over the steps, drawn before anything is learned."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from posenc_gui.plain_label import PlainLabel
from posenc_gui.training.plot import EDGE, Plot
from posenc_model.training.settings import TrainingSettings, learning_rate_at

_POINTS = 200
_MARKS = 150
_REFERENCE = (
    "How far the weights may move in a step. It rises during the warm-up and falls afterwards "
    "(Vaswani et al. 2017, section 5.3)."
)


class ScheduleView(QWidget):
    """Draws :func:`learning_rate_at` for the settings of a form.

    Attributes:
        planned: How many steps are drawn.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.planned = 0
        self.plot = Plot("step", "learning rate", self)
        self.plot.setToolTip(_REFERENCE)
        self.plot.setMinimumHeight(120)
        self.words = PlainLabel("", "hint")
        self._line = pg.PlotCurveItem(antialias=True)
        self._now: pg.InfiniteLine | None = None
        self.plot.item.addItem(self._line)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.words)

    def show_settings(self, settings: TrainingSettings) -> None:
        """Draws the schedule of these settings."""
        self.planned = settings.steps
        steps, rates = schedule(settings)
        pen = QPen(self.palette().link().color(), 2.0)
        pen.setCosmetic(True)
        self._line.setPen(pen)
        self._line.setData(steps, rates)
        self.plot.item.setXRange(0, settings.steps, padding=0.02)
        self.plot.item.setYRange(0, max(float(rates.max()), 1e-12), padding=EDGE)
        self.words.setText(_in_words(settings))

    def show_step(self, step: int | None) -> None:
        """Marks the step that a training has reached; ``None`` for none."""
        if step is None:
            if self._now is not None:
                self._now.hide()
            return
        if self._now is None:
            self._now = self.plot.add_aid(pg.InfiniteLine(angle=90, movable=False))
        self._now.show()
        # Painting the plot takes longer than most steps: only when something is to be seen.
        if abs(step - self._now.value()) >= self.planned / _MARKS or step == self.planned:
            self._now.setPos(step)


def schedule(settings: TrainingSettings) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Steps, and the learning rate of each; the end of the warm-up is among them."""
    chosen = np.linspace(1, settings.steps, min(_POINTS, settings.steps)).round().astype(int)
    turn = min(max(1, settings.warmup_steps), settings.steps)
    steps = np.unique(np.append(chosen, turn))
    return steps, np.array([learning_rate_at(settings, int(step)) for step in steps])


def _in_words(settings: TrainingSettings) -> str:
    last = learning_rate_at(settings, settings.steps)
    if settings.steps <= settings.warmup_steps:
        return f"Rises to {last:.3g}; the training ends before the warm-up does."
    return (
        f"Rises to {settings.learning_rate:.3g} at step {max(1, settings.warmup_steps):,}, "
        f"falls to {last:.3g} at step {settings.steps:,}."
    )
