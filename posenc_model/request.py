"""What a run is asked for. Imports no torch, so that the window can build one at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from posenc_model.options import Choice, Option
from posenc_model.settings import Settings

# Longer texts are cut.
MAX_TOKENS = 4096

EMPTY = "The text is empty: type a sentence to see how its words attend to each other."

# In place of a head's index: the mean over all heads of the layer.
MEAN_HEAD = -1

# What becomes of the weights of all layers and heads.
KEEP_BY_SIZE, KEEP_ALL, KEEP_NONE = "auto", "all", "none"
_KEEP = Option(
    name="keep",
    kind="choice",
    default=KEEP_BY_SIZE,
    label="Keep all weights",
    help="Whether the weights of all heads stay in memory: by size, always, or never.",
    choices=lambda: tuple(Choice(name, name) for name in (KEEP_BY_SIZE, KEEP_ALL, KEEP_NONE)),
)


@dataclass(frozen=True)
class RunRequest:
    """One text with all settings, captured when it was asked for.

    Attributes:
        id: Grows with each request, so that only the newest result is shown.
        text: The source text.
        settings: Everything else that determines the numbers.
        keep: Whether all weights stay in memory, which changes no number.
        masked: Which tokens, from 0, are hidden from a trained encoder, which then guesses them.

    Raises:
        PosencError: ``keep`` is not one of ``"auto"``, ``"all"`` and ``"none"``.
    """

    id: int
    text: str
    settings: Settings = field(default_factory=Settings)
    keep: str = KEEP_BY_SIZE
    masked: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _KEEP.check(self.keep)
