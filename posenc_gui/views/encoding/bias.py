"""A plot of a bias by distance, one line for each head."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from posenc_gui.figures.chart import steps
from posenc_gui.views.encoding.plot import PointedPlot
from posenc_model.encodings.pictures import chosen_bias

_HEAD = "head "


class BiasPlot(PointedPlot):
    """All heads thin, the chosen one (or their mean) thick."""

    def __init__(self) -> None:
        super().__init__("distance (key − query)", "adds to the score", "Bias by distance")

    def show_bias(
        self, distances: NDArray[np.int64], bias: NDArray[np.floating], head: int
    ) -> None:
        """Draws a bias.

        Args:
            distances: Key minus query [m].
            bias: [heads, m].
            head: The chosen head, or ``MEAN_HEAD``.
        """
        for number, line in enumerate(bias):
            self.draw(f"{_HEAD}{number}", *steps(distances, line), "many")
        self.erase_from(_HEAD, len(bias))
        self.draw("chosen", *steps(distances, chosen_bias(bias, head)))
        low, high = min(0.0, float(bias.min())), max(0.0, float(bias.max()))
        self.show_range(
            (float(distances[0]) - 0.5, float(distances[-1]) + 0.5), (low, max(high, low + 1e-6))
        )
