"""What tells the encodings apart: name the token ten places to the left, with one layer.

An encoder that mixed its encodings up, or got a sign or a bucket wrong, would not show this. It is
the task ``recall`` as anybody trains it, with nothing set but the encoding; only not as long, since
``rel`` can do it after 200 steps and those that cannot are no better after a thousand.
"""

import pytest

from posenc_model.training.lengths import accuracy_at
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.trainer import Trainer


def accuracies(encoding: str, steps: int = 400, **options: int) -> dict[int, float]:
    """After training on lengths 12 to 20, the accuracy at 20 and at 40 words."""
    wanted = {"positional_encoding": encoding, "steps": steps, **options}
    trainer = Trainer(TrainingSettings.of(wanted))
    while trainer.done < trainer.settings.steps:
        trainer.step()
    return accuracy_at(trainer, (20, 40))


@pytest.mark.slow
def test_relative_vectors_reach_ten_places_at_any_length():
    found = accuracies("rel")
    assert found[20] >= 0.97
    assert found[40] >= 0.97


@pytest.mark.slow
def test_sinusoids_fit_the_lengths_they_saw_and_no_longer_ones():
    found = accuracies("abs", steps=800)
    assert found[20] >= 0.95
    assert found[40] <= 0.55


@pytest.mark.slow
def test_buckets_cannot_tell_ten_places_from_its_neighbours():
    assert accuracies("t5")[20] <= 0.45


@pytest.mark.slow
def test_relative_vectors_clipped_at_four_cannot_see_ten_places():
    assert accuracies("rel", clip_distance=4)[20] <= 0.35


@pytest.mark.slow
def test_without_position_nothing_but_the_commonest_word_can_be_named():
    assert accuracies("none")[20] <= 0.25
