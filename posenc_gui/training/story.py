"""What to watch, stage by stage, while the story tells itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from posenc_gui.training.wording import GOOD, listed
from posenc_model.training.lengths import percent

STORY_TASK = "recall"
TESTING = (
    "The training is over. Now the sentences get longer than any that was trained on: 20, 40, 80 "
    "and 160 words. Which encoders can still do it?"
)
# A head that puts this share of its attention on one place is said to look there.
_CLEAR = 0.3


def preparing(count: int, places: int) -> str:
    """Before the first step."""
    return (
        f"{count} encoders, the same but for their positional encoding, are about to learn one "
        f"task: at each place, name the word that stands {places} places to its left."
    )


def learning(
    accuracies: Mapping[str, float | None],
    learned_at: Mapping[str, int],
    attentions: Mapping[str, NDArray[np.float32]],
    places: int,
    kinds: int,
) -> str:
    """While steps are being made.

    Args:
        accuracies: For each encoding how often it is right now.
        learned_at: For those that have learned the task the step at which they had.
        attentions: For each encoding its weights [layers, heads, n, n].
        places: How far away the word is that has to be named.
        kinds: How many different words there are.
    """
    if not learned_at:
        return (
            f"At first all of them guess: of {kinds} words one is right by chance "
            f"({percent(1 / kinds)}). Watch the accuracy: which line leaves the others behind?"
        )
    done = listed([f"{name} at step {step}" for name, step in learned_at.items()])
    said = f"More than {percent(GOOD)} right: {done}."
    first = next(iter(learned_at))
    if first in attentions:
        head, share = best_head(attentions[first], places)
        if share >= _CLEAR:
            said += (
                f" Look at the matrix of {first}: head {head} puts {percent(share)} of its "
                f"attention {places} places to the left, a bright line beside the diagonal."
            )
    others = [f"{name} ({percent(a)})" for name, a in accuracies.items() if a and a < GOOD]
    if others:
        said += f" Still learning: {listed(others)}."
    return said


def best_head(weights: NDArray[np.float32], places: int) -> tuple[int, float]:
    """The head of the first layer, from 1, that looks most at the word ``places`` to the left.

    Args:
        weights: [layers, heads, n, n].
        places: How far to the left.

    Returns:
        The head, and the mean share of its attention that goes there.
    """
    shares = weights[0].diagonal(-places, axis1=1, axis2=2)
    if not shares.size:
        return 1, 0.0
    means = shares.mean(axis=1)
    return int(means.argmax()) + 1, float(means.max())
