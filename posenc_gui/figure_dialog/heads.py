"""The field for layers and heads: the usual choices, and any others as text."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from posenc_gui.figure_dialog.fields import GroupField, LineField
from posenc_gui.panels.fields import Field
from posenc_model.exporters.spec import numbers_text, parse_numbers
from posenc_model.options import Option
from posenc_model.request import MEAN_HEAD

Numbers = tuple[int, ...] | None

WHICH = Option(
    "heads",
    "choice",
    "one",
    "Heads",
    "Which heads the picture shows.",
)
LAYERS = Option("layers", "text", "1", "Layers", "Such as 3, 1-4,7 or all; layers count from 1.")
HEADS = Option("heads", "text", "1", "Heads", "Such as 3, 1-4,7, all or mean; heads count from 1.")
_ONE, _LAYER, _ALL, _OWN = "one", "layer", "all", "own"


def with_hyphens(numbers: str) -> str:
    """Numbers with the sign that is read as “to”, where a longer dash was typed or pasted."""
    return re.sub("[\u2010-\u2015\u2212]", "-", numbers)


class HeadsField(GroupField):
    """Gives layers and heads as :class:`~posenc_model.exporters.spec.Spec` has them."""

    def __init__(self) -> None:
        super().__init__()
        self._one = (0, 0)
        self.which = QComboBox()
        self.which.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.which.setMinimumContentsLength(12)
        for data in (_ONE, _LAYER, _ALL, _OWN):
            self.which.addItem("", data)
        self.layers, self.heads = (
            LineField(LAYERS, "1-4,7 or all"),
            LineField(HEADS, "3, all, mean"),
        )
        self._typed = QWidget()
        typed = QFormLayout(self._typed)
        typed.setContentsMargins(0, 0, 0, 0)
        label = QLabel("La&yers")
        label.setBuddy(self.layers.line)
        typed.addRow(label, self.layers)
        typed.addRow("Heads", self.heads)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(Field(WHICH, self.which))
        column.addWidget(self._typed)
        self.setFocusProxy(self.which)
        self._typed.hide()
        self.set_one(0, 0)
        self.which.currentIndexChanged.connect(self._on_which)
        self.layers.changed.connect(self.changed)
        self.heads.changed.connect(self.changed)

    def set_one(self, layer: int, head: int) -> None:
        """Says which single head is meant by “this head”; both from 0, or ``MEAN_HEAD``."""
        self._one = (layer, head)
        which = "mean over heads" if head == MEAN_HEAD else f"head {head + 1}"
        for data, text in (
            (_ONE, f"this one: layer {layer + 1}, {which}"),
            (_LAYER, f"all heads of layer {layer + 1}"),
            (_ALL, "all layers and heads"),
            (_OWN, "others, typed"),
        ):
            self.which.setItemText(self.which.findData(data), text)
        if not self.is_typed():
            self._write(*self.value())

    def value(self) -> tuple[Numbers, Numbers]:
        """Layers and heads.

        Raises:
            PosencError: What was typed is neither.
        """
        kind = str(self.which.currentData())
        if kind != _OWN:
            return self._usual()[kind]
        layers = parse_numbers(LAYERS.name, with_hyphens(self.layers.value()))
        return layers, parse_numbers(HEADS.name, with_hyphens(self.heads.value()))

    def set_value(self, value: Any) -> None:
        layers, heads = value
        usual = self._usual().items()
        kind = next((one for one, same in usual if same == (layers, heads)), _OWN)
        self._write(layers, heads)
        self.which.setCurrentIndex(self.which.findData(kind))
        self.changed.emit()

    def _usual(self) -> dict[str, tuple[Numbers, Numbers]]:
        layer, head = self._one
        return {_ONE: ((layer,), (head,)), _LAYER: ((layer,), None), _ALL: (None, None)}

    def _write(self, layers: Numbers, heads: Numbers) -> None:
        blockers = [QSignalBlocker(line) for line in (self.layers, self.heads)]
        self.layers.set_value(numbers_text(layers))
        self.heads.set_value(numbers_text(heads))
        del blockers

    def choose_one(self) -> None:
        """Chooses “this head”."""
        self.which.setCurrentIndex(self.which.findData(_ONE))

    def is_typed(self) -> bool:
        """Whether the user has named others than the usual ones."""
        return bool(self.which.currentData() == _OWN)

    @Slot()
    def _on_which(self) -> None:
        if not self.is_typed():  # what is chosen now is where typing begins
            self._write(*self.value())
        self._typed.setVisible(self.is_typed())
        self.changed.emit()
