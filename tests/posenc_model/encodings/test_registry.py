"""The registry of encodings."""

import pytest

from posenc_model.encodings import ENCODINGS, encoding_choices
from posenc_model.encodings.base import PositionalEncoding


@pytest.mark.parametrize("name", ENCODINGS)
def test_each_entry_loads_an_encoding_and_its_defaults_go_together(name):
    info = ENCODINGS[name]
    assert info.name == name
    assert issubclass(info.load(), PositionalEncoding)
    info.check({option.name: option.check(option.default) for option in info.options})


def test_the_four_encodings_of_the_specification_can_be_chosen():
    assert {choice.value for choice in encoding_choices()} >= {"none", "abs", "rel", "t5"}
    assert all(choice.summary.endswith(".") for choice in encoding_choices())


def test_no_two_encodings_give_one_option_name_two_meanings():
    names = [option.name for info in ENCODINGS.values() for option in info.options]
    assert len(names) == len(set(names))
