"""Measuring several things in turns, so that whatever else the machine does hits them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of each round.

    Attributes:
        rounds: One number a round.
    """

    rounds: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.rounds)

    def ratio_of_minima(self, other: Timing) -> float:
        return self.best / other.best

    def median_ratio(self, other: Timing) -> float:
        """The median of the ratios of each round."""
        pairs = zip(self.rounds, other.rounds, strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs)


def in_turns(
    candidates: Mapping[str, Callable[[], object]], rounds: int, warm_up: int = 1
) -> dict[str, Timing]:
    """Times each candidate once a round, in an order that turns from round to round."""
    names = list(candidates)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-warm_up, rounds):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            began = time.perf_counter()
            candidates[name]()
            took = time.perf_counter() - began
            if number >= 0:
                seconds[name].append(took)
    return {name: Timing(tuple(values)) for name, values in seconds.items()}
