"""What a run is asked for. Imports no torch, so that the window can build one at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from posenc_model.settings import Settings

# In place of a head's index: the mean over all heads of the layer.
MEAN_HEAD = -1


@dataclass(frozen=True)
class RunRequest:
    """One text with all settings, captured when it was asked for.

    Attributes:
        id: Grows with each request, so that only the newest result is shown.
        text: The source text.
        settings: Everything else.
    """

    id: int
    text: str
    settings: Settings = field(default_factory=Settings)
