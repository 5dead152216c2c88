"""Orders of words: which word of a text stands at each place, and how that is changed."""

from __future__ import annotations

import numpy as np

Order = tuple[int, ...]


def moved(order: Order, start: int, end: int) -> Order:
    """The word at ``start`` comes to the place ``end``; those between make room."""
    rest = order[:start] + order[start + 1 :]
    return (*rest[:end], order[start], *rest[end:])


def repeated(order: Order, place: int) -> Order:
    """The word at ``place`` stands there twice, side by side."""
    return (*order[: place + 1], *order[place:])


def without(order: Order, place: int) -> Order:
    """The word at ``place`` is gone."""
    return order[:place] + order[place + 1 :]


def shuffled(order: Order, seed: int) -> Order:
    """The same words in an order drawn from the seed, whatever order they have now.

    Where that is the very order they have, the next that the seed gives.
    """
    words = sorted(order)
    if words[0] == words[-1]:
        return order
    generator = np.random.default_rng(seed)
    while True:
        drawn = tuple(int(word) for word in generator.permutation(words))
        if drawn != order:
            return drawn
