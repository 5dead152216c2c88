"""The settings of a training and the schedule of its learning rate."""

import dataclasses
import inspect

import pytest

from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.training import TASKS, task_choices
from posenc_model.training.settings import TRAINING_SETTINGS, TrainingSettings, learning_rate_at


def test_the_fields_are_the_options_with_the_same_defaults():
    fields = {field.name: field.default for field in dataclasses.fields(TrainingSettings)}
    assert fields == {
        **{option.name: option.default for option in TRAINING_SETTINGS},
        "encoding_options": (),
        "task_options": (),
    }


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_flat_settings_give_the_same_settings_again(task, encoding):
    settings = TrainingSettings.of({"task": task, "positional_encoding": encoding, "seed": 3})
    flat = settings.flat()
    assert TrainingSettings.of(flat) == settings
    own = [*TRAINING_SETTINGS, *ENCODINGS[encoding].options, *TASKS[task].options]
    assert list(flat) == [option.name for option in own]


def test_a_task_brings_its_defaults_and_what_is_given_goes_before_them():
    assert TrainingSettings.of({"task": "masked"}).num_layers == 4
    assert TrainingSettings.of({"task": "masked", "num_layers": 2}).num_layers == 2
    assert TrainingSettings.of({}).num_layers == 1


@pytest.mark.parametrize("info", TASKS.values(), ids=TASKS)
def test_a_task_is_described_and_loaded_by_its_name(info):
    names = {option.name for option in TRAINING_SETTINGS}
    assert {name for name, _ in info.defaults} <= names
    assert info.summary.endswith(".")
    assert not inspect.isabstract(info.load())
    assert info.name in [choice.value for choice in task_choices()]


@pytest.mark.parametrize(
    ("values", "sentence", "setting"),
    [
        ({"steps": 0}, "steps is 0, but has to be a whole number from 1 to 10,000,000.", "steps"),
        (
            {"min_length": 14, "max_length": 13},
            "max_length is 13, but has to be at least min_length, which is 14.",
            "max_length",
        ),
        (
            {"batch_tokens": 19},
            "batch_tokens is 19, but has to be at least max_length, which is 20.",
            "batch_tokens",
        ),
        (
            {"clip_distance": 4},
            "clip_distance is not a setting of training t5 on the task recall.",
            "clip_distance",
        ),
        ({"nth": 4}, "nth is not a setting of training t5 on the task recall.", "nth"),
        (
            {"task": "chess"},
            "task is “chess”, but has to be one of recall, reverse, sort, copy, masked.",
            "task",
        ),
        (
            {"max_distance": 8},
            "The maximum distance is 8, but with 32 buckets it has to be more than 8 "
            "(a quarter of the buckets).",
            "max_distance",
        ),
    ],
)
def test_a_wrong_value_is_refused_in_a_sentence(values, sentence, setting):
    with pytest.raises(PosencError) as refusal:
        TrainingSettings.of(values)
    assert (refusal.value.sentence, refusal.value.setting) == (sentence, setting)


def test_the_inverse_square_root_is_the_papers():
    """Vaswani et al. 2017, equation 3: D^−0.5 · min(step^−0.5, step · warmup^−1.5)."""
    width, warmup = 512, 4000
    highest = width**-0.5 * warmup**-0.5
    settings = TrainingSettings(
        learning_rate=highest, warmup_steps=warmup, schedule="inverse-sqrt", steps=100_000
    )
    for step in (1, 2, 100, 3999, 4000, 4001, 10_000, 100_000):
        expected = width**-0.5 * min(step**-0.5, step * warmup**-1.5)
        assert learning_rate_at(settings, step) == pytest.approx(expected, rel=1e-12)


def test_the_straight_line_ends_at_nothing_with_the_last_step():
    settings = TrainingSettings(
        learning_rate=1.0, warmup_steps=4, steps=12, schedule="linear", batch_tokens=64
    )
    rates = [learning_rate_at(settings, step) for step in range(1, 13)]
    rising, falling = [0.25, 0.5, 0.75, 1.0], [0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0.0]
    assert rates == pytest.approx([*rising, *falling])


@pytest.mark.parametrize("schedule", ["inverse-sqrt", "linear"])
def test_no_warm_up_starts_at_the_highest_rate(schedule):
    settings = TrainingSettings(learning_rate=0.5, warmup_steps=0, schedule=schedule)
    assert learning_rate_at(settings, 1) == pytest.approx(0.5, rel=2e-3)
    assert learning_rate_at(settings, 1) > learning_rate_at(settings, 2) > 0


def test_a_warm_up_longer_than_the_training_just_rises():
    settings = TrainingSettings(learning_rate=1.0, warmup_steps=100, steps=10, schedule="linear")
    assert learning_rate_at(settings, 10) == pytest.approx(0.1)
