"""The settings of a training, declared once. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from posenc_model.config import NUM_HEADS, NUM_LAYERS, POSITIONAL_ENCODING, SEED, WIDTH
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.options import Choice, Option, Value, check_all
from posenc_model.training import TASKS, task_choices

SCHEDULES = (
    Choice("inverse-sqrt", "as in the paper", "Rises, then falls with 1/√step; has no end."),
    Choice("linear", "down to zero", "Rises, then falls in a straight line to 0 at the last step."),
)
PRECISIONS = (
    Choice("float32", "single (float32)", "Exact, and the same on every kind of processor."),
    Choice("bfloat16", "mixed (bfloat16)", "Faster where the processor multiplies bfloat16."),
)

TASK = Option(
    name="task",
    kind="choice",
    default="recall",
    choices=task_choices,
    label="Task",
    help="What has to be learned.",
)
# Small enough to learn while one watches; a task may have other defaults.
_SMALL_LAYERS = replace(NUM_LAYERS, default=1)
_SMALL_HEADS = replace(NUM_HEADS, default=4)
_SMALL_WIDTH = replace(WIDTH, default=64, needs=None)
STEPS = Option(
    name="steps",
    kind="int",
    default=1000,
    minimum=1,
    maximum=10_000_000,
    label="Steps",
    help="How many batches are learned from.",
)
BATCH_TOKENS = Option(
    name="batch_tokens",
    kind="int",
    default=1024,
    minimum=16,
    maximum=65_536,
    label="Tokens a step",
    help="How many words of how ever many sentences are learned from at a time.",
)
LEARNING_RATE = Option(
    name="learning_rate",
    kind="float",
    default=3e-3,
    minimum=1e-7,
    maximum=1.0,
    label="Learning rate",
    help="The highest step size; it is reached at the end of the warm-up.",
)
WARMUP_STEPS = Option(
    name="warmup_steps",
    kind="int",
    default=100,
    minimum=0,
    maximum=10_000_000,
    label="Warm-up steps",
    help="Over how many steps the learning rate rises from 0 to its highest.",
)
SCHEDULE = Option(
    name="schedule",
    kind="choice",
    default="linear",
    choices=lambda: SCHEDULES,
    label="After the warm-up",
    help="How the learning rate falls after the warm-up.",
)
MIN_LENGTH = Option(
    name="min_length",
    kind="int",
    default=12,
    minimum=1,
    maximum=4096,
    label="Shortest",
    help="The fewest words a sentence has in training.",
)
MAX_LENGTH = Option(
    name="max_length",
    kind="int",
    default=20,
    minimum=2,
    maximum=4096,
    label="Longest",
    help="The most words a sentence has in training.",
)
PRECISION = Option(
    name="precision",
    kind="choice",
    default="float32",
    choices=lambda: PRECISIONS,
    label="Precision",
    help="The numbers that matrices are multiplied in while learning.",
)

TRAINING_SETTINGS: tuple[Option, ...] = (
    TASK,
    POSITIONAL_ENCODING,
    _SMALL_LAYERS,
    _SMALL_HEADS,
    _SMALL_WIDTH,
    STEPS,
    BATCH_TOKENS,
    LEARNING_RATE,
    WARMUP_STEPS,
    SCHEDULE,
    MIN_LENGTH,
    MAX_LENGTH,
    PRECISION,
    SEED,
)


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """What is trained, and how; checked when it is made.

    The fields are those of :data:`TRAINING_SETTINGS`, by the same names, and the parameters of the
    encoding and of the task as (name, value) pairs, complete, in declared order.

    Raises:
        PosencError: A value is not allowed.
    """

    task: str = "recall"
    positional_encoding: str = "t5"
    num_layers: int = 1
    num_heads: int = 4
    width: int = 64
    steps: int = 1000
    batch_tokens: int = 1024
    learning_rate: float = 3e-3
    warmup_steps: int = 100
    schedule: str = "linear"
    min_length: int = 12
    max_length: int = 20
    precision: str = "float32"
    seed: int = 0
    encoding_options: tuple[tuple[str, Value], ...] = ()
    task_options: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        for option in TRAINING_SETTINGS:
            option.check(getattr(self, option.name))
        info = ENCODINGS[self.positional_encoding]
        encoding_options = check_all(info.options, dict(self.encoding_options))
        info.check(encoding_options)
        object.__setattr__(self, "encoding_options", tuple(encoding_options.items()))
        task_options = check_all(TASKS[self.task].options, dict(self.task_options))
        object.__setattr__(self, "task_options", tuple(task_options.items()))
        if self.max_length < self.min_length:
            raise PosencError(
                f"max_length is {self.max_length}, but has to be at least min_length, "
                f"which is {self.min_length}.",
                "max_length",
            )
        if self.batch_tokens < self.max_length:
            raise PosencError(
                f"batch_tokens is {self.batch_tokens}, but has to be at least max_length, "
                f"which is {self.max_length}.",
                "batch_tokens",
            )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> TrainingSettings:
        """Settings from a flat mapping; what it leaves out is as the task prefers it.

        Raises:
            PosencError: A value or a name is not allowed.
        """
        task = TASKS[str(TASK.check(values.get("task", TASK.default)))]
        encoding = POSITIONAL_ENCODING.check(
            values.get("positional_encoding", POSITIONAL_ENCODING.default)
        )
        own: dict[str, Any] = dict(task.defaults)
        groups: dict[str, dict[str, Any]] = {"encoding_options": {}, "task_options": {}}
        known = {
            "encoding_options": {option.name for option in ENCODINGS[str(encoding)].options},
            "task_options": {option.name for option in task.options},
        }
        names = {field.name for field in fields(cls)}
        for name, value in values.items():
            group = next((group for group, members in known.items() if name in members), None)
            if group is not None:
                groups[group][name] = value
            elif name in groups:
                groups[name].update(dict(value))
            elif name in names:
                own[name] = value
            else:
                raise PosencError(
                    f"{name} is not a setting of training {encoding} on the task {task.name}.", name
                )
        own.update({group: tuple(chosen.items()) for group, chosen in groups.items()})
        return cls(**own)

    def flat(self) -> dict[str, Value]:
        """All settings by name, those of the encoding and of the task among them."""
        own = {option.name: getattr(self, option.name) for option in TRAINING_SETTINGS}
        return {**own, **dict(self.encoding_options), **dict(self.task_options)}


def learning_rate_at(settings: TrainingSettings, step: int) -> float:
    """The learning rate of a step, counted from 1.

    ``inverse-sqrt`` is Vaswani et al. 2017, section 5.3, equation 3, scaled so that the highest
    rate is ``learning_rate``: min(step/warmup, √(warmup/step)).
    """
    warmup = max(1, settings.warmup_steps)
    if step < warmup:
        return settings.learning_rate * step / warmup
    if settings.schedule == "linear":
        left = max(0, settings.steps - step) / max(1, settings.steps - warmup)
        return settings.learning_rate * min(1.0, left)
    return float(settings.learning_rate * (warmup / step) ** 0.5)
