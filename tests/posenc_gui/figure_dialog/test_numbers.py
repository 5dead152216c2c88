"""Numbers as they are typed."""

import pytest

from posenc_gui.figure_dialog.numbers import NumberField
from posenc_model.exporters.look import DPI, FONT_SIZE


@pytest.mark.parametrize(
    ("option", "typed", "shown", "expected"),
    [
        (FONT_SIZE, "6,5", "6.5 pt", 6.5),
        (FONT_SIZE, "7.25", "7.25 pt", 7.25),
        (FONT_SIZE, "12,000", "12 pt", 12.0),  # a comma is a point, wherever it stands
        (DPI, "3000", "3000 pt", 3000),
        (DPI, "72.5", "725 pt", 725),
    ],
)
def test_a_number_is_typed(qtbot, option, typed, shown, expected):
    field = NumberField(option, 1, " pt")
    qtbot.addWidget(field)
    field.box.selectAll()
    qtbot.keyClicks(field.box, typed)
    assert field.value() == expected
    assert type(field.value()) is type(expected)
    field.box.interpretText()
    field.set_value(field.value())
    field.box.clearFocus()
    assert field.box.textFromValue(field.value()) + " pt" == shown


def test_the_arrows_stop_at_the_ends(qtbot):
    field = NumberField(FONT_SIZE, 0.5)
    qtbot.addWidget(field)
    field.set_value(71.9)
    field.box.stepUp()
    assert field.value() == 72
    field.set_value(1)
    field.box.stepDown()
    assert field.value() == 3
