"""The pair of tokens that pictures of encodings are about."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QWidget

from posenc_gui.figures.labels import visible

_LONGEST = 14


class _WordBox(QSpinBox):
    """A spin box over tokens that shows the word."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._words: Sequence[str] = ()
        self.setMinimum(1)
        self.setAccessibleName(name)
        self.setWrapping(False)

    def show_words(self, words: Sequence[str]) -> None:
        self._words = words
        self.setMaximum(max(1, len(words)))
        self.write_word()

    def write_word(self) -> None:
        place = self.value() - 1
        word = visible(self._words[place]) if place < len(self._words) else ""
        short = word if len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}…"
        self.setSuffix(f"  {short}")

    def stepBy(self, count: int) -> None:
        super().stepBy(count)
        self.write_word()

    def setValue(self, value: int) -> None:
        super().setValue(value)
        self.write_word()


class PairBoxes(QWidget):
    """Shows and changes the query and the key; ``changed`` says that somebody chose others."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.query_box, self.key_box = _WordBox("Query"), _WordBox("Key")
        tip = "Also: point at, or click, a cell of the matrix in “Attention”"
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for name, box in (("&Query", self.query_box), ("&Key", self.key_box)):
            box.setToolTip(tip)
            box.setFixedWidth(int(QFontMetricsF(box.font()).averageCharWidth() * 24))
            label = QLabel(name)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box)
            box.valueChanged.connect(self._on_changed)

    @property
    def pair(self) -> tuple[int, int]:
        """Query and key, from 0."""
        return self.query_box.value() - 1, self.key_box.value() - 1

    def show_pair(self, words: Sequence[str], pair: tuple[int, int]) -> None:
        """Shows a pair, without telling anybody."""
        for box, place in zip((self.query_box, self.key_box), pair, strict=True):
            blocker = QSignalBlocker(box)
            box.show_words(words)
            box.setValue(place + 1)
            del blocker

    @Slot()
    def _on_changed(self) -> None:
        for box in (self.query_box, self.key_box):
            box.write_word()
        self.changed.emit()
