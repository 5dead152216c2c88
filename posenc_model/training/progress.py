"""How far a training has come, as a terminal or a log shows it. Imports no torch."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from posenc_model.terminal import clear_line, is_watched, print_error, show_line
from posenc_model.training.lengths import percent

if TYPE_CHECKING:
    from posenc_model.training.session import Run, Session

WATCHED_SECONDS = 0.2
LOGGED_SECONDS = 15.0
_STEPS = 20  # one step's loss jumps about; this many are averaged


class Progress:
    """Shows a session's progress: one line that changes where somebody watches, else a log."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._watched = is_watched()
        self._shown = time.monotonic()

    def show(self) -> None:
        """Shows it where enough time has passed; called after every round."""
        now = time.monotonic()
        if now - self._shown < (WATCHED_SECONDS if self._watched else LOGGED_SECONDS):
            return
        self._shown = now
        if self._watched:
            show_line(progress_line(self._session, shutil.get_terminal_size().columns - 1))
        else:
            print_error(progress_line(self._session))

    def end(self) -> None:
        """Takes the line away that was last shown."""
        clear_line()


def progress_line(session: Session, columns: int = 1000) -> str:
    """Share, time left, step, and each encoding's loss and accuracy over its last steps.

    Args:
        session: With at least one step made.
        columns: How long it may be; where it would be longer, the losses are left out.
    """
    made = min(run.trainer.done for run in session.runs)
    planned = max(run.trainer.settings.steps for run in session.runs)
    left = session.seconds_left
    start = f"{int(100 * session.share_done):3} %"
    if left is not None:
        start += f", {in_words(left)} left"
    start += f", step {made:,} of {planned:,}: "
    runs = [run for run in session.runs if run.curve]
    full = start + ", ".join(_state(run, with_loss=True) for run in runs)
    return full if len(full) <= columns else start + ", ".join(_state(run) for run in runs)


def _state(run: Run, with_loss: bool = False) -> str:
    """``abs loss 0.123 98 % right``, or ``abs 98 %``."""
    last = run.curve[-_STEPS:]
    loss = sum(step.loss for step in last) / len(last)
    accuracy = percent(sum(step.accuracy for step in last) / len(last))
    return f"{run.name} loss {loss:.3f} {accuracy} right" if with_loss else f"{run.name} {accuracy}"


def in_words(seconds: float) -> str:
    """``2 h 5 min``, ``3 min``, ``40 s``."""
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
