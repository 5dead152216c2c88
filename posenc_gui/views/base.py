"""What a view is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.head_choice import HeadChoice
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_model.result import RunResult

# Down and right, for each arrow key that walks a grid.
ARROW_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class ResultView(QWidget):
    """Shows results and never asks for a run; how it shows them is its own affair.

    Args:
        choice: The layer and head that all views show; one of its own if ``None``.

    Attributes:
        title: What its tab says.
        pictures: What is exported of it, names in ``PICTURES``.
    """

    title: str
    pictures: tuple[str, ...] = ()

    # A task's name, unique among views, and what is to be done outside the GUI thread.
    work_wanted = Signal(str, object)
    row_marked = Signal(object, object)  # query or None, its weights or None
    setting_wanted = Signal(str, object)  # a setting's name and the value it should have
    # ``spec`` is another because something else than layer and head was chosen; not because what
    # was asked for came, or found its place.
    spec_chosen = Signal()

    def __init__(self, choice: HeadChoice | None = None) -> None:
        super().__init__()
        self.choice = HeadChoice(self) if choice is None else choice

    @classmethod
    def explanation(cls) -> str:
        """The name of the text about it among the explanations."""
        return f"views/{cls.title.lower().replace(' ', '-')}"

    def show_result(self, result: RunResult) -> None:
        """Shows a new result."""
        raise NotImplementedError

    def has_result(self) -> bool:
        """Whether a result is shown."""
        raise NotImplementedError

    def take(self, name: str, given: object) -> None:
        """Takes what ``work_wanted`` asked for; other views' names are none of its business."""

    def fail(self, name: str, sentence: str) -> None:
        """Is told why nothing came of what ``work_wanted`` asked for."""

    def clear(self, hint: str) -> None:
        """Shows no result but a sentence in its place."""
        raise NotImplementedError

    def mark_query(self, query: int | None) -> None:
        """Marks the row of one query, or none."""

    def mark_cell(self, cell: tuple[int, int] | None) -> None:
        """Takes the query and key that are marked in the matrix, or none."""

    def set_colors(self, color_map: str, full_scale: bool) -> None:
        """Sets the colour map, and whether the scale is 0–1, not up to the largest value."""

    def set_old(self, is_old: bool) -> None:
        """Marks what is shown as that of an earlier text or setting, while a long run goes on."""

    def spec(self) -> Spec:
        """What is shown now, as an export says it; the matrix where it has no picture of its own.

        Asked only while there is a result.
        """
        return self._spec("matrix")

    def spec_note(self) -> str:
        """What is shown but not exported, as a sentence; empty where all of it is."""
        if self.pictures:
            return ""
        return f"“{self.title}” has no picture to save, so this starts with the head’s matrix."

    def show_spec(self, spec: Spec) -> None:
        """Shows what an export of one of its ``pictures`` shows; layer and head are chosen."""

    def _spec(self, view: str, **values: Any) -> Spec:
        return Spec(
            **{"layers": (self.choice.layer,), "heads": (self.choice.head,), **values, "view": view}
        )

    def figure(self) -> MatrixFigure | None:
        """The picture as it is shown now; ``None`` where there is none."""
        return None
