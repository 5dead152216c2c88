"""What a picture is, whatever it shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QPainter

from posenc_gui.figures.style import Style


class Figure(Protocol):
    """A picture that can be painted into any area, on screen or into a file.

    Lengths are in units of the painter, in which exported type is always of the same size
    (:func:`~posenc_gui.figures.style.scale_of`).
    """

    @property
    def title(self) -> str:
        """A line above the picture; may be empty. :meth:`paint` does not paint it."""

    @property
    def caption(self) -> str:
        """What is shown and was computed, in a sentence or two."""

    def words(self) -> Iterable[str]:
        """All texts of the user's that are written in it, in full."""

    def height_for(self, width: float, style: Style) -> float:
        """How high it wants to be, so that nothing is squeezed and no room is left over."""

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        """Paints into an area of ``size`` whose origin is the painter's; not the ground."""
