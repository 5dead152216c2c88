"""Loss and accuracy against steps, while they grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from posenc_gui.training.curve import SMOOTHED_STEPS, Curve
from posenc_gui.training.legend import Legend
from posenc_gui.training.plot import EDGE, Plot

if TYPE_CHECKING:
    from posenc_model.training.trainer import Step

_LOSS_TIP = (
    "How surprised an encoder is by the right answers: 0 where it is always sure of them. "
    f"Smoothed over about {SMOOTHED_STEPS} steps."
)
_ACCURACY_TIP = f"The share of right answers. Smoothed over about {SMOOTHED_STEPS} steps."


class CurvesView(QWidget):
    """Two plots side by side, a line for each encoding.

    Attributes:
        losses: For each encoding the curve of its loss.
        accuracies: For each encoding the curve of its accuracy, from 0 to 1.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.losses: dict[str, Curve] = {}
        self.accuracies: dict[str, Curve] = {}
        self.legend = Legend()
        self.loss_plot = Plot("step", "loss", self)
        self.loss_plot.setToolTip(_LOSS_TIP)
        self.accuracy_plot = Plot("step", "accuracy (%)", self)
        self.accuracy_plot.setToolTip(_ACCURACY_TIP)
        self.accuracy_plot.item.setYRange(0, 100, padding=EDGE)
        plots = QHBoxLayout()
        plots.addWidget(self.loss_plot)
        plots.addWidget(self.accuracy_plot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.legend)
        layout.addLayout(plots, 1)

    def begin(self, names: Sequence[str], chance: float | None) -> None:
        """Starts anew, with no step made.

        Args:
            names: The encodings.
            chance: The accuracy of guessing, where it is known.
        """
        self.losses = {name: Curve() for name in names}
        self.accuracies = {name: Curve() for name in names}
        self.legend.show_names(names)
        self.loss_plot.clear()
        self.accuracy_plot.clear()
        if chance is not None:
            line = pg.InfiniteLine(pos=100 * chance, angle=0, movable=False)
            self.accuracy_plot.add_aid(line)

    def add(self, name: str, steps: Sequence[Step]) -> None:
        """Adds what steps of an encoding gave; :meth:`draw` shows it."""
        for step in steps:
            self.losses[name].add(step.number, step.loss)
            self.accuracies[name].add(step.number, step.accuracy)

    def draw(self, planned: int) -> None:
        """Shows everything added so far, with room for ``planned`` steps."""
        highest = 1e-3
        for name, curve in self.losses.items():
            across, up = curve.points()
            self.loss_plot.set_line(name, across, up)
            highest = max([highest, *up.tolist()])
        for name, curve in self.accuracies.items():
            across, up = curve.points()
            self.accuracy_plot.set_line(name, across, 100 * up)
        for plot in (self.loss_plot, self.accuracy_plot):
            plot.item.setXRange(0, planned, padding=0.02)
        self.loss_plot.item.setYRange(0, highest, padding=EDGE)
