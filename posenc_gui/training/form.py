"""The form of a training, built from the declared options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from posenc_gui.panels.settings import OptionRow
from posenc_gui.plain_label import PlainLabel
from posenc_gui.training.encoding_boxes import EncodingBoxes
from posenc_gui.training.fold import Fold
from posenc_gui.training.folder_row import FolderRow
from posenc_gui.training.plan import Plan
from posenc_model.config import POSITIONAL_ENCODING
from posenc_model.encodings import ENCODINGS
from posenc_model.options import Option, Value
from posenc_model.training import TASKS
from posenc_model.training.settings import TASK, TRAINING_SETTINGS, TrainingSettings

_COMMON = ("steps", "learning_rate", "warmup_steps", "num_layers", "num_heads", "width")


class OptionGroup(QWidget):
    """The parameters of one task or one encoding, under a name where it has one."""

    changed = Signal()

    def __init__(self, options: Sequence[Option], title: str = "") -> None:
        super().__init__()
        self.rows: dict[str, OptionRow] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5)
        if title:
            heading = QLabel(title)
            heading.setProperty("role", "heading")
            layout.addWidget(heading)
        for option in options:
            row = OptionRow(option, option.default)
            row.field.changed.connect(self.changed)
            layout.addWidget(row)
            self.rows[option.name] = row

    def values(self) -> dict[str, Value]:
        return {name: row.field.value() for name, row in self.rows.items()}

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Takes the values of its own options from ``values``; the default where there is none."""
        for name, row in self.rows.items():
            row.field.set_value(values.get(name, row.field.option.default))


