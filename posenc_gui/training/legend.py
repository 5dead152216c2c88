"""Which line is which encoding."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from posenc_gui.training.lines import line_sample
from posenc_model.encodings import ENCODINGS


class Legend(QWidget):
    """A row of line samples, each with the name of its encoding."""

    def __init__(self) -> None:
        super().__init__()
        self._samples: dict[str, QLabel] = {}
        self._names: dict[str, QLabel] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 4, 0)
        for name, info in ENCODINGS.items():
            sample, label = QLabel(), QLabel(name)
            for widget in (sample, label):
                widget.setToolTip(info.title)
                layout.addWidget(widget)
            layout.addSpacing(12)
            self._samples[name], self._names[name] = sample, label
        layout.addStretch(1)
        self._draw()

    def show_names(self, names: Sequence[str]) -> None:
        """Shows these encodings only."""
        for name, label in self._names.items():
            label.setVisible(name in names)
            self._samples[name].setVisible(name in names)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        for name, sample in self._samples.items():
            sample.setPixmap(line_sample(name, self.palette()))
