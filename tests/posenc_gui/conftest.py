"""The real window with the real model, small: two layers, two heads, width 16."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.app import make_application
from posenc_gui.main_window import MainWindow
from posenc_gui.preferences import Preferences, save_preferences
from posenc_gui.theme import LIGHT, apply_theme

SMALL = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}


@pytest.fixture(scope="session", autouse=True)
def application(qapp: QApplication) -> QApplication:
    """The application as the program makes it: fonts, style, theme."""
    return make_application()


def is_dark_now(application: QApplication) -> bool:
    return application.palette().base().color().lightness() < 128


@pytest.fixture(autouse=True)
def _light(application: QApplication) -> Iterator[None]:
    if is_dark_now(application):
        apply_theme(application, LIGHT)
    yield
    application.clipboard().clear()
    # Closed windows go at once: each that lives makes the next theme slower.
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def _nothing_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figure dialog is made when it is needed: a test that takes long has no other widgets."""
    monkeypatch.setattr("posenc_gui.saving.PREPARE_AFTER_MS", 10**8)


@pytest.fixture(scope="session", autouse=True)
def _no_collection_in_the_middle() -> Iterator[None]:
    """Keeps the garbage collector out of event handlers.

    Each test leaves closed windows behind, and destroying those of earlier tests in the middle of
    another's event was seen to abort the process. A user's program has one window, to its end.
    """
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _collected_between_tests() -> Iterator[None]:
    yield
    gc.collect()


@pytest.fixture
def small() -> dict[str, Any]:
    """The settings that windows of these tests start with."""
    return dict(SMALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where windows of one test keep their preferences."""
    return tmp_path / "preferences"


@pytest.fixture
def shown(qtbot) -> Callable[..., None]:
    """Waits until a window shows the result for a text and settings, and runs nothing more."""

    def wait(window: MainWindow, text: str | None = None, **settings: Any) -> None:
        def check() -> None:
            result = window.attention_view.result
            assert result is not None
            assert text is None or result.request.text == text
            flat = result.request.settings.flat()
            assert {name: flat.get(name) for name in settings} == settings
            assert not window.controller.is_busy
            assert window.attention_view.figure() is not None

        qtbot.waitUntil(check, timeout=30_000)

    return wait


@pytest.fixture
def open_window(qtbot, folder, shown) -> Callable[..., MainWindow]:
    """Opens a window and waits for its first picture.

    ``text`` and other preferences are put into the preferences file first; without any, the file
    is left as it is.
    """

    def opened(
        text: str | None = None,
        given: dict[str, Any] | None = None,
        *,
        wait: bool = True,
        **preferences: Any,
    ) -> MainWindow:
        if text is not None or preferences:
            stored = Preferences(text=text, **preferences)
            save_preferences(folder / "preferences.json", stored)
        window = MainWindow(folder, {**SMALL, **(given or {})})
        qtbot.addWidget(window)
        window.show()
        if wait:
            shown(window, text)
        return window

    return opened


@pytest.fixture
def do() -> Callable[[MainWindow, str], QAction]:
    """Triggers an action of a window's menus by what the menu says."""

    def find(window: MainWindow, name: str) -> QAction:
        named = [a for a in window.findChildren(QAction) if a.text().replace("&", "") == name]
        assert len(named) == 1, f"{name}: {len(named)} actions"
        named[0].trigger()
        return named[0]

    return find


@pytest.fixture
def hover() -> Callable[[QWidget, QPointF], None]:
    """Moves the mouse to a point of a widget."""

    def move(widget: QWidget, point: QPointF) -> None:
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            QPointF(point),
            QPointF(widget.mapToGlobal(point.toPoint())),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(widget, event)

    return move


class Gate:
    """A run that does the real work but waits in the middle, once the gate is shut.

    Attributes:
        texts: The texts of the runs that began, in order.
        ignores_cancel: Whether a waiting run goes on after it was cancelled, until opened.
    """

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run
        self._open = threading.Event()
        self._open.set()
        self.texts: list[str] = []
        self.ignores_cancel = False

    def shut(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()

    def __call__(
        self,
        request: Any,
        is_cancelled: Callable[[], bool] = lambda: False,
        on_progress: Callable[[float], None] = lambda share: None,
    ) -> Any:
        self.texts.append(request.text)
        if not self._open.is_set():
            on_progress(0.25)
            while not self._open.wait(0.005):
                if is_cancelled() and not self.ignores_cancel:
                    break
        if self.ignores_cancel:
            return self._run(request)
        return self._run(request, is_cancelled, on_progress)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Stands in for the model's ``run``: lets runs through until it is shut."""
    import posenc_model.run

    gate = Gate(posenc_model.run.run)
    monkeypatch.setattr("posenc_model.run.run", gate)
    yield gate
    gate.open()
