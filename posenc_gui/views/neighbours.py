"""The heads that look at the word before or after most: one click shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QToolButton, QWidget

from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.wording import percent

if TYPE_CHECKING:
    from posenc_model.overview import Overview

_SIDES = ("Word before:", "Word after:")
_TIP = "Shows the head that looks most at each word’s neighbour"


class NeighbourHeads(QWidget):
    """Two lines with a button each; empty where a text has one word only."""

    head_chosen = Signal(int, int)  # layer and head, from 0

    def __init__(self) -> None:
        super().__init__()
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(2)
        layout.setColumnStretch(1, 1)
        self.buttons: list[QToolButton] = []
        self._heads = [(0, 0), (0, 0)]
        for side, words in enumerate(_SIDES):
            button = QToolButton()
            button.setToolTip(_TIP)
            button.clicked.connect(self._on_previous if side == 0 else self._on_next)
            layout.addWidget(PlainLabel(words, "hint"), side, 0)
            layout.addWidget(button, side, 1)
            self.buttons.append(button)

    def show_overview(self, overview: Overview, tokens: int) -> None:
        """Names the heads with the largest mean weight on a neighbour."""
        self.setVisible(tokens > 1)
        for side, weights in enumerate((overview.previous, overview.next)):
            layer, head = np.unravel_index(int(weights.argmax()), weights.shape)
            self._heads[side] = (int(layer), int(head))
            weight = float(weights[layer, head])
            share = percent(weight) if weight else "0 %"
            self.buttons[side].setText(f"layer {layer + 1}, head {head + 1} ({share})")
            self.buttons[side].setAccessibleName(f"{_SIDES[side]} {self.buttons[side].text()}")

    def _on_previous(self) -> None:
        self.head_chosen.emit(*self._heads[0])

    def _on_next(self) -> None:
        self.head_chosen.emit(*self._heads[1])
