"""Which layer and head all views show."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from posenc_model.request import MEAN_HEAD


class HeadChoice(QObject):
    """The chosen layer and head; ``changed`` says that they are others now.

    A result with fewer layers or heads than were chosen shows its last ones; the choice is
    remembered for the next result that has them.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted = (0, 0)
        self._is_mean = False
        self._sizes = (1, 1)

    @property
    def layer(self) -> int:
        """From 0."""
        return min(self._wanted[0], self._sizes[0] - 1)

    @property
    def one_head(self) -> int:
        """From 0; the single head that is chosen, also while the mean is shown."""
        return min(self._wanted[1], self._sizes[1] - 1)

    @property
    def head(self) -> int:
        """From 0, or ``MEAN_HEAD``."""
        return MEAN_HEAD if self._is_mean else self.one_head

    @property
    def layers(self) -> int:
        """How many layers there are to choose from."""
        return self._sizes[0]

    @property
    def heads(self) -> int:
        """How many heads there are to choose from."""
        return self._sizes[1]

    def fit(self, layers: int, heads: int) -> None:
        """Takes the sizes of a new result; ``changed`` is not emitted."""
        self._sizes = (layers, heads)

    def choose(self, layer: int, head: int) -> None:
        """Chooses a layer and a head, both from 0; out of range, the nearest.

        Args:
            layer: From 0.
            head: From 0, or ``MEAN_HEAD``, which keeps the single head in mind.
        """
        before = (self.layer, self.one_head, self._is_mean)
        self._is_mean = head == MEAN_HEAD
        one = self.one_head if head == MEAN_HEAD else max(0, min(head, self._sizes[1] - 1))
        self._wanted = (max(0, min(layer, self._sizes[0] - 1)), one)
        if (self.layer, self.one_head, self._is_mean) != before:
            self.changed.emit()

    def show_mean(self, is_mean: bool) -> None:
        """Shows the mean over the layer's heads, or the single head again."""
        self.choose(self.layer, MEAN_HEAD if is_mean else self.one_head)
