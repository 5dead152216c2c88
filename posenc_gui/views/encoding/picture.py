"""What the picture of an encoding is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from posenc_gui.figures.labels import arrow, quoted
from posenc_gui.figures.numbers import distance_words
from posenc_gui.plain_label import PlainLabel
from posenc_gui.training.fold import Fold
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.encodings.pictures import PictureNumbers
    from posenc_model.result import RunResult

PLOT_HEIGHT = 105


@dataclass(frozen=True, eq=False)
class Shown:
    """What a picture is to show.

    Attributes:
        result: The run.
        numbers: What it gives for the picture; ``None`` where the encoder is none of ours.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        query: Which token looks, from 0.
        key: Which token is looked at, from 0.
    """

    result: RunResult
    numbers: PictureNumbers | None
    layer: int
    head: int
    query: int
    key: int

    @property
    def distance(self) -> int:
        """Key minus query, in tokens."""
        return self.key - self.query

    @property
    def pair(self) -> str:
        """The pair and its distance: “‘a’ → ‘b’, distance +2”."""
        words = [token.text for token in self.result.tokens]
        pair = arrow(quoted(words, self.query), quoted(words, self.key))
        return f"{pair}, distance {distance_words(self.distance)}"

    @property
    def where(self) -> str:
        """The layer and head, for a sentence: “layer 1, head 3”."""
        head = "mean over heads" if self.head == MEAN_HEAD else f"head {self.head + 1}"
        return f"layer {self.layer + 1}, {head}"


class EncodingPicture(QWidget):
    """A sentence in plain words, the formula one click away, and plots.

    A subclass fills ``content`` and overrides :meth:`show_shown`.

    Attributes:
        uses_heads: Whether the layer and head matter.
        uses_pair: Whether the marked pair matters.
        formula: What the encoding computes, in a few lines.
    """

    uses_heads = True
    uses_pair = True
    formula = ""

    setting_wanted = Signal(str, object)
    work_wanted = Signal(str, object)

    def __init__(self, reference: str = "") -> None:
        super().__init__()
        self.shown: Shown | None = None
        self.sentence = PlainLabel()
        font = self.sentence.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.sentence.setFont(font)
        self.readout = PlainLabel(" ", "hint")
        self.fold = Fold("Formula", "What is computed, and where it was published")
        self.formula_label = PlainLabel(f"{self.formula}\n{reference}".strip())
        self.formula_label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.fold.content.addWidget(self.formula_label)
        self.fold.setVisible(bool(self.formula))
        self.content = QVBoxLayout(self)
        self.content.setContentsMargins(0, 2, 6, 2)
        self.content.setSpacing(4)
        self.content.addWidget(self.sentence)
        self.content.addWidget(self.readout)

    def show_shown(self, shown: Shown) -> None:
        """Shows another result, layer, head or pair."""
        raise NotImplementedError

    def take(self, name: str, given: object) -> None:
        """Takes what ``work_wanted`` asked for."""


class TitledPlot(QWidget):
    """A plot under a line that says what it is and, for an image, what its colours mean."""

    def __init__(self, title: str, plot: QWidget, scale: QWidget | None = None) -> None:
        super().__init__()
        self.heading = QLabel(title)
        self.heading.setProperty("role", "heading")
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setMinimumWidth(40)  # a long title is cut rather than the picture
        plot.setMinimumSize(120, PLOT_HEIGHT)
        line = QHBoxLayout()
        line.addWidget(self.heading)
        if scale is None:
            line.addStretch(1)
        else:
            line.addSpacing(8)
            line.addWidget(scale, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addLayout(line)
        column.addWidget(plot, 1)
