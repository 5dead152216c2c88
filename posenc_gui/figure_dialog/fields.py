"""Fields of the figure dialog that are more than a number or a choice.

Each has ``changed``, ``value()`` and ``set_value()``, as those of ``panels/fields.py`` have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFontComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figure_dialog.numbers import MOST, NumberBox, NumberField
from posenc_gui.figures.labels import visible
from posenc_gui.panels.fields import Field
from posenc_gui.plain_label import PlainLabel
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters.look import (
    AUTOMATIC,
    COLOR_RANGE,
    HEIGHT_MM,
    LARGEST_MM,
    MM_PER_INCH,
    SMALLEST_MM,
    WIDTH_MM,
    levels_of,
)
from posenc_model.options import Option, Value

UP_TO_LARGEST = "up to the largest value"
_OWN = "own"
# Of the mm that one unit has, how many decimals of a height nobody chose are worth writing, and
# one step.
_UNITS = {"mm": (1.0, 1, 5.0), "inch": (MM_PER_INCH, 2, 0.25)}
_SIZE_DECIMALS = 3


class LineField(Field):
    """A line of text."""

    def __init__(self, option: Option, placeholder: str = "") -> None:
        self.line = QLineEdit()
        super().__init__(option, self.line)
        self.line.setPlaceholderText(placeholder)
        self.line.textChanged.connect(self.changed)

    def value(self) -> str:
        return self.line.text()

    def set_value(self, value: Value) -> None:
        self.line.setText(str(value))


class FontField(Field):
    """One of the machine's font families that can have any size."""

    def __init__(self, option: Option) -> None:
        self.box = QFontComboBox()
        super().__init__(option, self.box)
        self.box.setFontFilters(QFontComboBox.FontFilter.ScalableFonts)
        self.box.setMinimumContentsLength(8)
        self.box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.currentTextChanged.connect(self.changed)

    def value(self) -> str:
        return self.box.currentText()

    def set_value(self, value: Value) -> None:
        # By its text: a family that this machine lacks has to be named, not replaced.
        self.box.setCurrentIndex(self.box.findText(str(value)))
        self.box.setEditText(str(value))


class GroupField(QWidget):
    """Several editors that make one value."""

    changed = Signal()

    def value(self) -> Any:
        raise NotImplementedError

    def set_value(self, value: Any) -> None:
        raise NotImplementedError


class WordsField(GroupField):
    """A text that is made automatically, that the user writes, or that is left out."""

    def __init__(self, option: Option, automatic: str) -> None:
        super().__init__()
        self.kind = QComboBox()
        for text, data in ((automatic, AUTOMATIC), ("own words", _OWN), ("none", "")):
            self.kind.addItem(text, data)
        self.line = QLineEdit()
        self.line.setAccessibleName(f"{option.label}: own words")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(Field(option, self.kind))
        column.addWidget(self.line)
        self.setFocusProxy(self.kind)
        self.line.hide()
        self.kind.currentIndexChanged.connect(self._on_kind)
        self.kind.activated.connect(self._on_chosen)
        self.line.textChanged.connect(self.changed)

    def value(self) -> str:
        kind = str(self.kind.currentData())
        return self.line.text() if kind == _OWN else kind

    def set_value(self, value: Any) -> None:
        kind = value if value in ("", AUTOMATIC) else _OWN
        if kind == _OWN:
            self.line.setText(str(value))
        self.kind.setCurrentIndex(self.kind.findData(kind))

    @Slot()
    def _on_kind(self) -> None:
        self.line.setVisible(self.kind.currentData() == _OWN)
        self.changed.emit()

    @Slot()
    def _on_chosen(self) -> None:
        if self.kind.currentData() == _OWN:
            self.line.setFocus()


