"""The attention matrices of a fixed sentence while encoders learn; layer and head to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from posenc_gui.figures.colormaps import color_image
from posenc_gui.figures.matrix import UNIT_LEVELS
from posenc_gui.painting import painting
from posenc_gui.plain_label import PlainLabel
from posenc_gui.training.matrices import Matrices


class ScaleBar(QWidget):
    """The colours from weight 0 to weight 1."""

    def __init__(self, color_map: str) -> None:
        super().__init__()
        self.color_map = color_map
        self.setFixedSize(QSize(200, 18))
        self.setAccessibleName("Colours from weight 0 to weight 1")
        self.setToolTip("An attention weight says how much of one word goes into another: 0 to 1.")

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setPen(self.palette().text().color())
            middle = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, 0, 50, 18), middle | Qt.AlignmentFlag.AlignLeft, "weight 0")
            ramp = np.linspace(0, 1, 64, dtype=np.float32)[None]
            image = color_image(ramp, UNIT_LEVELS, self.color_map)
            start = self.fontMetrics().horizontalAdvance("weight 0") + 6
            painter.drawImage(QRectF(start, 4, self.width() - start - 16, 10), image)
            end = QRectF(self.width() - 12, 0, 12, 18)
            painter.drawText(end, middle | Qt.AlignmentFlag.AlignRight, "1")


class AttentionNow(QWidget):
    """What each encoder's chosen head looks at, as far as it has learned.

    Attributes:
        layer_box: The layer shown, from 1.
        head_box: The head shown, from 1.
    """

    def __init__(self, color_map: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self._attentions: dict[str, NDArray[np.float32]] = {}
        self.matrices = Matrices(color_map)
        self.scale = ScaleBar(color_map)
        self.layer_box = self._number_box("Layer")
        self.head_box = self._number_box("Head")
        self.hint = PlainLabel("", "hint")
        heading = QLabel("Attention")
        heading.setProperty("role", "heading")
        controls = QHBoxLayout()
        controls.addWidget(heading)
        controls.addSpacing(12)
        for name, box in (("L&ayer", self.layer_box), ("&Head", self.head_box)):
            label = QLabel(name)
            label.setBuddy(box)
            controls.addWidget(label)
            controls.addWidget(box)
            box.valueChanged.connect(self._on_chosen)
        controls.addSpacing(12)
        controls.addWidget(self.scale)
        controls.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(controls)
        layout.addWidget(self.hint)
        layout.addWidget(self.matrices, 1)

    @staticmethod
    def _number_box(name: str) -> QSpinBox:
        box = QSpinBox()
        box.setRange(1, 1)
        box.setAccessibleName(name)
        box.setToolTip(f"{name} of the encoders whose attention is shown")
        return box

    @property
    def attentions(self) -> dict[str, NDArray[np.float32]]:
        """For each encoding the newest weights [layers, heads, n, n]."""
        return self._attentions

    def set_color_map(self, color_map: str) -> None:
        self.matrices.color_map = self.scale.color_map = color_map
        self.matrices.update()
        self.scale.update()

    def begin(self, words: Sequence[str], is_cut: bool) -> None:
        """Starts anew with the words of the fixed sentence.

        Args:
            words: Its words.
            is_cut: Whether they are the beginning of a longer one.
        """
        self._words = tuple(words)
        self._attentions = {}
        part = f"The first {len(words)} words of one sentence" if is_cut else "One sentence"
        self.hint.setText(
            f"{part}, always the same. Rows are words that look (query), columns are words that "
            "are looked at (key)."
        )
        self._show()

    def show_attentions(self, attentions: Mapping[str, NDArray[np.float32]]) -> None:
        """Shows what the encoders do now: weights [layers, heads, n, n] of each encoding."""
        self._attentions = dict(attentions)
        layers, heads = next(iter(attentions.values())).shape[:2]
        self.layer_box.setMaximum(layers)
        self.head_box.setMaximum(heads)
        self._show()

    @Slot()
    def _on_chosen(self) -> None:
        self._show()

    def _show(self) -> None:
        layer, head = self.layer_box.value() - 1, self.head_box.value() - 1
        shown = {name: each[layer, head] for name, each in self._attentions.items()}
        self.matrices.show_matrices(self._words, shown)
