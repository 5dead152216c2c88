"""The form of the figure dialog, built from the declared options of what is exported and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QLabel,
    QScrollArea,
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
from posenc_gui.figure_dialog.heads import LAYERS, WHICH, HeadsField, Numbers, with_hyphens
from posenc_gui.figure_dialog.numbers import NumberField
from posenc_gui.fonts import FIGURE_FAMILY
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
    HEIGHT_MM,
    LABELS,
    NUMBERS,
    THEME,
    TITLE,
    WIDTH_MM,
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
_COMPARE = Option("compare", "text", "", "Compare with", "Which other encodings are shown.")
_SIZE = Option("size", "text", "", "Size", "Width and height of the picture.")
_PAGES = ("&Picture", "Size and &type", "C&olours", "Te&xt")
_OVERVIEW = "overview"

# What is read into a look: page, option, the letter of its label that reaches it, and its field.
# Letters differ from those of the buttons and pages, and on one page from each other.
_Make = Callable[[Option], Field | GroupField]
_LOOK: tuple[tuple[int, Option, str, _Make], ...] = (
    (1, _SIZE, "z", lambda option: SizeField()),
    (1, DPI, "u", lambda option: NumberField(option, 10, " dpi")),
    (1, FONT, "f", FontField),
    (1, FONT_SIZE, "e", lambda option: NumberField(option, 0.5, " pt")),
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
    (_COMPARE, "e", lambda option: CompareField()),
    (_CELL, "l", lambda option: CellField()),
    (_TOKENS, "w", lambda option: LineField(option, "all")),
    (THRESHOLD, "b", lambda option: NumberField(option, 0.01)),
    (REACH, "n", lambda option: NumberField(option, 1)),
)


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


def _row_of(setting: str) -> str:
    """The name of the row in which a setting is chosen."""
    if setting in (WIDTH_MM.name, HEIGHT_MM.name):
        return _SIZE.name
    return WHICH.name if setting == LAYERS.name else setting


def _are_several(layers: Numbers, heads: Numbers) -> bool:
    return any(numbers is None or len(numbers) > 1 for numbers in (layers, heads))


def _in_words(sentence: str, setting: str, label: str) -> str:
    """A sentence about an option, with what the form calls it in place of its name."""
    named = f"{setting} "
    return f"“{label}” {sentence.removeprefix(named)}" if sentence.startswith(named) else sentence


def _with_key(label: str, key: str) -> str:
    place = label.lower().index(key)
    return f"{label[:place]}&{label[place:]}"


class FigureForm(QTabWidget):
    """All that is chosen of a picture; ``changed`` says that something is another now.

    A field may show less than a value has, rounded say: what it was given holds until it is edited.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.tabBar().setAccessibleName("Pages of what is chosen")
        self._rows: dict[str, Row] = {}
        self._pages: dict[str, int] = {}
        self._given: dict[str, Any] = {}
        self._edited: set[str] = set()
        self._is_filling = False
        self._is_widened = False  # whether all heads are shown because the picture asked for it
        forms = [self._add_page(title) for title in _PAGES]
        self._parts = self._make_rows(forms)

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

    def _make_rows(self, forms: list[QFormLayout]) -> Iterator[None]:
        for page, option, key, make in (*((0, *rest) for rest in _SPEC), *_LOOK):
            row = Row(forms[page], option, key, make)
            self._rows[option.name] = row
            self._pages[option.name] = page
            row.field.changed.connect(partial(self._on_changed, option.name))
            yield
        self._rows[WHICH.name].field.changed.connect(self._on_heads)
        self._rows[VIEW.name].field.changed.connect(self._on_view)

    def build_some(self) -> bool:
        """Makes the next row, which takes a moment each; says whether there may be more."""
        return next(self._parts, self) is None

    @property
    def rows(self) -> dict[str, Row]:
        """All rows by the name of their option."""
        while self.build_some():
            pass
        return self._rows

    def _field(self, name: str) -> Any:
        return self.rows[name].field

    def _value(self, name: str) -> Any:
        return self._given[name] if name in self._given else self._field(name).value()

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
        # The fields show what there is now, whatever they were given for another result.
        self._given.pop("cell", None)
        self._given.pop("compare", None)
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
            self._give(name, getattr(spec, name))
        self._give("tokens", "" if spec.tokens is None else numbers_text(spec.tokens))
        is_there = spec.cell is None or max(spec.cell) < len(result.tokens)
        shown = spec if is_there else replace(spec, cell=None)
        self._give("cell", shown.chosen_cell(result))
        self._given["cell"] = spec.cell if is_there else shown.chosen_cell(result)
        named = spec.compare or compared_encodings(result, replace(spec, view="compare"), "compare")
        self._give("compare", named)
        self._given["compare"] = spec.compare
        self._is_filling = False
        self._show_what_matters()
        self.changed.emit()

    def begin_look(self, look: Look) -> None:
        """Shows the look that a picture begins with."""
        self._show_look(look.flat())
        self._edited.clear()

    def show_look(self, values: Mapping[str, Any]) -> None:
        """Shows values of a look that the user has chosen together; the others stay."""
        self._show_look(values)
        self._edited |= set(values)
        self.changed.emit()

    def _show_look(self, values: Mapping[str, Any]) -> None:
        self._is_filling = True
        size = {name: values[name] for name in (WIDTH_MM.name, HEIGHT_MM.name) if name in values}
        if size:
            self._give(_SIZE.name, {**self._size(), **size})
        for name, page in self._pages.items():
            if page > 0 and name in values:
                self._give(name, values[name])
        self._is_filling = False

    def _size(self) -> dict[str, Any]:
        try:
            return dict(self._value(_SIZE.name))
        except PosencError:  # what was typed is not allowed
            return {WIDTH_MM.name: WIDTH_MM.default, HEIGHT_MM.name: HEIGHT_MM.default}

    def _give(self, name: str, value: Any) -> None:
        self._field(name).set_value(value)
        self._given[name] = value

    def show_page_height(self, height: float) -> None:
        """Shows how high in mm the picture came out."""
        self._field(_SIZE.name).show_page_height(height)

    # --- reading it -----------------------------------------------------------------------------

    def spec(self) -> Spec:
        """What is exported: of what the picture does not use, the defaults.

        Raises:
            PosencError: A value is not allowed.
        """
        view = str(self._value(VIEW.name))
        layers, heads = self._heads.value()
        values: dict[str, Any] = {"layers": layers, "heads": heads}
        for name in PICTURES[view].uses - values.keys():
            values[name] = self._value(name)
        if "tokens" in values:
            text = values["tokens"].strip()
            values["tokens"] = parse_numbers("tokens", with_hyphens(text)) if text else None
        if not _are_several(layers, heads):
            values.pop(ARRANGE.name, None)
        return Spec(**values, view=view)

    def look(self) -> Look:
        """How it looks.

        Raises:
            PosencError: A value is not allowed.
        """
        values = {name: self._value(name) for name in self.rows if self._pages[name] > 0}
        look = Look.of({**values.pop(_SIZE.name), **values})
        if not QFontDatabase.hasFamily(look.font):
            raise PosencError(
                f"“{look.font}” is not on this machine; choose another font, such as "
                f"{FIGURE_FAMILY}.",
                FONT.name,
            )
        return look

    def edited_look(self, look: Look) -> dict[str, Any]:
        """Of a look of this form, what the user has chosen, by name."""
        return {name: value for name, value in look.flat().items() if name in self._edited}

    # --- what is wrong, and what matters --------------------------------------------------------

    def say(self, setting: str, sentence: str) -> bool:
        """Shows a sentence beside the field that it is about, and none beside the others.

        Returns:
            Whether the field can be seen.
        """
        name = _row_of(setting)
        for other, row in self.rows.items():
            row.say(self.in_words(setting, sentence) if other == name else "")
        return name in self.rows and self.rows[name].place.isVisibleTo(self)

    def in_words(self, setting: str, sentence: str) -> str:
        """A sentence about an option in the words of this form."""
        row = self.rows.get(_row_of(setting))
        if row is None:
            return sentence
        label = LAYERS.label if setting == LAYERS.name else row.option.label
        return _in_words(sentence, setting, label)

    def _show_what_matters(self) -> None:
        kind = PICTURES[str(self._value(VIEW.name))]
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

    def _on_changed(self, name: str) -> None:
        if self._is_filling:
            return
        self._given.pop(name, None)
        self._edited |= {WIDTH_MM.name, HEIGHT_MM.name} if name == _SIZE.name else {name}
        if name != WHICH.name:  # ``_on_heads`` says it
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
        is_overview = self._value(VIEW.name) == _OVERVIEW
        blocker = QSignalBlocker(self._heads)
        if is_overview and not self._heads.is_typed():
            self._heads.set_value((None, None))
            self._is_widened = True
        elif self._is_widened:
            self._heads.choose_one()
            self._is_widened = False
        del blocker
        self._show_what_matters()
