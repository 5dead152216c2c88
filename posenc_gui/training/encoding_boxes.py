"""Which encodings are trained side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from posenc_gui.plain_label import PlainLabel
from posenc_gui.training.lines import line_sample
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError

_HELP = "Each encoding gets an encoder of its own; all learn from the same sentences."
_NONE_CHOSEN = "Choose at least one encoding to train."


class EncodingBoxes(QWidget):
    """A check box for each encoding, with its line as it is drawn in the curves."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.boxes: dict[str, QCheckBox] = {}
        heading = QLabel("Train side by side")
        heading.setToolTip(_HELP)
        self.message = PlainLabel(role="error")
        self.message.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(heading)
        for name, info in ENCODINGS.items():
            box = QCheckBox(info.title)
            box.setToolTip(info.summary)
            box.setAccessibleDescription(info.summary)
            box.setIconSize(QSize(34, 14))
            box.setChecked(True)
            box.toggled.connect(self.changed)
            layout.addWidget(box)
            self.boxes[name] = box
        layout.addWidget(self.message)
        self._draw()

    def chosen(self) -> list[str]:
        """The names of the chosen encodings.

        Raises:
            PosencError: None is chosen.
        """
        names = [name for name, box in self.boxes.items() if box.isChecked()]
        if not names:
            raise PosencError(_NONE_CHOSEN, "positional_encoding")
        return names

    def choose(self, names: Sequence[str]) -> None:
        for name, box in self.boxes.items():
            box.setChecked(name in names)

    def show_message(self, sentence: str) -> None:
        """Shows a sentence beneath the boxes; an empty one hides it."""
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        for name, box in self.boxes.items():
            box.setIcon(QIcon(line_sample(name, self.palette())))
