"""The real Train window with real training, tiny."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from posenc_gui.training.runner import State
from posenc_gui.training.window import TrainWindow

TINY = {"num_layers": 1, "num_heads": 2, "width": 16, "steps": 20, "batch_tokens": 64}


@pytest.fixture
def fill() -> Callable[..., None]:
    """Fills a window's form with tiny sizes and other values."""

    def set_values(window: TrainWindow, *encodings: str, **values: Any) -> None:
        form = window.form
        form.boxes.choose(encodings or ("t5", "abs"))
        rows = {**form.common.rows, **form.more.rows, **form.tasks[form.task_name].rows}
        for name, value in {**TINY, **values}.items():
            rows[name].field.set_value(value)

    return set_values


@pytest.fixture
def window(qtbot, fill) -> Iterator[TrainWindow]:
    made = TrainWindow("viridis")
    qtbot.addWidget(made)
    made.show()
    fill(made)
    yield made
    made.shut_down()


@pytest.fixture
def reaches(qtbot) -> Callable[[TrainWindow, State], None]:
    """Waits until a window's training is in a state."""

    def wait(window: TrainWindow, state: State) -> None:
        def check() -> None:
            assert window.runner.state is state

        qtbot.waitUntil(check, timeout=60_000)

    return wait


@pytest.fixture
def makes_steps(qtbot) -> Callable[..., None]:
    """Waits until a window has shown at least so many steps."""

    def wait(window: TrainWindow, count: int = 3) -> None:
        def check() -> None:
            shown = [len(curve) for curve in window.curves.losses.values()]
            assert shown
            assert min(shown) >= count

        qtbot.waitUntil(check, timeout=60_000)

    return wait