class RangeField(GroupField):
    """The ends of a colour scale."""

    def __init__(self, option: Option) -> None:
        super().__init__()
        self.kind = QComboBox()
        for text, data in (
            ("automatic: weights from 0 to 1", AUTOMATIC),
            (UP_TO_LARGEST, "largest"),
            ("from … to …", _OWN),
        ):
            self.kind.addItem(text, data)
        self.kind.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.kind.setMinimumContentsLength(12)
        self.low, self.high = _end("lower end"), _end("upper end")
        self.high.set_value(1.0)
        self._ends = QWidget()
        ends = QHBoxLayout(self._ends)
        ends.setContentsMargins(0, 0, 0, 0)
        ends.addWidget(self.low, 1)
        ends.addWidget(QLabel("to"))
        ends.addWidget(self.high, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(Field(option, self.kind))
        column.addWidget(self._ends)
        self.setFocusProxy(self.kind)
        self._ends.hide()
        self.kind.currentIndexChanged.connect(self._on_kind)
        self.low.changed.connect(self.changed)
        self.high.changed.connect(self.changed)

    def value(self) -> str:
        """The ends as an option takes them.

        Raises:
            PosencError: They are in the wrong order.
        """
        kind = str(self.kind.currentData())
        if kind != _OWN:
            return kind
        low, high = float(self.low.value()), float(self.high.value())
        if low >= high:
            raise PosencError("The lower end has to be below the upper end.", COLOR_RANGE.name)
        return f"{low:.10g},{high:.10g}"

    def set_value(self, value: Any) -> None:
        levels = levels_of(str(value))
        if isinstance(levels, tuple):
            self.low.set_value(levels[0])
            self.high.set_value(levels[1])
        kind = _OWN if isinstance(levels, tuple) else levels
        self.kind.setCurrentIndex(self.kind.findData(kind))

    @Slot()
    def _on_kind(self) -> None:
        self._ends.setVisible(self.kind.currentData() == _OWN)
        self.changed.emit()


def _end(name: str) -> NumberField:
    label, tip = f"Range: {name}", f"The {name} of the scale."
    return NumberField(Option(name, "float", 0.0, label, tip, -MOST, MOST), 0.05)


class SizeField(GroupField):
    """Width and height in millimetres or inches; the height may be left to the picture.

    What is shown is rounded; the value is exact as long as nobody changes it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._width, self._height = float(WIDTH_MM.default), 0.0
        self._page_height = 100.0
        ends = (_SIZE_DECIMALS, SMALLEST_MM, LARGEST_MM, 1.0)
        self.width_box, self.height_box = NumberBox(*ends), NumberBox(*ends)
        self.unit = QComboBox()
        self.unit.addItems(list(_UNITS))
        self.unit.setAccessibleName("Unit of width and height")
        self.unit.setToolTip("The unit of width and height")
        self.automatic = QCheckBox("&automatic height")
        self.automatic.setToolTip("As high as the picture needs to be")
        self.automatic.setChecked(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.addWidget(Field(WIDTH_MM, self.width_box), 0, 0)
        grid.addWidget(QLabel("×"), 0, 1)
        grid.addWidget(Field(HEIGHT_MM, self.height_box), 0, 2)
        grid.addWidget(self.unit, 0, 3)
        grid.addWidget(self.automatic, 1, 0, 1, 4)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)
        self.setFocusProxy(self.width_box)
        self.unit.currentIndexChanged.connect(self._show)
        self.width_box.valueChanged.connect(self._on_width)
        self.height_box.valueChanged.connect(self._on_height)
        self.automatic.toggled.connect(self._on_automatic)
        self._show()

    def value(self) -> dict[str, float]:
        """Width and height in mm by name; a height that is left to the picture is 0.

        Raises:
            PosencError: One of them is not allowed.
        """
        is_automatic = self.automatic.isChecked()
        sides = {WIDTH_MM: self._width, HEIGHT_MM: SMALLEST_MM if is_automatic else self._height}
        for option, side in sides.items():
            if not SMALLEST_MM <= side <= LARGEST_MM:
                raise PosencError(
                    f"{option.label} has to be from {SMALLEST_MM:g} to {LARGEST_MM:,.0f} mm "
                    f"({SMALLEST_MM / MM_PER_INCH:.2f} to {LARGEST_MM / MM_PER_INCH:.1f} inches).",
                    option.name,
                )
        return {
            WIDTH_MM.name: self._width,
            HEIGHT_MM.name: 0.0 if is_automatic else self._height,
        }

    def set_value(self, value: Any) -> None:
        self._width = float(value[WIDTH_MM.name])
        self._height = float(value[HEIGHT_MM.name])
        blocker = QSignalBlocker(self.automatic)
        self.automatic.setChecked(not self._height)
        del blocker
        self._show()
        self.changed.emit()

    def show_page_height(self, height: float) -> None:
        """Shows how high the picture came out where that is left to it."""
        self._page_height = min(max(height, SMALLEST_MM), LARGEST_MM)
        if self.automatic.isChecked():
            blocker = QSignalBlocker(self.height_box)
            self._show_height()
            del blocker

    def _show_height(self) -> None:
        mm, decimals, _ = _UNITS[self.unit.currentText()]
        is_automatic = self.automatic.isChecked()
        shown = round(self._page_height / mm, decimals) if is_automatic else self._height / mm
        self.height_box.setValue(shown)

    @Slot()
    def _show(self) -> None:
        blockers = [QSignalBlocker(box) for box in (self.width_box, self.height_box)]
        mm, _, step = _UNITS[self.unit.currentText()]
        for box in (self.width_box, self.height_box):
            box.setSingleStep(step)
            box.set_ends(SMALLEST_MM / mm, LARGEST_MM / mm)
        self.width_box.setValue(self._width / mm)
        self._show_height()
        self.height_box.setEnabled(not self.automatic.isChecked())
        del blockers

    def _mm(self, box: NumberBox) -> float:
        mm = _UNITS[self.unit.currentText()][0]
        value = round(box.value() * mm, 5)
        # What the arrows stop at, which is shown rounded in inches.
        for end in (SMALLEST_MM, LARGEST_MM):
            if abs(value - end) < mm * 10.0**-_SIZE_DECIMALS:
                return end
        return value

    @Slot()
    def _on_width(self) -> None:
        self._width = self._mm(self.width_box)
        self.changed.emit()

    @Slot()
    def _on_height(self) -> None:
        self._height = self._mm(self.height_box)
        self.changed.emit()

    @Slot(bool)
    def _on_automatic(self, is_automatic: bool) -> None:
        if not is_automatic:  # what was automatic until now is where the user begins
            self._height = self._mm(self.height_box)
        self._show()
        self.changed.emit()


class CellField(GroupField):
    """A query and a key, by number, with their words beside."""

    def __init__(self) -> None:
        super().__init__()
        self._words: Sequence[str] = ()
        self.boxes: list[QSpinBox] = []
        self.labels: list[PlainLabel] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        for row, (text, name) in enumerate(
            (
                ("query (looks)", "The word that looks"),
                ("key (is looked at)", "The word that is looked at"),
            )
        ):
            box, label = QSpinBox(), PlainLabel(role="hint")
            box.setMinimum(1)
            option = Option(f"cell_{row}", "int", 1, name, f"{name}, counted from 1.")
            grid.addWidget(QLabel(text), row, 0)
            grid.addWidget(Field(option, box), row, 1)
            grid.addWidget(label, row, 2)
            box.valueChanged.connect(self._on_changed)
            self.boxes.append(box)
            self.labels.append(label)
        grid.setColumnStretch(2, 1)
        self.setFocusProxy(self.boxes[0])

    def set_words(self, words: Sequence[str]) -> None:
        """Says which words there are to choose from."""
        self._words = words
        for box in self.boxes:
            blocker = QSignalBlocker(box)
            box.setMaximum(max(1, len(words)))
            del blocker
        self._show_words()

    def value(self) -> tuple[int, int]:
        query, key = (box.value() - 1 for box in self.boxes)
        return query, key

    def set_value(self, value: Any) -> None:
        for box, index in zip(self.boxes, value, strict=True):
            box.setValue(index + 1)

    def _show_words(self) -> None:
        for box, label in zip(self.boxes, self.labels, strict=True):
            index = box.value() - 1
            word = visible(self._words[index]) if index < len(self._words) else ""
            metrics = label.fontMetrics()
            label.setText(metrics.elidedText(word, Qt.TextElideMode.ElideRight, 110))
            label.setToolTip(f"Token {index + 1}:\n{word}")

    @Slot()
    def _on_changed(self) -> None:
        self._show_words()
        self.changed.emit()


class CompareField(GroupField):
    """The encodings that stand beside the result's own."""

    def __init__(self) -> None:
        super().__init__()
        self.boxes: dict[str, QCheckBox] = {}
        self._order: tuple[str, ...] = tuple(ENCODINGS)
        self._own = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for name, info in ENCODINGS.items():
            box = QCheckBox(name)
            box.setToolTip(info.title)
            box.toggled.connect(self.changed)
            row.addWidget(box)
            self.boxes[name] = box
        row.addStretch(1)
        self.setFocusProxy(next(iter(self.boxes.values())))

    def set_own(self, name: str) -> None:
        """Says which encoding is shown anyway."""
        self._own = name
        for other, box in self.boxes.items():
            box.setEnabled(other != name)

    def value(self) -> tuple[str, ...]:
        """Those that are ticked, in the order in which they were given.

        Raises:
            PosencError: None is.
        """
        ticked = (name for name in self._order if self.boxes[name].isChecked())
        names = tuple(name for name in ticked if name != self._own)
        if not names:
            raise PosencError("Tick at least one encoding to compare with.", "compare")
        return names

    def set_value(self, value: Any) -> None:
        self._order = tuple(dict.fromkeys((*value, *ENCODINGS)))
        blockers = [QSignalBlocker(box) for box in self.boxes.values()]
        for name, box in self.boxes.items():
            box.setChecked(name in value)
        del blockers
        self.changed.emit()
