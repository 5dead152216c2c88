"""Errors that are meant for the user."""

from __future__ import annotations


class PosencError(Exception):
    """A mistake the user can put right, as one sentence that can be shown as it is.

    Every other exception is a bug and must not be shown as if the user had made it.

    Attributes:
        sentence: What is wrong, with the value and what is allowed.
        setting: Name of the setting where the mistake was made (``"num_heads"``, ``"text"`` …),
            so that the sentence can be shown beside it; ``None`` where there is no such place.
    """

    def __init__(self, sentence: str, setting: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.setting = setting


class RunCancelled(Exception):  # noqa: N818 - not an error
    """The run was cancelled between two steps; it has no result."""
