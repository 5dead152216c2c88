"""Training small encoders: tasks whose point is position, and masked words.

The registry of tasks, imported without torch. A task is a class in this package and one entry
here; forms and the command line are built from the entries.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posenc_model.options import Choice, Option

if TYPE_CHECKING:
    from posenc_model.training.tasks import Task


@dataclass(frozen=True)
class TaskInfo:
    """What is known of a task without loading it.

    Attributes:
        name: Its name everywhere (``"recall"``).
        title: What a form shows.
        summary: One plain sentence on what has to be learned.
        class_path: ``module:class`` of the implementation.
        options: The parameters of its own.
        defaults: The training settings that suit it better than the general defaults.
    """

    name: str
    title: str
    summary: str
    class_path: str
    options: tuple[Option, ...] = ()
    defaults: tuple[tuple[str, int | float | str], ...] = ()

    def load(self) -> type[Task]:
        module, _, name = self.class_path.partition(":")
        loaded: type[Task] = getattr(importlib.import_module(module), name)
        return loaded


_KINDS = Option(
    name="kinds",
    kind="int",
    default=14,
    minimum=2,
    maximum=26,
    label="Different words",
    help="How many different letters the made-up sentences are drawn from.",
)

_ALL = (
    TaskInfo(
        name="recall",
        title="recall the word k places to the left",
        summary="Each place has to name the word that stands k places to its left.",
        class_path="posenc_model.training.tasks:Recall",
        options=(
            _KINDS,
            Option(
                name="places",
                kind="int",
                default=10,
                minimum=1,
                maximum=100,
                label="Places to the left",
                help="How far away the word that has to be named is.",
            ),
        ),
    ),
    TaskInfo(
        name="reverse",
        title="reverse the sentence",
        summary="Each place has to name the word that stands there when the sentence is read "
        "backwards.",
        class_path="posenc_model.training.tasks:Reverse",
        options=(_KINDS,),
        defaults=(("num_layers", 2), ("steps", 1500)),
    ),
    TaskInfo(
        name="sort",
        title="sort the letters",
        summary="Each place has to name the letter that stands there once all letters are in the "
        "order of the alphabet.",
        class_path="posenc_model.training.tasks:Sort",
        options=(_KINDS,),
        defaults=(("num_layers", 2), ("steps", 1500)),
    ),
    TaskInfo(
        name="copy",
        title="copy the n-th word",
        summary="Every place has to name the n-th word of the sentence.",
        class_path="posenc_model.training.tasks:Copy",
        options=(
            _KINDS,
            Option(
                name="nth",
                kind="int",
                default=3,
                minimum=1,
                maximum=100,
                label="Which word",
                help="The place, counted from 1, of the word that has to be named.",
            ),
        ),
        # With one layer no place knows how far it is from the start, unless abs has told it.
        defaults=(("num_layers", 2), ("steps", 1500)),
    ),
    TaskInfo(
        name="masked",
        title="guess masked words of a text",
        summary="Some words of real sentences are hidden and have to be guessed from the others.",
        class_path="posenc_model.training.text:MaskedWords",
        options=(
            Option(
                name="text_file",
                kind="text",
                default="",
                label="Text file",
                help="A text file to learn from, or a folder of such files; an empty line "
                "separates documents.",
            ),
            Option(
                name="vocabulary_size",
                kind="int",
                default=10_000,
                minimum=10,
                maximum=50_000,
                label="Vocabulary",
                help="How many different words are known; the rarest are left out.",
            ),
            Option(
                name="masked_share",
                kind="float",
                default=0.15,
                minimum=0.01,
                maximum=0.9,
                label="Masked share",
                help="The share of the words that are hidden at a time.",
            ),
        ),
        defaults=(
            ("num_layers", 4),
            ("num_heads", 8),
            ("width", 128),
            ("steps", 2000),
            ("warmup_steps", 500),
            ("learning_rate", 1e-3),
            ("min_length", 4),
            ("max_length", 64),
        ),
    ),
)

TASKS: dict[str, TaskInfo] = {info.name: info for info in _ALL}


def task_choices() -> tuple[Choice, ...]:
    """The tasks as choices of an option."""
    return tuple(Choice(info.name, info.title, info.summary) for info in _ALL)
