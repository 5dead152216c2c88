"""The figure dialog by itself, with a small result and a real worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from posenc_gui.controller import Controller
from posenc_gui.figure_dialog.dialog import FigureDialog
from posenc_gui.figure_dialog.memory import FigureMemory
from posenc_model import encode
from posenc_model.exporters.look import Look
from posenc_model.exporters.spec import Spec
from posenc_model.result import RunResult

SMALL = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}


@pytest.fixture(scope="session")
def result() -> RunResult:
    """Three words, two layers, two heads."""
    return encode("one two three", **SMALL)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: Any) -> None:
    """A preview is asked for as soon as the changes that come together are over."""
    monkeypatch.setattr("posenc_gui.figure_dialog.dialog._PAUSE_MS", 0)


@pytest.fixture
def dialog(qtbot: Any, tmp_path: Any) -> Iterator[FigureDialog]:
    """A dialog that nothing has been shown in yet."""
    parent = QWidget()
    qtbot.addWidget(parent)
    controller = Controller()
    made = FigureDialog(controller, FigureMemory(), parent)
    made.folder = str(tmp_path)
    made.controller = controller
    yield made
    made.close()
    controller.shut_down()


@pytest.fixture
def settled(qtbot: Any) -> Callable[[FigureDialog], None]:
    """Waits until the dialog shows the picture, or the mistake, of what is set."""

    def wait(dialog: FigureDialog) -> None:
        qtbot.waitUntil(lambda: not dialog.is_waiting, timeout=20_000)

    return wait


@pytest.fixture
def begin(dialog: FigureDialog, settled: Any, result: RunResult) -> Callable[..., FigureDialog]:
    """Opens the dialog with a picture of the result."""

    def begun(
        look: dict[str, Any] | None = None,
        one: tuple[int, int] = (0, 0),
        note: str = "",
        *,
        of: RunResult | None = None,
        **spec: Any,
    ) -> FigureDialog:
        layers_heads = {"layers": (one[0],), "heads": (one[1],)}
        dialog.begin(
            of or result, Spec(**{**layers_heads, **spec}), Look(**(look or {})), one, note
        )
        settled(dialog)
        return dialog

    return begun
