"""The row of presets: looks with a name, those of the program and the user's own."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QInputDialog, QLabel, QToolButton, QWidget

from posenc_gui.figure_dialog.memory import clean_name, without_own_words
from posenc_model.exporters.look import PRESETS, Look
from posenc_model.options import Value


def ask_name(parent: QWidget, proposal: str) -> str:
    """Asks what a preset is called; empty if the user thinks better of it."""
    question = "Name of the preset (an existing one of yours is replaced):"
    name, is_given = QInputDialog.getText(parent, "Save preset", question, text=proposal)
    return clean_name(name) if is_given else ""


class PresetRow(QWidget):
    """Shows which preset the look is, and offers the others.

    Attributes:
        presets: The user's own by name.
    """

    chosen = Signal(object)  # values of a look by name
    presets_changed = Signal(object)  # the user's own by name

    def __init__(self) -> None:
        super().__init__()
        self.presets: dict[str, Look] = {}
        self._look: Look | None = None
        self._entries: list[tuple[str, Mapping[str, Value]]] = []  # own name or none, and values
        self.box = QComboBox()
        self.box.setAccessibleName("Preset")
        self.box.setPlaceholderText("as set below")
        self.box.setToolTip("Size and type for a paper’s columns or a slide, and looks you saved")
        self.box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.setMinimumContentsLength(10)
        self.save_button = QToolButton()
        self.save_button.setText("Save…")
        self.save_button.setToolTip("Saves the look as a preset, but words of your own")
        self.delete_button = QToolButton()
        self.delete_button.setText("&Delete")
        self.delete_button.setToolTip("Deletes the preset of yours that is chosen")
        label = QLabel("P&reset")
        label.setBuddy(self.box)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label)
        row.addWidget(self.box, 1)
        row.addWidget(self.save_button)
        row.addWidget(self.delete_button)
        self.box.activated.connect(self._on_chosen)
        self.save_button.clicked.connect(self._on_save)
        self.delete_button.clicked.connect(self._on_delete)

    def set_presets(self, presets: Mapping[str, Look]) -> None:
        """Takes the user's own presets."""
        self.presets = dict(presets)
        self._entries = [("", preset.values) for preset in PRESETS.values()]
        self.box.clear()
        self.box.addItems([preset.title for preset in PRESETS.values()])
        if presets:
            self.box.insertSeparator(self.box.count())
            self._entries.append(("", {}))
        for name in sorted(presets, key=str.lower):
            self.box.addItem(name)
            self._entries.append((name, presets[name].flat()))
        self._show()

    def show_look(self, look: Look) -> None:
        """Shows which preset a look is, if any."""
        self._look = look
        self._show()

    def _show(self) -> None:
        values = {} if self._look is None else without_own_words(self._look).flat()
        # The user's own are last and say more, so they go before the program's.
        for index in reversed(range(len(self._entries))):
            wanted = self._entries[index][1]
            if wanted and all(values.get(name) == value for name, value in wanted.items()):
                break
        else:
            index = -1
        self.box.setCurrentIndex(index)
        self.delete_button.setEnabled(bool(self._own_name()))
        self.save_button.setEnabled(self._look is not None)

    def _own_name(self) -> str:
        """The name of the preset of the user's own that is shown; empty where it is none."""
        index = self.box.currentIndex()
        return self._entries[index][0] if index >= 0 else ""

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        self.chosen.emit(self._entries[index][1])

    @Slot()
    def _on_save(self) -> None:
        name = ask_name(self, self._own_name())
        if name and self._look is not None:
            self.set_presets({**self.presets, name: without_own_words(self._look)})
            self.presets_changed.emit(self.presets)

    @Slot()
    def _on_delete(self) -> None:
        self.set_presets({n: look for n, look in self.presets.items() if n != self._own_name()})
        self.presets_changed.emit(self.presets)
