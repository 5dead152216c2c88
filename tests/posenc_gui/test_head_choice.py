"""The layer and head that all views show."""

import pytest

from posenc_gui.head_choice import HeadChoice
from posenc_model.request import MEAN_HEAD


@pytest.fixture
def choice(qtbot):
    made = HeadChoice()
    made.fit(4, 8)
    return made


def test_a_choice_is_told_once(qtbot, choice):
    with qtbot.waitSignal(choice.changed):
        choice.choose(2, 5)
    assert (choice.layer, choice.head) == (2, 5)
    with qtbot.assertNotEmitted(choice.changed):
        choice.choose(2, 5)


@pytest.mark.parametrize(("asked", "given"), [((9, 9), (3, 7)), ((-3, -2), (0, 0))])
def test_out_of_range_is_the_nearest(choice, asked, given):
    choice.choose(*asked)
    assert (choice.layer, choice.head) == given


def test_a_smaller_result_does_not_forget_the_choice(choice):
    choice.choose(3, 7)
    choice.fit(2, 4)
    assert (choice.layer, choice.head) == (1, 3)
    choice.fit(4, 8)
    assert (choice.layer, choice.head) == (3, 7)


def test_the_mean_keeps_the_head_in_mind(choice):
    choice.choose(1, 5)
    choice.show_mean(True)
    assert (choice.layer, choice.head, choice.one_head) == (1, MEAN_HEAD, 5)
    choice.choose(2, MEAN_HEAD)
    choice.show_mean(False)
    assert (choice.layer, choice.head) == (2, 5)
