"""The length test: what was learned on short sentences, asked on longer ones.

Press et al. 2022 (arXiv:2108.12409, figure 1) report that sinusoidal positions fail soon after the
training length and that biases by distance hold on longer. Kazemnejad et al. 2023
(arXiv:2305.19466) compare encodings in decoders on made-up tasks: none of them generalises to
longer inputs on all tasks; T5's relative bias is the best of the explicit ones, and decoders
without any encoding do at least as well, which cannot hold for an encoder, which has no causal
mask to tell position from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from posenc_model.errors import PosencError
from posenc_model.training.tasks import LetterTask
from posenc_model.training.trainer import Trainer

LENGTHS = (20, 40, 80, 160)
_SENTENCES = 200


def accuracy_at(
    trainer: Trainer,
    lengths: Sequence[int] = LENGTHS,
    check: Callable[[], None] = lambda: None,
) -> dict[int, float]:
    """Share of words named rightly in sentences of each length, the same sentences each time.

    Args:
        trainer: Trained, on a task whose sentences can have any length.
        lengths: Numbers of words.
        check: Called between lengths; it may raise, to end the test.

    Raises:
        PosencError: The task has no sentences of any length, or a length is too short for it.
    """
    task = trainer.task
    if not isinstance(task, LetterTask):
        raise PosencError(
            "The length test needs a task of made-up sentences, which can have any length; "
            "a text cannot be made longer.",
            "task",
        )
    accuracies = {}
    for length in lengths:
        check()
        task.check(length)
        generator = np.random.Generator(np.random.SFC64(12345))
        batch = task.of_length(length, _SENTENCES, generator)
        accuracies[length] = trainer.evaluate([batch])[1]
    return accuracies
