"""Form fields built from declared options: one class for each kind of value."""

from __future__ import annotations

import math
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from posenc_gui.dialogs.files import ask_open
from posenc_model.options import Option, Value

_LARGEST_INT = 2**31 - 1


class _WheelGuard(QObject):
    """Leaves the wheel to the scroll area unless the field has the focus."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_wheel = event.type() == QEvent.Type.Wheel
        if is_wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


class Field(QWidget):
    """A field for one option; ``changed`` says that its value is another now."""

    changed = Signal()

    def __init__(self, option: Option, editor: QWidget) -> None:
        super().__init__()
        self.option = option
        self.editor = editor
        editor.setAccessibleName(option.label)
        editor.setToolTip(option.help)
        editor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        editor.installEventFilter(_WheelGuard(editor))
        self.setFocusProxy(editor)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(editor, 1)

    def value(self) -> Value:
        raise NotImplementedError

    def set_value(self, value: Value) -> None:
        raise NotImplementedError

    def _add_file_button(self) -> None:
        """Adds a button that picks a file as the value."""
        button = QPushButton("File…")
        button.setToolTip(f"{self.option.label}: pick a file")
        button.clicked.connect(self._on_file_asked)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(button)

    def _on_file_asked(self) -> None:
        path = ask_open(self, f"{self.option.label}: pick a file", "", self.option.file_kinds)
        if path is not None:
            self.set_value(str(path))


class IntField(Field):
    def __init__(self, option: Option) -> None:
        self._box = QSpinBox()
        super().__init__(option, self._box)
        low, high = option.minimum, option.maximum
        self._box.setRange(
            -_LARGEST_INT if low is None else int(low),
            _LARGEST_INT if high is None else min(int(high), _LARGEST_INT),
        )
        self._box.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
        self._box.valueChanged.connect(self.changed)

    def value(self) -> int:
        return self._box.value()

    def set_value(self, value: Value) -> None:
        self._box.setValue(int(value))


class _PlainNumberBox(QDoubleSpinBox):
    """Shows a number with the decimals it has, one at least: 0.003, not 0.0030000."""

    def textFromValue(self, value: float) -> str:
        whole, point, decimals = (
            super().textFromValue(value).partition(self.locale().decimalPoint())
        )
        zero = self.locale().zeroDigit()
        return f"{whole}{point}{decimals.rstrip(zero) or zero}" if point else whole


class FloatField(Field):
    def __init__(self, option: Option) -> None:
        self._box = _PlainNumberBox()
        super().__init__(option, self._box)
        self._box.setDecimals(_decimals(option))
        self._box.setRange(
            -1e12 if option.minimum is None else option.minimum,
            1e12 if option.maximum is None else option.maximum,
        )
        self._box.setGroupSeparatorShown(True)
        self._box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self._box.valueChanged.connect(self.changed)

    def value(self) -> float:
        return self._box.value()

    def set_value(self, value: Value) -> None:
        self._box.setValue(float(value))


def _decimals(option: Option) -> int:
    """As many as the option's smallest number and its default need."""
    numbers = [float(option.default), option.minimum or 0.0]
    smallest = min((abs(number) for number in numbers if number), default=1.0)
    # One more than its first digit, so that the smallest number can be changed a little, too.
    needed = math.ceil(-math.log10(smallest)) + 1 if smallest < 1 else 1
    return max(1, needed)


class BoolField(Field):
    def __init__(self, option: Option) -> None:
        self._box = QCheckBox(option.label)
        super().__init__(option, self._box)
        self._box.toggled.connect(self.changed)

    def value(self) -> bool:
        return self._box.isChecked()

    def set_value(self, value: Value) -> None:
        self._box.setChecked(bool(value))


class ChoiceField(Field):
    """A combo box; an open-ended option gets a button that picks a text file as well."""

    def __init__(self, option: Option) -> None:
        self._box = QComboBox()
        super().__init__(option, self._box)
        self._box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._box.setMinimumContentsLength(10)
        model = self._box.model()
        assert isinstance(model, QStandardItemModel)
        for choice in option.choices():
            self._box.addItem(choice.title if choice.missing is None else choice.missing)
            row = self._box.count() - 1
            self._box.setItemData(row, choice.value)
            tip = choice.summary if choice.missing is None else choice.missing
            self._box.setItemData(row, tip, Qt.ItemDataRole.ToolTipRole)
            model.item(row).setEnabled(choice.missing is None)
        self._box.view().setMinimumWidth(self._box.view().sizeHintForColumn(0) + 30)
        self._box.view().setTextElideMode(Qt.TextElideMode.ElideNone)
        self._box.currentIndexChanged.connect(self.changed)
        if option.open_ended:
            self._add_file_button()

    def value(self) -> str:
        return str(self._box.currentData())

    def set_value(self, value: Value) -> None:
        row = self._box.findData(value)
        if row < 0 and self.option.open_ended:
            self._box.addItem(Path(str(value)).name, value)
            row = self._box.count() - 1
            # Qt looks for markup in the first line only, so the path stands in the second.
            self._box.setItemData(row, f"The file\n{value}", Qt.ItemDataRole.ToolTipRole)
        if row >= 0:
            self._box.setCurrentIndex(row)


class TextField(Field):
    """A line of text that names a file, with a button that picks one."""

    def __init__(self, option: Option) -> None:
        self._line = QLineEdit()
        super().__init__(option, self._line)
        self._line.setPlaceholderText("no file")
        self._line.setMinimumWidth(110)
        self._line.textChanged.connect(self._on_text_changed)
        self._add_file_button()

    def value(self) -> str:
        return self._line.text()

    def set_value(self, value: Value) -> None:
        self._line.setText(str(value))
        self._line.home(False)  # the beginning of a long path is in view

    def _on_text_changed(self, text: str) -> None:
        # Qt looks for markup in the first line only, so the path stands in the second.
        self._line.setToolTip(f"{self.option.help}\n{text}")
        self.changed.emit()


_FIELDS: dict[str, type[Field]] = {
    "int": IntField,
    "float": FloatField,
    "bool": BoolField,
    "choice": ChoiceField,
    "text": TextField,
}


def make_field(option: Option) -> Field:
    """The field for an option, set to its default."""
    kind: type[Field] = _FIELDS[option.kind]
    field = kind(option)  # type: ignore[call-arg]  # subclasses take the option alone
    field.set_value(option.default)
    return field
