"""What stands in the place of the curves before the first training."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from posenc_gui.plain_label import PlainLabel

_PARTS = (
    (
        "Watch encoders learn",
        "Encoders that differ in their positional encoding only learn one task side by side, on "
        "this computer, from random weights. “Tell the story” shows it with one click; or choose "
        "a task on the left and press “Start”.",
    ),
    (
        "Here, above: how well they do",
        "Two curves for each encoding, step by step. The loss says how surprised it is by the "
        "right answers (lower is better), the accuracy how often it is right.",
    ),
    (
        "Here, below: what they look at",
        "The attention of one sentence, for each encoding, as it changes while they learn.",
    ),
    (
        "Under “Length test”: what remains on longer sentences",
        "Once a training is over, the length test asks its encoders about sentences that are up to "
        "eight times as long as those they have seen.",
    ),
    (
        "On the left, at the bottom: the learning rate",
        "How large the steps are, from the first to the last; it follows the settings above it.",
    ),
)


class Intro(QWidget):
    """Says what will be seen where."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 12, 32, 12)
        column.addStretch(1)
        for title, words in _PARTS:
            heading = QLabel(title)
            heading.setProperty("role", "heading")
            heading.setTextFormat(Qt.TextFormat.PlainText)
            column.addWidget(heading)
            column.addWidget(PlainLabel(words))
            column.addSpacing(8)
        column.addStretch(2)
