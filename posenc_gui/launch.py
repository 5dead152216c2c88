"""Decides between the window and the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from posenc_model import cli
from posenc_model.errors import PosencError


def main(argv: Sequence[str] | None = None) -> int:
    """Starts the program; returns its exit code, 2 after a mistake on the command line."""
    try:
        arguments = cli.parse(sys.argv[1:] if argv is None else argv)
        if arguments.text is None:
            from posenc_gui.app import run_window

            return run_window(arguments.given)
        # Pictures are drawn by Qt, which needs no display for that.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        from posenc_gui.figures.exporters import PICTURE_EXPORTERS

        return cli.run_text(arguments, PICTURE_EXPORTERS)
    except PosencError as error:
        print(error.sentence, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
