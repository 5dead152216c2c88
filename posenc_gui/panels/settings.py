"""The settings panel, built from the declared options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from posenc_gui.help_button import TOPIC, HelpButton
from posenc_gui.panels.fields import BoolField, ChoiceField, Field, make_field
from posenc_gui.plain_label import PlainLabel
from posenc_model.config import POSITIONAL_ENCODING
from posenc_model.encodings import ENCODINGS, EncodingInfo
from posenc_model.errors import PosencError
from posenc_model.options import Option, Value
from posenc_model.settings import SETTINGS, SPECIAL_TOKENS, WEIGHTS, Settings
from posenc_model.trained import shipped_encodings
from posenc_model.weight_sources import ALWAYS_OPEN, RANDOM, TRAINED, WeightSource, weight_source

# What trained weights leave to the user.
_FREE_WITH_TRAINED = ("weights", "positional_encoding", *ALWAYS_OPEN, "special_tokens")


def first_weights(given: Mapping[str, Any], remembered: Mapping[str, Any]) -> str:
    """The weights that a window opens with: trained ones, if nobody says otherwise.

    Args:
        given: Settings from the command line, by name.
        remembered: Settings of the last time.
    """
    if WEIGHTS.name in given:
        return str(given[WEIGHTS.name])
    if not {*given} <= {*_FREE_WITH_TRAINED}:  # sizes, say, which trained weights would determine
        return RANDOM
    return str(remembered.get(WEIGHTS.name, TRAINED if shipped_encodings() else RANDOM))


class OptionRow(QWidget):
    """One option: its label, its field and, beneath, what to know of it and what is wrong."""

    def __init__(self, option: Option, value: Value) -> None:
        super().__init__()
        self.field: Field = make_field(option)
        self.field.set_value(value)
        self.note = PlainLabel(role="hint")
        self.note.hide()
        self.message = PlainLabel(role="error")
        self.message.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        label = QLabel(option.label)
        label.setBuddy(self.field)
        label.setToolTip(option.help)
        label.setHidden(isinstance(self.field, BoolField))  # a check box carries its own label
        topic = f"settings/{option.name}"
        self.setProperty(TOPIC, topic)
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(label, 1)
        layout.addLayout(line)
        if isinstance(self.field, ChoiceField):  # titles of choices need the whole width
            layout.addWidget(self.field)
        else:
            line.addWidget(self.field, 1)
        before = -1 if isinstance(self.field, BoolField) else 1
        line.insertWidget(before, HelpButton(topic, f"“{option.label}”"))
        layout.addWidget(self.note)
        layout.addWidget(self.message)

    def show_note(self, sentence: str) -> None:
        """Shows what to know of the value; an empty sentence hides it."""
        self.note.setText(sentence)
        self.note.setVisible(bool(sentence))

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
        line = QHBoxLayout()
        line.addWidget(summary, 1)
        topic = f"encodings/{info.name}"
        line.addWidget(HelpButton(topic, f"“{info.name}”"), 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(line)
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

    Trained weights determine some settings, which then show the determined values. Changing one of
    them switches to random weights, with the values that random weights had last.

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
        self._is_filling = False
        self._shown_source: tuple[str, str] | None = None
        self._own = self._values_of_random_weights()
        self._follow_weights()
        bar = self.verticalScrollBar().sizeHint().width()
        self.setMinimumWidth(content.minimumSizeHint().width() + bar)
        self._show_what_matters()

    def values(self) -> dict[str, Value]:
        """The settings by name as they are shown, without the encodings' own parameters."""
        return {name: row.field.value() for name, row in self.rows.items()}

    def remembered(self) -> dict[str, Value]:
        """As :meth:`values`, with those of random weights in place of determined ones."""
        source = self._source()
        fixed = source.fixed if source is not None else {}
        return {
            name: self._own[name] if name in fixed and name in self._own else value
            for name, value in self.values().items()
        }

    def encoding_options(self) -> dict[str, dict[str, Value]]:
        """For each encoding the values of its own parameters with random weights."""
        return {
            name: {option: self._own[option] for option in own.rows}
            for name, own in self.encodings.items()
        }

    def settings(self) -> Settings:
        """What is set now.

        Raises:
            PosencError: Values that are allowed singly do not go together.
        """
        values = self.values()
        own = self.encodings[str(values[POSITIONAL_ENCODING.name])].values()
        source = weight_source(str(values[WEIGHTS.name]), str(values[POSITIONAL_ENCODING.name]))
        return Settings.of(
            {
                name: value
                for name, value in {**values, **own}.items()
                if name == WEIGHTS.name or source.matters(name)
            }
        )

    def show_settings(self, settings: Settings) -> None:
        """Shows what was set at another time; ``changed`` is emitted once."""
        self._fill(settings.flat())
        if settings.source.kind == "random":
            self._own = self._values_of_random_weights()
        self._shown_source = None
        self._on_changed()

    def choose_weights(self, weights: str) -> None:
        """Shows other weights: a choice of the setting, or the path of a file or folder."""
        self.rows[WEIGHTS.name].field.set_value(weights)

    def choose_setting(self, name: str, value: Value) -> None:
        """Shows another value of a setting or of an encoding's parameter, as if it was typed."""
        self._all_rows()[name].field.set_value(value)

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
        source = self._source()
        own = source is None or source.kind in ("random", "trained")
        for name, options in self.encodings.items():
            options.setVisible(own and name == values[POSITIONAL_ENCODING.name])
        for name, row in self.rows.items():
            needs = row.field.option.needs
            reason = ""
            if name == WEIGHTS.name or source is None:
                pass
            elif not source.matters(name):
                # Determined values stay editable: changing one switches to random weights.
                reason = f"Has no effect with {source.title}."
            elif needs is not None and source.matters(needs[0]) and values[needs[0]] != needs[1]:
                reason = self._why_disabled(row.field.option)
            row.setEnabled(not reason)
            row.setToolTip(reason)
            # Somebody else's weights leave so little open that the rest would mislead.
            row.setVisible(own or name == WEIGHTS.name or not reason)
        is_model = source is not None and source.kind == "model"
        self.rows[SPECIAL_TOKENS.name].setVisible(is_model)

    @staticmethod
    def _why_disabled(option: Option) -> str:
        assert option.needs is not None
        name, value = option.needs
        other = next(o for o in SETTINGS if o.name == name)
        if other.kind == "bool":
            return f"Matters only where “{other.label}” is {'ticked' if value else 'not ticked'}."
        title = next((c.title for c in other.choices() if c.value == value), str(value))
        return f"Matters only where “{other.label}” is “{title}”."

    def _source(self) -> WeightSource | None:
        """Where the weights come from; ``None`` where that cannot be read."""
        values = self.values()
        try:
            return weight_source(str(values[WEIGHTS.name]), str(values[POSITIONAL_ENCODING.name]))
        except PosencError:  # ``settings`` says it
            return None

    def _follow_weights(self) -> None:
        """Shows what the weights determine, or takes the hint that others are wanted."""
        source = self._source()
        if source is None:
            self.rows[WEIGHTS.name].show_note("")
            return
        rows = self._all_rows()
        values = self.values()
        weights = str(values[WEIGHTS.name])
        # Each encoding has trained weights of its own; a file or folder has one encoding.
        key = (weights, str(values[POSITIONAL_ENCODING.name]) if weights == TRAINED else "")
        note = source.summary
        if source.kind == "random":
            if self._shown_source == key:
                note = self.rows[WEIGHTS.name].note.text()  # why they are random, it may be
            if self._shown_source is not None and self._shown_source[0] != key[0]:
                self._fill(self._own)
            self._own = self._values_of_random_weights()
        elif key != self._shown_source:
            self._fill(source.fixed)
        else:
            changed = {
                name: rows[name].field.value()
                for name, value in source.fixed.items()
                if name in rows and rows[name].field.value() != value
            }
            if changed:
                name = next(iter(changed))
                note = (
                    f"“{rows[name].field.option.label}” is {source.fixed[name]} in "
                    f"{source.title}, so random weights are shown now."
                )
                self._own |= {name: v for name, v in changed.items() if name in self._own}
                self._fill({**self._own, WEIGHTS.name: RANDOM})
                key = (RANDOM, "")
        self._shown_source = key
        self.rows[WEIGHTS.name].show_note(note)

    def _values_of_random_weights(self) -> dict[str, Value]:
        """What is shown of the settings that only random weights leave open."""
        return {
            name: row.field.value()
            for name, row in self._all_rows().items()
            if name not in _FREE_WITH_TRAINED
        }

    def _fill(self, values: Mapping[str, Value]) -> None:
        """Shows values without taking them for the user's."""
        self._is_filling = True
        rows = self._all_rows()
        for name, value in values.items():
            if name in rows:
                rows[name].field.set_value(value)
        self._is_filling = False

    @Slot()
    def _on_changed(self) -> None:
        if self._is_filling:
            return
        self._follow_weights()
        self._show_what_matters()
        self.changed.emit()
