"""A small dialog: which numbers are saved, and in what kind of file."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.plain_label import PlainLabel
from posenc_model.exporters import Exporter
from posenc_model.exporters.spec import Spec
from posenc_model.matrices import MATRICES
from posenc_model.request import MEAN_HEAD

_ONE, _ALL = "one", "all"


class DataDialog(QDialog):
    """Asks, and says what is wanted; a file dialog comes next.

    Args:
        kinds: The files that hold numbers, by suffix.
        spec: The head and matrix that the window shows.
        parent: The window.
    """

    wanted = Signal(str, object)  # suffix, Spec

    def __init__(self, kinds: Mapping[str, Exporter], spec: Spec, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save data")
        self._kinds, self._spec = kinds, spec
        self.kind_box, self.heads_box = QComboBox(), QComboBox()
        for suffix, kind in kinds.items():
            self.kind_box.addItem(kind.title, suffix)
        assert spec.layers is not None
        assert spec.heads is not None
        head = "mean over heads" if spec.heads == (MEAN_HEAD,) else f"head {spec.heads[0] + 1}"
        self.heads_box.addItem(f"this one: layer {spec.layers[0] + 1}, {head}", _ONE)
        self.heads_box.addItem("all layers and heads", _ALL)
        hint = PlainLabel(
            f"Saves the {MATRICES[spec.matrix].title} of all words, also where the window shows "
            "some of them only, and how all that was made.",
            "hint",
        )
        form = QFormLayout()
        form.addRow("&File", self.kind_box)
        form.addRow("&Heads", self.heads_box)
        buttons = QDialogButtonBox()
        self.save_button = buttons.addButton("&Save…", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton("&Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(hint)
        layout.addStretch(1)
        layout.addWidget(buttons)
        self.resize(420, self.sizeHint().height())
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        self.kind_box.currentIndexChanged.connect(self._on_kind)
        self._on_kind()

    @Slot()
    def _on_kind(self) -> None:
        takes_all = self._kinds[str(self.kind_box.currentData())].takes_all
        self.heads_box.setCurrentIndex(self.heads_box.findData(_ALL if takes_all else _ONE))

    @Slot()
    def _on_accepted(self) -> None:
        is_all = self.heads_box.currentData() == _ALL
        named = (None, None) if is_all else (self._spec.layers, self._spec.heads)
        spec = Spec(layers=named[0], heads=named[1], matrix=self._spec.matrix)
        self.accept()
        self.wanted.emit(str(self.kind_box.currentData()), spec)