class TrainingForm(QScrollArea):
    """Everything that can be chosen of a training. ``changed`` says that it is another now."""

    changed = Signal()
    resume_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the focus
        own = [o for o in TRAINING_SETTINGS if o not in (TASK, POSITIONAL_ENCODING)]
        # Widgets are styled whenever their window becomes another one: the place is made first.
        content = QWidget()
        self.setWidget(content)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, 8, 0)
        layout.setSpacing(6)
        self._wanted: QWidget | None = None
        self._reveal = QTimer(self)
        self._reveal.setSingleShot(True)
        self._reveal.setInterval(0)  # once everything has its place, in a fold just opened, too
        self._reveal.timeout.connect(self._on_reveal)
        self.task = OptionGroup([TASK])
        self.summary = PlainLabel("", "hint")
        self.tasks = {name: OptionGroup(info.options) for name, info in TASKS.items()}
        self.boxes = EncodingBoxes()
        self.common = OptionGroup([o for o in own if o.name in _COMMON])
        self.more = OptionGroup([o for o in own if o.name not in _COMMON])
        self.encodings = {
            name: OptionGroup(info.options, f"Only {name}")
            for name, info in ENCODINGS.items()
            if info.options
        }
        self.fold = Fold("More settings", "Batches, lengths, and what belongs to one encoding only")
        self.folder = FolderRow()
        layout.addWidget(self.task)
        layout.addWidget(self.summary)
        for group in self.tasks.values():
            layout.addWidget(group)
        layout.addWidget(self.boxes)
        layout.addWidget(self.common)
        layout.addWidget(self.fold)
        layout.addWidget(self.folder)
        layout.addStretch(1)
        self.fold.content.addWidget(self.more)
        for group in self.encodings.values():
            self.fold.content.addWidget(group)
        bar = self.verticalScrollBar().sizeHint().width()
        self.setMinimumWidth(content.minimumSizeHint().width() + bar)
        self.task.changed.connect(self._on_task_changed)
        self.boxes.changed.connect(self._on_changed)
        for group in self._groups():
            group.changed.connect(self._on_changed)
        self.folder.resume_asked.connect(self.resume_asked)
        self._show_what_matters()

    @property
    def task_name(self) -> str:
        """The chosen task."""
        return str(self.task.values()[TASK.name])

    def settings(self) -> tuple[TrainingSettings, ...]:
        """What is set now, for each chosen encoding.

        Raises:
            PosencError: Values that are allowed singly do not go together, or nothing is chosen.
        """
        values = {
            **self.task.values(),
            **self.tasks[self.task_name].values(),
            **self.common.values(),
            **self.more.values(),
        }
        return tuple(
            TrainingSettings.of(
                {
                    **values,
                    **(self.encodings[name].values() if name in self.encodings else {}),
                    POSITIONAL_ENCODING.name: name,
                }
            )
            for name in self.boxes.chosen()
        )

    def plan(self, resume: bool = False) -> Plan:
        """What is to be trained.

        Raises:
            PosencError: As :meth:`settings`.
        """
        return Plan(self.settings(), self.folder.folder, resume)

    def choose_task(self, name: str) -> None:
        """Chooses a task and sets everything but the folder to what suits it."""
        self.task.set_values({TASK.name: name})
        self._set_defaults()

    def show_settings(self, settings: Sequence[TrainingSettings]) -> None:
        """Sets the form to these settings, one for each encoding."""
        flat: dict[str, Any] = {}
        for one in settings:
            flat.update(one.flat())
        self.task.set_values(flat)
        for group in (self.tasks[self.task_name], self.common, self.more):
            group.set_values(flat)
        for one in settings:
            if one.positional_encoding in self.encodings:
                self.encodings[one.positional_encoding].set_values(one.flat())
        self.boxes.choose([one.positional_encoding for one in settings])

    def set_folder(self, folder: Path | None) -> None:
        self.folder.set_folder(folder)

    def set_locked(self, is_locked: bool) -> None:
        """Whether nothing can be changed, because a training is going on."""
        for part in (*self._groups(), self.boxes, self.folder):
            part.setEnabled(not is_locked)

    def show_message(self, setting: str, sentence: str) -> bool:
        """Shows a sentence beneath the field it is about; False where there is no such field."""
        row: OptionRow | EncodingBoxes | FolderRow
        if setting in ("folder", "checkpoint", "export"):
            row = self.folder
        elif setting == POSITIONAL_ENCODING.name:
            row = self.boxes
        else:
            found = self._rows().get(setting)
            if found is None:
                return False
            row = found
        row.show_message(sentence)
        if self.fold.isAncestorOf(row):
            self.fold.open()
        self._wanted = row
        self._reveal.start()
        return True

    def clear_messages(self) -> None:
        for row in self._rows().values():
            row.show_message("")
        self.boxes.show_message("")
        self.folder.show_message("")

    def _groups(self) -> list[OptionGroup]:
        return [
            self.task,
            self.common,
            self.more,
            *self.tasks.values(),
            *self.encodings.values(),
        ]

    def _rows(self) -> dict[str, OptionRow]:
        """The rows that matter now: tasks have options of the same names."""
        groups = (*self.encodings.values(), self.tasks[self.task_name], self.more, self.common)
        rows = {name: row for group in groups for name, row in group.rows.items()}
        return {**rows, **self.task.rows}

    def _show_what_matters(self) -> None:
        self.summary.setText(TASKS[self.task_name].summary)
        for name, group in self.tasks.items():
            group.setVisible(name == self.task_name and bool(group.rows))
        for name, group in self.encodings.items():
            group.setVisible(self.boxes.boxes[name].isChecked())

    def _set_defaults(self) -> None:
        info = TASKS[self.task_name]
        for group in (self.common, self.more):
            group.set_values(dict(info.defaults))
        self.tasks[self.task_name].set_values({})
        for group in self.encodings.values():
            group.set_values({})

    @Slot()
    def _on_reveal(self) -> None:
        if self._wanted is not None:
            self.ensureWidgetVisible(self._wanted)

    @Slot()
    def _on_task_changed(self) -> None:
        for group in (self.common, self.more):
            group.set_values(dict(TASKS[self.task_name].defaults))

    @Slot()
    def _on_changed(self) -> None:
        self._show_what_matters()
        self.changed.emit()
