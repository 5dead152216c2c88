"""Fields of several parts: what they show is what they give."""

import pytest

from posenc_gui.figure_dialog.fields import (
    CellField,
    CompareField,
    FontField,
    RangeField,
    SizeField,
    WordsField,
)
from posenc_model.errors import PosencError
from posenc_model.exporters.look import (
    COLOR_RANGE,
    FONT,
    PRESETS,
    TITLE,
    levels_of,
)


@pytest.fixture
def size(qtbot):
    field = SizeField()
    qtbot.addWidget(field)
    return field


def test_a_size_is_exact_in_any_unit(size):
    slide = {name: PRESETS["slide"].values[name] for name in ("width_mm", "height_mm")}
    size.set_value(slide)
    size.unit.setCurrentIndex(1)
    assert (size.width_box.text(), size.height_box.text()) == ("13.333", "7.5")
    size.unit.setCurrentIndex(0)
    assert (size.width_box.text(), size.height_box.text()) == ("338.667", "190.5")
    assert size.value() == slide


def test_inches_are_millimetres(size, qtbot):
    size.unit.setCurrentIndex(1)
    with qtbot.waitSignal(size.changed):
        size.width_box.setValue(2.0)
    assert size.value() == {"width_mm": 50.8, "height_mm": 0.0}
    for _ in range(10):
        size.width_box.stepDown()
    assert size.value()["width_mm"] == 20


@pytest.mark.parametrize(
    ("typed", "expected"), [("85,5", 85.5), ("85.25", 85.25), ("3000", None), ("5", None)]
)
def test_a_size_is_typed(size, qtbot, typed, expected):
    """A comma is a point in many countries; what is not allowed is not mended in silence."""
    size.width_box.selectAll()
    qtbot.keyClicks(size.width_box, typed)
    assert size.width_box.lineEdit().text() == typed
    if expected is None:
        with pytest.raises(PosencError, match="Width has to be from 20 to 2,000 mm") as caught:
            size.value()
        assert caught.value.setting == "width_mm"
    else:
        assert size.value()["width_mm"] == expected


def test_a_height_of_nothing_is_not_automatic(size):
    size.automatic.setChecked(False)
    size.height_box.setValue(0)
    with pytest.raises(PosencError, match="Height has to be"):
        size.value()


def test_the_height_begins_where_it_was_automatic(size):
    size.show_page_height(123.44)
    assert not size.height_box.isEnabled()
    assert size.height_box.value() == 123.4
    size.automatic.setChecked(False)
    assert size.value()["height_mm"] == pytest.approx(123.4)
    assert size.height_box.isEnabled()
    size.show_page_height(50)
    assert size.value()["height_mm"] == pytest.approx(123.4)
    size.automatic.setChecked(True)
    assert size.value()["height_mm"] == 0


@pytest.mark.parametrize("words", ["auto", "", "Figure 1: <b>cats</b>", "自动"])
def test_words(qtbot, words):
    field = WordsField(TITLE, "automatic")
    qtbot.addWidget(field)
    field.set_value(words)
    assert field.value() == words
    assert field.line.isVisibleTo(field) == (words not in ("auto", ""))


def test_own_words_that_are_empty_are_none(qtbot):
    field = WordsField(TITLE, "automatic")
    qtbot.addWidget(field)
    field.kind.setCurrentIndex(1)
    assert field.value() == ""
    with qtbot.waitSignal(field.changed):
        field.line.setText("Figure 1")
    assert field.value() == "Figure 1"


def test_ends_in_the_wrong_order(qtbot):
    field = RangeField(COLOR_RANGE)
    qtbot.addWidget(field)
    field.set_value("0,0.5")
    field.low.box.selectAll()
    qtbot.keyClicks(field.low.box, "0.00001")
    assert levels_of(field.value()) == (0.00001, 0.5)
    field.low.set_value(1)
    with pytest.raises(PosencError, match="The lower end has to be below") as caught:
        field.value()
    assert caught.value.setting == "color_range"


@pytest.mark.parametrize("value", ["auto", "largest", "0,0.5", "-2,3.25", "0.12345,1"])
def test_ranges(qtbot, value):
    field = RangeField(COLOR_RANGE)
    qtbot.addWidget(field)
    field.set_value(value)
    assert field.value() == value
    assert field.low.isVisibleTo(field) == ("," in value)


def test_a_cell_says_its_words(qtbot):
    field = CellField()
    qtbot.addWidget(field)
    field.set_words(["one", "<b>", "\u200b"])
    field.set_value((1, 2))
    assert field.value() == (1, 2)
    assert [label.text() for label in field.labels] == ["<b>", "U+200B"]
    field.set_words(["one"])
    assert field.value() == (0, 0)


def test_the_own_encoding_is_not_beside_itself(qtbot):
    field = CompareField()
    qtbot.addWidget(field)
    field.set_own("rel")
    field.set_value(("rel", "abs"))
    assert field.value() == ("abs",)
    assert not field.boxes["rel"].isEnabled()
    field.boxes["abs"].setChecked(False)
    with pytest.raises(PosencError, match="at least one") as caught:
        field.value()
    assert caught.value.setting == "compare"


def test_a_font_that_this_machine_lacks_is_named_not_replaced(qtbot):
    field = FontField(FONT)
    qtbot.addWidget(field)
    field.set_value("Noto Sans")
    assert field.value() == "Noto Sans"
    field.set_value("No Such Font")
    assert field.value() == "No Such Font"
