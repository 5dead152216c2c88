"""Fields for the layer and head, for any view that shows one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSpinBox, QWidget

from posenc_gui.head_choice import HeadChoice


class HeadControls(QWidget):
    """Shows and changes a :class:`HeadChoice`."""

    def __init__(self, choice: HeadChoice, has_mean: bool = True) -> None:
        super().__init__()
        self._choice = choice
        self.layer_box = self._number_box("Layer", "Alt+Up, Alt+Down")
        self.head_box = self._number_box("Head", "Alt+Left, Alt+Right")
        self.mean_box = QCheckBox("Mean")
        self.mean_box.setToolTip("Shows the mean over all heads of the layer (Alt+M)")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for name, box in (("&Layer", self.layer_box), ("&Head", self.head_box)):
            label = QLabel(name)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box)
        row.addWidget(self.mean_box)
        self.mean_box.setVisible(has_mean)
        self.layer_box.valueChanged.connect(self._on_numbers_changed)
        self.head_box.valueChanged.connect(self._on_numbers_changed)
        self.mean_box.toggled.connect(choice.show_mean)
        choice.changed.connect(self.refresh)
        self.refresh()

    @staticmethod
    def _number_box(name: str, keys: str) -> QSpinBox:
        box = QSpinBox()
        box.setMinimum(1)
        box.setAccessibleName(name)
        box.setToolTip(f"{name} ({keys})")
        return box

    @Slot()
    def refresh(self) -> None:
        """Shows what is chosen, and from how many."""
        choice = self._choice
        blockers = [QSignalBlocker(w) for w in (self.layer_box, self.head_box, self.mean_box)]
        self.layer_box.setMaximum(choice.layers)
        self.head_box.setMaximum(choice.heads)
        self.layer_box.setValue(choice.layer + 1)
        self.head_box.setValue(choice.one_head + 1)
        is_mean = choice.head != choice.one_head
        self.mean_box.setChecked(is_mean)
        self.head_box.setEnabled(not is_mean)
        del blockers

    @Slot()
    def _on_numbers_changed(self) -> None:
        head = self._choice.head if self.mean_box.isChecked() else self.head_box.value() - 1
        self._choice.choose(self.layer_box.value() - 1, head)
