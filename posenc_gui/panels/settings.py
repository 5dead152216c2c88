"""The settings panel, built from the declared options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from posenc_gui.panels.fields import BoolField, ChoiceField, Field, make_field
from posenc_gui.plain_label import PlainLabel
from posenc_model.config import POSITIONAL_ENCODING
from posenc_model.encodings import ENCODINGS, EncodingInfo
from posenc_model.options import Option, Value
from posenc_model.settings import SETTINGS, Settings


class OptionRow(QWidget):
    """One option: its label, its field and, beneath, what is wrong with it."""

    def __init__(self, option: Option, value: Value) -> None:
        super().__init__()
        self.field: Field = make_field(option)
        self.field.set_value(value)
        self.message = PlainLabel(role="error")
        self.message.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        label = QLabel(option.label)
        label.setBuddy(self.field)
        label.setToolTip(option.help)
        label.setHidden(isinstance(self.field, BoolField))  # a check box carries its own label
        if isinstance(self.field, ChoiceField):  # titles of choices need the whole width
            layout.addWidget(label)
            layout.addWidget(self.field)
        else:
            line = QHBoxLayout()
            line.addWidget(label, 1)
            line.addWidget(self.field, 1)
            layout.addLayout(line)
        layout.addWidget(self.message)

    def show_message(self, sentence: str) -> None:
        """Shows a sentence beneath the field; an empty one hides it."""
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))


class EncodingOptions(QWidget):
    """What one encoding does, in a sentence, and the parameters of its own."""

    changed = Signal()

    def __init__(self, info: EncodingInfo, values: Mapping[str, Any]) -> None:
        super().__init__()
        summary = PlainLabel(info.summary, "hint")
        summary.setToolTip(info.reference)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(summary)
        self.rows: dict[str, OptionRow] = {}
        for option in info.options:
            row = OptionRow(option, values.get(option.name, option.default))
            row.field.changed.connect(self.changed)
            layout.addWidget(row)
            self.rows[option.name] = row

    def values(self) -> dict[str, Value]:
        return {name: row.field.value() for name, row in self.rows.items()}


class SettingsPanel(QScrollArea):
    """All settings. ``changed`` says that they are others now.

    Args:
        values: Initial values by name; the default where none is given.
        encoding_options: For each encoding the values of its own parameters.
    """

    changed = Signal()

    def __init__(
        self,
        values: Mapping[str, Any] | None = None,
        encoding_options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__()
        values = values or {}
        encoding_options = encoding_options or {}
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the focus
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, 8, 0)
        layout.setSpacing(5)
        heading = QLabel("Encoder")
        heading.setProperty("role", "heading")
        layout.addWidget(heading)
        self.rows: dict[str, OptionRow] = {}
        self.encodings: dict[str, EncodingOptions] = {}
        for option in SETTINGS:
            row = OptionRow(option, values.get(option.name, option.default))
            row.field.changed.connect(self._on_changed)
            layout.addWidget(row)
            self.rows[option.name] = row
            if option is POSITIONAL_ENCODING:
                for name, info in ENCODINGS.items():
                    own = EncodingOptions(info, encoding_options.get(name, {}))
                    own.changed.connect(self._on_changed)
                    layout.addWidget(own)
                    self.encodings[name] = own
        layout.addStretch(1)
        self.setWidget(content)
        bar = self.verticalScrollBar().sizeHint().width()
        self.setMinimumWidth(content.minimumSizeHint().width() + bar)
        self._show_what_matters()

    def values(self) -> dict[str, Value]:
        """The settings by name, without the encodings' own parameters."""
        return {name: row.field.value() for name, row in self.rows.items()}

    def encoding_options(self) -> dict[str, dict[str, Value]]:
        """For each encoding the values of its own parameters."""
        return {name: own.values() for name, own in self.encodings.items()}

    def settings(self) -> Settings:
        """What is set now.

        Raises:
            PosencError: Values that are allowed singly do not go together.
        """
        values = self.values()
        own = self.encodings[str(values[POSITIONAL_ENCODING.name])].values()
        return Settings.of({**values, **own})

    def show_message(self, setting: str, sentence: str) -> bool:
        """Shows a sentence beside the field it is about; False where there is no such field."""
        row = self._all_rows().get(setting)
        if row is None:
            return False
        row.show_message(sentence)
        self.ensureWidgetVisible(row)
        return True

    def clear_messages(self) -> None:
        for row in self._all_rows().values():
            row.show_message("")

    def _all_rows(self) -> dict[str, OptionRow]:
        own = {name: row for group in self.encodings.values() for name, row in group.rows.items()}
        return {**own, **self.rows}

    def _show_what_matters(self) -> None:
        values = self.values()
        for name, own in self.encodings.items():
            own.setVisible(name == values[POSITIONAL_ENCODING.name])
        for row in self.rows.values():
            needs = row.field.option.needs
            matters = needs is None or values[needs[0]] == needs[1]
            row.setEnabled(matters)
            row.setToolTip("" if matters else self._why_disabled(row.field.option))

    @staticmethod
    def _why_disabled(option: Option) -> str:
        assert option.needs is not None
        name, value = option.needs
        other = next(o for o in SETTINGS if o.name == name)
        title = next((c.title for c in other.choices() if c.value == value), str(value))
        return f"Matters only where “{other.label}” is “{title}”."

    @Slot()
    def _on_changed(self) -> None:
        self._show_what_matters()
        self.changed.emit()
