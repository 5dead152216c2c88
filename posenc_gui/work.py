"""Work outside the GUI thread that can be ended early."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Work:
    """A function that is asked for once, and gives up when nobody wants its result any longer.

    Args:
        function: Is called with a function that says whether to give up, by raising
            :class:`~posenc_model.errors.RunCancelled`; touches no widget.
    """

    def __init__(self, function: Callable[[Callable[[], bool]], object]) -> None:
        self._function = function
        self._cancelled = threading.Event()

    def __call__(self) -> object:
        return self._function(self._cancelled.is_set)

    def cancel(self) -> None:
        """Has it give up at its next step."""
        self._cancelled.set()
