import numpy as np
import pytest

from posenc_gui.training.schedule import ScheduleView, schedule
from posenc_model.training.settings import TrainingSettings, learning_rate_at


@pytest.mark.parametrize("kind", ["linear", "inverse-sqrt"])
@pytest.mark.parametrize(("steps", "warmup"), [(1, 0), (5, 100), (1000, 100), (10_000_000, 4000)])
def test_the_schedule_is_that_of_the_training(kind, steps, warmup):
    settings = TrainingSettings(steps=steps, warmup_steps=warmup, schedule=kind)
    chosen, rates = schedule(settings)
    assert chosen[0] == 1
    assert chosen[-1] == steps
    assert min(max(1, warmup), steps) in chosen
    assert len(chosen) <= 201
    np.testing.assert_array_equal(rates, [learning_rate_at(settings, int(s)) for s in chosen])


def test_it_is_said_in_words(qtbot):
    view = ScheduleView()
    qtbot.addWidget(view)
    view.show_settings(TrainingSettings(steps=400, warmup_steps=100, schedule="inverse-sqrt"))
    assert view.words.text() == "Rises to 0.003 at step 100, falls to 0.0015 at step 400."
    view.show_settings(TrainingSettings(steps=50, warmup_steps=100))
    assert "before the warm-up" in view.words.text()
    view.show_step(3)
    view.show_step(None)
