"""Numbers as they are typed in the figure dialog."""

from __future__ import annotations

import re

from PySide6.QtCore import QLocale
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox

from posenc_gui.panels.fields import Field
from posenc_model.options import Option, Value

MOST = 1e6
_DECIMALS = 10


class NumberBox(QDoubleSpinBox):
    """A number as it is typed, with a point or a comma before its decimals.

    Numbers that are not allowed can be typed, so that somebody can say what is allowed: Qt would
    take 300 for 3000, and 20 for 5, without a word.

    Args:
        decimals: How many are typed at most; those that are 0 are not shown.
        low: The least that its arrows reach.
        high: The most that they reach.
        step: How far one click of them goes.
    """

    def __init__(self, decimals: int, low: float, high: float, step: float) -> None:
        super().__init__()
        decimal = rf"(?:[.,]\d{{0,{decimals}}})?" if decimals else ""
        self._number = re.compile(rf"[-\u2212]?\d*{decimal}")
        self._ends = (low, high)
        # A point, and no separator between thousands, which may be another country's point.
        self.setLocale(QLocale.c())
        self.setDecimals(decimals)
        self.setRange(-MOST, MOST)
        self.setSingleStep(step)

    def set_ends(self, low: float, high: float) -> None:
        """Says how far the arrows reach."""
        self._ends = (low, high)

    def textFromValue(self, value: float) -> str:
        whole, _, decimals = f"{value:.{self.decimals()}f}".partition(".")
        decimals = decimals.rstrip("0")
        return f"{whole}.{decimals}" if decimals else whole

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        number = self._typed(text)
        if not self._number.fullmatch(number):
            state = QValidator.State.Invalid
        elif not any(character.isdigit() for character in number):
            state = QValidator.State.Intermediate
        elif abs(_read(number)) > MOST:
            state = QValidator.State.Invalid
        else:
            state = QValidator.State.Acceptable
        return state, text, position

    def valueFromText(self, text: str) -> float:
        return _read(self._typed(text))

    def stepBy(self, steps: int) -> None:
        low, high = self._ends
        value = self.value() + steps * self.singleStep()
        self.setValue(min(value, max(high, self.value())) if steps > 0 else max(value, low))

    def _typed(self, text: str) -> str:
        return text.removesuffix(self.suffix()).strip()


def _read(number: str) -> float:
    return float(number.replace(",", ".").replace("\u2212", "-"))


class NumberField(Field):
    """A number whose limits are checked by whoever reads it.

    Args:
        option: A ``float`` or ``int`` with limits.
        step: How far one click of the arrows goes.
        unit: What stands after the number.
    """

    def __init__(self, option: Option, step: float, unit: str = "") -> None:
        assert option.minimum is not None
        assert option.maximum is not None
        self._is_whole = option.kind == "int"
        decimals = 0 if self._is_whole else _DECIMALS
        self.box = NumberBox(decimals, option.minimum, option.maximum, step)
        super().__init__(option, self.box)
        self.box.setSuffix(unit)
        self.set_value(option.default)
        self.box.valueChanged.connect(self.changed)

    def value(self) -> Value:
        value = self.box.value()
        return int(value) if self._is_whole else value

    def set_value(self, value: Value) -> None:
        self.box.setValue(float(value))
