"""The form of the figure dialog, built from the declared options of what is exported and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QLabel,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figure_dialog.fields import (
    CellField,
    CompareField,
    FontField,
    GroupField,
    LineField,
    RangeField,
    SizeField,
    WordsField,
)
from posenc_gui.figure_dialog.heads import WHICH, HeadsField, Numbers
from posenc_gui.panels.fields import BoolField, Field, make_field
from posenc_gui.plain_label import PlainLabel
from posenc_model.errors import PosencError
from posenc_model.exporters.look import (
    AXIS_NAMES,
    CAPTION,
    COLOR_BAR,
    COLOR_MAP,
    COLOR_RANGE,
    DPI,
    FONT,
    FONT_SIZE,
    LABELS,
    NUMBERS,
    THEME,
    TITLE,
    Look,
)
from posenc_model.exporters.results import compared_encodings
from posenc_model.exporters.spec import (
    ARRANGE,
    PICTURES,
    REACH,
    THRESHOLD,
    VIEW,
    Spec,
    numbers_text,
    parse_numbers,
)
from posenc_model.matrices import MATRIX
from posenc_model.options import Option

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_TOKENS = Option(
    "tokens", "text", "", "Words", "Which are shown, such as 1-20; tokens count from 1."
)
_CELL = Option("cell", "text", "", "Cell", "Which cell of the matrix is asked about.")
_COMPARE = Option("compare", "text", "", "Beside it", "Which other encodings are shown.")
_SIZE = Option("size", "text", "", "Size", "Width and height of the picture.")
_PAGES = ("&Picture", "Size and &type", "C&olours", "Te&xt")
_OVERVIEW = "overview"

# What is read into a look: page, option, the letter of its label that reaches it, and its field.
# Letters differ from those of the buttons and pages, and on one page from each other.
_Make = Callable[[Option], Field | GroupField]
_LOOK: tuple[tuple[int, Option, str, _Make], ...] = (
    (1, _SIZE, "z", lambda option: SizeField()),
    (1, DPI, "u", lambda option: _with_unit(option, " dpi")),
    (1, FONT, "f", FontField),
    (1, FONT_SIZE, "e", lambda option: _with_unit(option, " pt")),
    (2, THEME, "k", make_field),
    (2, COLOR_MAP, "l", make_field),
    (2, COLOR_RANGE, "a", RangeField),
    (2, COLOR_BAR, "b", make_field),
    (2, NUMBERS, "u", make_field),
    (3, TITLE, "l", lambda option: WordsField(option, "automatic: encoding, layer and head")),
    (3, CAPTION, "a", lambda option: WordsField(option, "automatic: all settings and the text")),
    (3, AXIS_NAMES, "f", make_field),
    (3, LABELS, "w", make_field),
)
_SPEC: tuple[tuple[Option, str, _Make], ...] = (
    (VIEW, "u", make_field),
    (WHICH, "a", lambda option: HeadsField()),
    (ARRANGE, "v", make_field),
    (MATRIX, "h", make_field),
    (_COMPARE, "b", lambda option: CompareField()),
    (_CELL, "l", lambda option: CellField()),
    (_TOKENS, "w", lambda option: LineField(option, "all")),
    (THRESHOLD, "b", make_field),
    (REACH, "n", make_field),
)


def _with_unit(option: Option, unit: str) -> Field:
    field = make_field(option)
    assert isinstance(field.editor, QSpinBox | QDoubleSpinBox)
    field.editor.setSuffix(unit)
    return field


class Row:
    """A label, a field and, beneath it, what is wrong with its value."""

    def __init__(self, form: QFormLayout, option: Option, key: str, make: _Make) -> None:
        self.option = option
        self.field = make(option)
        self.message = PlainLabel(role="error")
        self.message.hide()
        self._form = form
        self.place = QWidget()
        column = QVBoxLayout(self.place)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.field)
        column.addWidget(self.message)
        text = _with_key(option.label, key)
        if isinstance(self.field, BoolField):  # a check box carries its own label
            self.field.editor.setText(text)  # type: ignore[attr-defined]  # it is a check box
            form.addRow(self.place)
            return
        label = QLabel(text)
        buddy: QWidget = self.field
        while (inner := buddy.focusProxy()) is not None:  # a key reaches no widget but the last
            buddy = inner
        label.setBuddy(buddy)
        label.setToolTip(option.help)
        form.addRow(label, self.place)

    def set_visible(self, is_visible: bool) -> None:
        self._form.setRowVisible(self.place, is_visible)

    def say(self, sentence: str) -> None:
        """Shows what is wrong; an empty sentence hides it."""
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))


def _are_several(layers: Numbers, heads: Numbers) -> bool:
    return any(numbers is None or len(numbers) > 1 for numbers in (layers, heads))


def _with_key(label: str, key: str) -> str:
    place = label.lower().index(key)
    return f"{label[:place]}&{label[place:]}"


class FigureForm(QTabWidget):
    """All that is chosen of a picture; ``changed`` says that something is another now."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.rows: dict[str, Row] = {}
        self._pages: dict[str, int] = {}
        self._is_filling = False
        self._is_widened = False  # whether all heads are shown because the picture asked for it
        forms = [self._add_page(title) for title in _PAGES]
        for option, key, make in _SPEC:
            self._add_row(0, forms[0], option, key, make)
        for page, option, key, make in _LOOK:
            self._add_row(page, forms[page], option, key, make)
        self._heads.changed.disconnect()
        self._heads.changed.connect(self._on_heads)
        self._field(VIEW.name).changed.connect(self._on_view)

    def _add_page(self, title: str) -> QFormLayout:
        # Widgets are styled whenever their window becomes another one: the place is made first.
        scroll = QScrollArea()
        self.addTab(scroll, title)
        content = QWidget()
        scroll.setWidget(content)
        form = QFormLayout(content)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setContentsMargins(2, 10, 8, 4)
        form.setVerticalSpacing(8)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the focus
        return form

    def _add_row(self, page: int, form: QFormLayout, option: Option, key: str, make: _Make) -> None:
        row = Row(form, option, key, make)
        row.field.changed.connect(self._on_changed)
        self.rows[option.name] = row
        self._pages[option.name] = page

    def _field(self, name: str) -> Any:
        return self.rows[name].field

    @property
    def _heads(self) -> HeadsField:
        field = self._field(WHICH.name)
        assert isinstance(field, HeadsField)
        return field

    # --- filling it -----------------------------------------------------------------------------

    def show_result(self, result: RunResult) -> None:
        """Takes what there is to choose from."""
        self._is_filling = True
        self._field("cell").set_words([token.text for token in result.tokens])
        self._field("compare").set_own(result.encoding_title)
        self._is_filling = False

    def show_spec(self, spec: Spec, result: RunResult, one: tuple[int, int]) -> None:
        """Shows what of a result is exported.

        Args:
            spec: What the picture begins with.
            result: What it is about.
            one: Layer and head, from 0, that “this head” means; the head may be ``MEAN_HEAD``.
        """
        self.show_result(result)
        self._is_filling = True
        self._is_widened = False
        self._heads.set_one(*one)
        self._heads.set_value((spec.layers, spec.heads))
        for name in ("view", "arrange", "matrix", "threshold", "reach"):
            self._field(name).set_value(getattr(spec, name))
        self._field("tokens").set_value("" if spec.tokens is None else numbers_text(spec.tokens))
        cell = spec.cell if spec.cell and max(spec.cell) < len(result.tokens) else None
        self._field("cell").set_value(cell or replace(spec, cell=None).chosen_cell(result))
        named = spec.compare or compared_encodings(result, replace(spec, view="compare"), "compare")
        self._field("compare").set_value(named)
        self._is_filling = False
        self._show_what_matters()
        self.changed.emit()

    def show_look(self, values: Mapping[str, Any]) -> None:
        """Shows values of a look; the others stay."""
        look = {**self.look().flat(), **values}
        self._is_filling = True
        for name, row in self.rows.items():
            if name == _SIZE.name:
                row.field.set_value(look)  # type: ignore[arg-type]  # takes what it needs
            elif self._pages[name] > 0:
                row.field.set_value(look[name])
        self._is_filling = False
        self.changed.emit()

    def show_page_height(self, height: float) -> None:
        """Shows how high in mm the picture came out."""
        self._field(_SIZE.name).show_page_height(height)

    # --- reading it -----------------------------------------------------------------------------

    def spec(self) -> Spec:
        """What is exported: of what the picture does not use, the defaults.

        Raises:
            PosencError: A value is not allowed.
        """
        view = str(self._field(VIEW.name).value())
        layers, heads = self._heads.value()
        values: dict[str, Any] = {"layers": layers, "heads": heads}
        for name in PICTURES[view].uses - values.keys():
            values[name] = self._field(name).value()
        if "tokens" in values:
            text = values["tokens"].strip()
            values["tokens"] = parse_numbers("tokens", text) if text else None
        if not _are_several(layers, heads):
            values.pop(ARRANGE.name, None)
        return Spec(**values, view=view)

    def look(self) -> Look:
        """How it looks.

        Raises:
            PosencError: A value is not allowed.
        """
        values = {name: self._field(name).value() for name in self.rows if self._pages[name] > 0}
        return Look.of({**values.pop(_SIZE.name), **values})

    # --- what is wrong, and what matters --------------------------------------------------------

    def say(self, setting: str, sentence: str) -> bool:
        """Shows a sentence beside the field that it is about, and none beside the others.

        Returns:
            Whether the field can be seen.
        """
        name = _SIZE.name if setting in ("width_mm", "height_mm") else setting
        name = WHICH.name if name == "layers" else name
        for other, row in self.rows.items():
            row.say(sentence if other == name else "")
        return name in self.rows and self.rows[name].place.isVisibleTo(self)

    def _show_what_matters(self) -> None:
        kind = PICTURES[str(self._field(VIEW.name).value())]
        several = _are_several(*self._numbers())
        for name, row in self.rows.items():
            if self._pages[name] == 0 and name != VIEW.name:
                is_used = name in kind.uses
                row.set_visible(is_used and (name != ARRANGE.name or several))
        self._field(VIEW.name).setToolTip(kind.summary)

    def _numbers(self) -> tuple[Numbers, Numbers]:
        try:
            return self._heads.value()
        except PosencError:  # ``spec`` says it
            return None, None

    @Slot()
    def _on_changed(self) -> None:
        if not self._is_filling:
            self.changed.emit()

    @Slot()
    def _on_heads(self) -> None:
        if not self._is_filling:
            self._is_widened = False
            self._show_what_matters()
            self.changed.emit()

    @Slot()
    def _on_view(self) -> None:
        """The picture of all heads shows all of them, unless others were named."""
        if self._is_filling:
            return
        is_overview = self._field(VIEW.name).value() == _OVERVIEW
        blocker = QSignalBlocker(self._heads)
        if is_overview and not self._heads.is_typed():
            self._heads.set_value((None, None))
            self._is_widened = True
        elif self._is_widened:
            self._heads.choose_one()
            self._is_widened = False
        del blocker
        self._show_what_matters()
