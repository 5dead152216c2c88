"""The application: fonts, theme, logging, and what happens to an unexpected exception."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication

from posenc_gui.fonts import load_fonts
from posenc_gui.main_window import MainWindow
from posenc_gui.theme import SYSTEM, apply_theme, program_icon
from posenc_model.exporters.provenance import SavedState

_SIGNALS_EVERY_MS = 250


def make_application() -> QApplication:
    """The one QApplication, with fonts, style and theme."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(["posenc"])
    application.setApplicationName("posenc")
    application.setApplicationDisplayName("PosEnc")
    load_fonts()
    application.setStyle("Fusion")
    application.setWindowIcon(program_icon())
    apply_theme(application, SYSTEM)
    return application


def preferences_folder() -> Path:
    """Where preferences are kept on this system."""
    place = QStandardPaths.StandardLocation.AppConfigLocation
    return Path(QStandardPaths.writableLocation(place))


def install_bug_hook(window: MainWindow) -> None:
    """Shows an exception that nobody expected in a dialog instead of on the terminal alone."""

    def hook(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.close()
            return
        details = "".join(traceback.format_exception(kind, error, where))
        logging.getLogger("posenc").error(details)
        if threading.current_thread() is threading.main_thread():
            window.show_bug(details)

    sys.excepthook = hook


def close_on_interrupt(window: MainWindow) -> QTimer:
    """Closes the window in order when Ctrl+C is pressed in the terminal.

    Python looks for signals only between two of its own steps, of which an idle window takes none:
    hence the timer, which has to be kept.
    """
    signal.signal(signal.SIGINT, lambda number, frame: window.close())
    timer = QTimer()
    timer.timeout.connect(lambda: None)
    timer.start(_SIGNALS_EVERY_MS)
    return timer


def run_window(given: Mapping[str, Any], state: SavedState | None = None) -> int:
    """Opens the window and runs until it is closed; returns the exit code.

    Args:
        given: Settings by name that go before the remembered ones.
        state: What a saved file tells of, which is then shown.
    """
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    application = make_application()
    window = MainWindow(preferences_folder(), given, state)
    install_bug_hook(window)
    timer = close_on_interrupt(window)
    window.show()
    code = application.exec()
    timer.stop()
    return code
