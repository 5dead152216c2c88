"""Decides between the window and the command line."""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Mapping, Sequence

from posenc_model import cli
from posenc_model.errors import PosencError
from posenc_model.exporters import Exporter
from posenc_model.training import cli as training


def main(argv: Sequence[str] | None = None) -> int:
    """Starts the program; returns its exit code, 2 after a mistake on the command line."""
    argv = sys.argv[1:] if argv is None else argv
    try:
        if argv and argv[0] in training.COMMANDS:
            code = training.COMMANDS[argv[0]](argv[1:])
            sys.stdout.flush()
            return code
        arguments = cli.parse(argv)
        if arguments.many is not None:
            from posenc_model.batch import run_batch

            code = run_batch(arguments, picture_exporters if arguments.draws else dict)
        elif arguments.text is not None:
            from posenc_model.cli_run import run_text

            code = run_text(arguments, picture_exporters() if arguments.draws else {})
        else:
            _require_display()
            from posenc_gui.app import run_window

            return run_window(arguments.given, arguments.state)
        sys.stdout.flush()
        return code
    except PosencError as error:
        print(error.sentence, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever reads the output has seen enough; Python would complain when it closes it.
        _drop_output()
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print("The output could not be written: the disk is full.", file=sys.stderr)
        _drop_output()
        return 1


def picture_exporters() -> Mapping[str, Exporter]:
    """The exporters of pictures, by suffix, ready to draw without a display."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from posenc_gui.figures.exporters import PICTURE_EXPORTERS

    _application()
    return PICTURE_EXPORTERS


@functools.lru_cache(maxsize=1)  # each new one would look for its fonts again
def _application() -> object:
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication.instance() or QGuiApplication(["posenc"])


def _drop_output() -> None:
    """Has what is still to be printed go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _require_display() -> None:
    """Says in a sentence what Qt would say in a page before it aborts.

    Raises:
        PosencError: There is none.
    """
    if sys.platform != "linux" or "QT_QPA_PLATFORM" in os.environ:
        return
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        raise PosencError(
            "There is no display to open a window on; "
            "with “--text TEXT” the program runs without one, see --help."
        )
