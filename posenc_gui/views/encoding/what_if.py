"""Sliders that change a picture and not the run, until somebody asks for that."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSlider, QWidget

from posenc_gui.plain_label import PlainLabel
from posenc_model.encodings import EncodingInfo
from posenc_model.errors import PosencError
from posenc_model.options import Option, Value

_SLIDER_WIDTH = 50


def plain_number(value: float) -> str:
    """A value as it is written: 10,000."""
    return f"{value:,.10g}"


class ValueSlider(QWidget):
    """A slider over the values of an option.

    Args:
        option: Whose values.
        values: What the slider steps through, from low to high.
    """

    changed = Signal()

    def __init__(self, option: Option, values: Sequence[float]) -> None:
        super().__init__()
        self.option = option
        self._all = tuple(values)
        self._values = list(values)
        self.label = QLabel(option.label)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(f"What if: {option.label}")
        self.slider.setToolTip(f"{option.help} Changes this picture only.")
        self.slider.setMinimumWidth(_SLIDER_WIDTH)
        self.slider.setMaximum(len(self._values) - 1)
        self.shown = QLabel()
        longest = max((plain_number(value) for value in values), key=len)
        self.shown.setMinimumWidth(self.shown.fontMetrics().horizontalAdvance(longest) + 4)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label)
        row.addWidget(self.slider, 1)
        row.addWidget(self.shown)
        self.slider.valueChanged.connect(self._on_moved)

    def value(self) -> Value:
        """What the slider is at, in the option's own type."""
        value = self._values[self.slider.value()]
        return self.option.check(int(value) if self.option.kind == "int" else float(value))

    def set_value(self, value: float) -> None:
        """Moves the slider, without telling anybody; a value between its steps becomes one."""
        self._values = list(self._all)
        place = bisect.bisect_left(self._values, value)
        if place == len(self._values) or self._values[place] != value:
            self._values.insert(place, value)
        blocker = QSignalBlocker(self.slider)
        self.slider.setMaximum(len(self._values) - 1)
        self.slider.setValue(place)
        del blocker
        self._write()

    def choose(self, value: float) -> None:
        """Moves the slider to the step next to a value, as a user would."""
        nearest = min(self._values, key=lambda step: abs(step - value))
        self.slider.setValue(self._values.index(nearest))

    def _write(self) -> None:
        self.shown.setText(plain_number(self._values[self.slider.value()]))

    @Slot()
    def _on_moved(self) -> None:
        self._write()
        self.changed.emit()


class WhatIf(QWidget):
    """Sliders for parameters of an encoding, a button that uses them and one that goes back.

    Args:
        info: The encoding.
        sliders: For each parameter the values to step through.
        use: What the button says that hands the values to the settings.
    """

    changed = Signal()  # a slider has moved
    setting_wanted = Signal(str, object)

    def __init__(
        self, info: EncodingInfo, sliders: Mapping[str, Sequence[float]], use: str
    ) -> None:
        super().__init__()
        self._info = info
        self._current: dict[str, Value] = {}
        options = {option.name: option for option in info.options}
        self.sliders = {name: ValueSlider(options[name], sliders[name]) for name in sliders}
        self.use_button = QPushButton(use)
        self.use_button.setToolTip("Changes the setting and runs the encoder with it")
        self.back_button = QPushButton("Back")
        self.back_button.setToolTip("Shows what the encoder has now")
        self.note = PlainLabel(role="hint")
        self._row = row = QHBoxLayout()
        title = QLabel("What if?")
        title.setProperty("role", "heading")
        title.setToolTip("Changes this picture at once, and nothing else")
        row.addWidget(title)
        row.addSpacing(6)
        for slider in self.sliders.values():
            row.addWidget(slider, 1)
            slider.changed.connect(self._on_moved)
        row.addWidget(self.use_button)
        row.addWidget(self.back_button)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(2)
        layout.addLayout(row, 0, 0)
        layout.addWidget(self.note, 1, 0)
        self.use_button.clicked.connect(self._on_use)
        self.back_button.clicked.connect(self._on_back)

    def add(self, *widgets: QWidget) -> None:
        """Adds more at the end of the row."""
        self._row.addSpacing(12)
        for widget in widgets:
            self._row.addWidget(widget)

    def set_current(self, **current: Value) -> None:
        """Says what the encoder has; sliders stay where they are while that is the same."""
        if current != self._current:
            self._current = dict(current)
            for name, slider in self.sliders.items():
                slider.set_value(float(current[name]))
        self._show_state()

    def value(self, name: str) -> Value:
        """What a slider is at."""
        return self.sliders[name].value()

    @property
    def is_other(self) -> bool:
        """Whether the sliders say something else than the encoder has."""
        return any(self.value(name) != current for name, current in self._current.items())

    @property
    def refusal(self) -> str:
        """Why the encoder refuses these values together, as a sentence; empty where it does not."""
        try:
            self._info.check({name: self.value(name) for name in self.sliders})
        except PosencError as error:
            return error.sentence
        return ""

    def _show_state(self) -> None:
        refusal = self.refusal
        self.use_button.setEnabled(self.is_other and not refusal)
        self.back_button.setEnabled(self.is_other)
        now = " and ".join(
            f"{self.sliders[name].option.label.lower()} {plain_number(float(value))}"
            for name, value in self._current.items()
        )
        self.note.setText(refusal or f"The thin dashed line is what the encoder has now: {now}.")
        self.note.setVisible(self.is_other)
        self.note.set_role("warning" if refusal else "hint")

    @Slot()
    def _on_moved(self) -> None:
        self._show_state()
        self.changed.emit()

    @Slot()
    def _on_use(self) -> None:
        for name, current in self._current.items():
            if self.value(name) != current:
                self.setting_wanted.emit(name, self.value(name))

    @Slot()
    def _on_back(self) -> None:
        for name, slider in self.sliders.items():
            slider.set_value(float(self._current[name]))
        self._on_moved()
