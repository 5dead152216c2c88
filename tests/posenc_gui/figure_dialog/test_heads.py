"""The field for layers and heads."""

import pytest

from posenc_gui.figure_dialog.heads import HeadsField
from posenc_model.errors import PosencError
from posenc_model.request import MEAN_HEAD

ONE, LAYER, ALL, TYPED = range(4)


@pytest.fixture
def field(qtbot):
    made = HeadsField()
    qtbot.addWidget(made)
    made.set_one(1, 2)
    return made


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (((1,), (2,)), ONE),
        (((1,), None), LAYER),
        ((None, None), ALL),
        (((0, 1, 2), (4,)), TYPED),
        (((0,), (MEAN_HEAD,)), TYPED),
    ],
)
def test_what_is_shown_is_read_back(field, value, row):
    field.set_value(value)
    assert field.which.currentIndex() == row
    assert field.value() == value
    assert field.layers.isVisibleTo(field) == (row == TYPED)


def test_the_choices_name_the_head(field):
    texts = [field.which.itemText(row) for row in range(3)]
    assert texts == [
        "this one: layer 2, head 3",
        "all heads of layer 2",
        "all layers and heads",
    ]
    field.set_one(0, MEAN_HEAD)
    assert field.which.itemText(ONE) == "this one: layer 1, mean over heads"
    assert field.value() == ((0,), (MEAN_HEAD,))


def test_typing_begins_with_what_was_chosen(field):
    field.which.setCurrentIndex(LAYER)
    field.which.setCurrentIndex(TYPED)
    assert (field.layers.value(), field.heads.value()) == ("2", "all")
    assert field.value() == ((1,), None)


def test_what_was_typed_wrong_is_named(field, qtbot):
    field.which.setCurrentIndex(TYPED)
    with qtbot.waitSignal(field.changed):
        field.heads.line.setText("3-1")
    with pytest.raises(PosencError, match="heads is “3-1”") as caught:
        field.value()
    assert caught.value.setting == "heads"
    field.heads.line.setText("1-3, 7")
    assert field.value() == ((1,), (0, 1, 2, 6))
