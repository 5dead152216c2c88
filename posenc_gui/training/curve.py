"""A curve that grows while it is drawn: smoothed, and thinned out as it gets long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# About the mean of the last ten steps: enough to see a line, too little to hide what happens.
SMOOTHED_STEPS = 10
# More than a plot has pixels across would only take time to paint.
_MOST_POINTS = 800


class Curve:
    """Values against steps.

    Attributes:
        last: The newest smoothed value; ``None`` before the first.
    """

    def __init__(self) -> None:
        self.last: float | None = None
        self._sum = self._weight = 0.0
        self._every = 1
        self._steps: list[int] = []
        self._values: list[float] = []

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, step: int, value: float) -> None:
        """Adds the value of a step that comes after all others."""
        kept = 1 - 1 / SMOOTHED_STEPS
        # Divided by the sum of the weights, so that the first values are not drawn to 0.
        self._sum = kept * self._sum + value
        self._weight = kept * self._weight + 1
        self.last = self._sum / self._weight
        if step % self._every == 0 or not self._steps:
            self._steps.append(step)
            self._values.append(self.last)
        if len(self._steps) > _MOST_POINTS:
            self._every *= 2
            pairs = [
                p for p in zip(self._steps, self._values, strict=True) if not p[0] % self._every
            ]
            self._steps = [step for step, _ in pairs]
            self._values = [value for _, value in pairs]

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Steps and smoothed values."""
        return np.array(self._steps, dtype=float), np.array(self._values, dtype=float)
