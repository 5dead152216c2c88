"""The length test: what was learned on short sentences, asked on longer ones. Imports no torch.

Press et al. 2022 (arXiv:2108.12409, figure 1) report that sinusoidal positions fail soon after the
training length and that biases by distance hold on longer. Kazemnejad et al. 2023
(arXiv:2305.19466) compare encodings in decoders on made-up tasks: none of them generalises to
longer inputs on all tasks; T5's relative bias is the best of the explicit ones, and decoders
without any encoding do at least as well, which cannot hold for an encoder, which has no causal
mask to tell position from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.training import TASKS
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.tasks import Batch, LetterTask

if TYPE_CHECKING:
    from posenc_model.training.trainer import Trainer

LENGTHS = (20, 40, 80, 160)
REPORTED = (
    "Press et al. 2022 report that sinusoidal positions (abs) fail soon after the training length "
    "while biases by distance hold on longer; Kazemnejad et al. 2023 report that, in decoders, no "
    "encoding copes with longer inputs on every task, and that T5’s bias (t5) is the best of the "
    "explicit ones."
)
_SENTENCES = 200
# From which share of right answers on a task counts as learned, and how much of what was learned
# has to be left at a longer length to count as holding.
_LEARNED = 0.9
_HOLDS = 0.9


def refuse_texts(task: str) -> None:
    """Refuses a task whose sentences cannot have any length.

    Args:
        task: Its name.

    Raises:
        PosencError: It is such a task.
    """
    if not issubclass(TASKS[task].load(), LetterTask):
        raise PosencError(
            "The length test needs a task of made-up sentences, which can have any length; "
            "a text cannot be made longer.",
            "task",
        )


def accuracy_at(
    trainer: Trainer,
    lengths: Sequence[int] = LENGTHS,
    check: Callable[[], None] = lambda: None,
) -> dict[int, float]:
    """Share of words named rightly in sentences of each length, the same sentences each time.

    Args:
        trainer: Trained, on a task whose sentences can have any length.
        lengths: Numbers of words.
        check: Called between batches; it may raise, to end the test.

    Raises:
        PosencError: The task has no sentences of any length, or a length is too short for it.
    """
    refuse_texts(trainer.settings.task)
    task = trainer.task
    assert isinstance(task, LetterTask)
    accuracies = {}
    for length in lengths:
        task.check(length, "lengths")
        generator = np.random.Generator(np.random.SFC64(12345))
        batch = task.of_length(length, _SENTENCES, generator)
        accuracies[length] = trainer.evaluate(_checked(batch.parts(), check))[1]
    return accuracies


def _checked(batches: Iterable[Batch], check: Callable[[], None]) -> Iterator[Batch]:
    for batch in batches:
        check()
        yield batch


def why_hard(settings: TrainingSettings) -> str:
    """Why an encoding cannot do the task well, as a sentence; empty where nothing is known.

    A word a fixed number of places away can only be named if its distance is told from others.
    """
    places = dict(settings.task_options).get("places")
    if places is None:
        return ""
    info = ENCODINGS[settings.positional_encoding]
    alike = info.alike(dict(settings.encoding_options), -int(places))
    if alike is None:
        return ""
    first, last = alike
    span = f"from {first} places on" if last is None else f"{first} to {last} places away"
    return (
        f"To {info.name}, with these settings, all words {span} look alike, and the task asks for "
        f"the one {places} places away."
    )


def describe_lengths(results: Mapping[str, Mapping[int, float]], trained_to: int) -> str:
    """What a length test found, in plain sentences, and what was reported elsewhere.

    Args:
        results: For each encoding, the accuracy at each length, as :func:`accuracy_at` gives it;
            the lengths are the same for all.
        trained_to: The longest sentence of the training, in words.
    """
    if not results or not all(results.values()):
        return ""
    lengths = sorted(next(iter(results.values())))
    seen = [length for length in lengths if length <= trained_to]
    sentences = []
    if seen:
        near = seen[-1]
        known = "as in training" if near == trained_to else "no longer than in training"
        sentences.append(f"In sentences of {near} words, {known}, {_shares(results, near)}.")
    if lengths[-1] > trained_to:
        far = lengths[-1]
        times = f"{far / trained_to:.1f}".removesuffix(".0")
        sentence = (
            f"In sentences of {far} words, {times} times the longest of the training, "
            f"{_shares(results, far)}"
        )
        if seen:
            sentence += f": {_verdict(results, seen[-1], far)}"
        sentences.append(f"{sentence}.")
    return " ".join([*sentences, REPORTED])


def _shares(results: Mapping[str, Mapping[int, float]], length: int) -> str:
    """``rel names 99 % of the words asked for, abs 31 %``, the best first."""
    ranked = sorted(results, key=lambda name: -results[name][length])
    first, *rest = (f"{name} {{}}{percent(results[name][length])}" for name in ranked)
    return _joined(
        [first.format("names ") + " of the words asked for", *(one.format("") for one in rest)]
    )


def _verdict(results: Mapping[str, Mapping[int, float]], near: int, far: int) -> str:
    """Which encodings hold at the longer length, which do not, and which never learned it."""
    learned = [name for name in results if results[name][near] >= _LEARNED]
    holding = [name for name in learned if results[name][far] >= _HOLDS * results[name][near]]
    falling = [name for name in learned if name not in holding]
    missing = [name for name in results if name not in learned]
    said = []
    if holding:
        said.append(f"{_joined(holding)} {_verb(holding, 'holds', 'hold')} on")
    if falling:
        said.append(f"{_joined(falling)} {_verb(falling, 'does', 'do')} not")
    if missing:
        had = f"{_joined(missing)} had not learned the task"
        said.append(had + " in the first place" if learned else had)
    return _joined(said)


def percent(share: float) -> str:
    """``99 %``; 100 % only where nothing was wrong."""
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return f"{min(99.9, 100 * share):.1f} %"
    return f"{whole} %"


def _joined(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)


def _verb(names: Sequence[str], one: str, several: str) -> str:
    return one if len(names) == 1 else several
