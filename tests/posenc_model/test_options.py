"""Options as data."""

import pytest

from posenc_model.errors import PosencError
from posenc_model.options import Choice, Option, check_all

WHOLE = Option("n", "int", 3, "N", "", minimum=1, maximum=2**31 - 1)
REAL = Option("x", "float", 0.5, "X", "", minimum=0, maximum=1)
FLAG = Option("on", "bool", True, "On", "")
PICK = Option("p", "choice", "a", "P", "", choices=lambda: (Choice("a", "A"), Choice("b", "B")))
OPEN = Option("o", "choice", "a", "O", "", choices=lambda: (Choice("a", "A"),), open_ended=True)
WORDS = Option("w", "text", "", "W", "")


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (WHOLE, "7", 7),
        (WHOLE, " 7 ", 7),
        (REAL, "0.25", 0.25),
        (REAL, "1", 1.0),
        *((FLAG, word, True) for word in ("true", "yes", "on", "1", "TRUE", " Yes ")),
        *((FLAG, word, False) for word in ("false", "no", "off", "0", "False", "NO")),
        (PICK, "b", "b"),
        (OPEN, "/some/file.txt", "/some/file.txt"),
        (WORDS, "any text", "any text"),
    ],
)
def test_text_is_read_as_a_value(option, text, value):
    assert option.parse(text) == value
    assert type(option.parse(text)) is type(value)


@pytest.mark.parametrize(
    ("option", "text", "sentence"),
    [
        (WHOLE, "x", "n is “x”, but has to be a whole number from 1 to 2,147,483,647."),
        (WHOLE, "1.5", "n is “1.5”, but has to be a whole number from 1 to 2,147,483,647."),
        (WHOLE, "0", "n is 0, but has to be a whole number from 1 to 2,147,483,647."),
        (REAL, "nan", "x is nan, but has to be a number from 0 to 1."),
        (REAL, "inf", "x is inf, but has to be a number from 0 to 1."),
        (REAL, "", "x is “”, but has to be a number from 0 to 1."),
        (FLAG, "maybe", "on is “maybe”, but has to be true or false (also yes/no, on/off, 1/0)."),
        (FLAG, "", "on is “”, but has to be true or false (also yes/no, on/off, 1/0)."),
        (PICK, "c", "p is “c”, but has to be one of a, b."),
    ],
)
def test_text_that_is_no_value_is_refused_in_a_sentence(option, text, sentence):
    with pytest.raises(PosencError) as refusal:
        option.parse(text)
    assert refusal.value.sentence == sentence
    assert refusal.value.setting == option.name


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (WHOLE, True),
        (WHOLE, 2.0),
        (WHOLE, "2"),
        (WHOLE, None),
        (REAL, True),
        (REAL, "0.5"),
        (REAL, 10**400),  # larger than any float
        (FLAG, 1),
        (FLAG, "true"),
        (PICK, 1),
        (PICK, ["a"]),
        (OPEN, 1),
        (WORDS, None),
    ],
)
def test_values_of_another_type_are_refused(option, value):
    with pytest.raises(PosencError):
        option.check(value)


def test_a_whole_number_will_do_where_a_number_is_wanted():
    assert REAL.check(1) == 1.0
    assert isinstance(REAL.check(1), float)


def test_a_number_too_long_to_be_written_is_refused_in_a_short_sentence():
    for refuse in (lambda: WHOLE.check(10**5000), lambda: WHOLE.parse("9" * 5000)):
        with pytest.raises(PosencError) as refusal:
            refuse()
        assert len(refusal.value.sentence) < 150


def test_all_are_checked_and_defaults_filled_in():
    assert check_all((WHOLE, REAL), {"x": 0.1}) == {"n": 3, "x": 0.1}
    with pytest.raises(PosencError, match="no option “y” here; allowed: n, x"):
        check_all((WHOLE, REAL), {"y": 1})
    with pytest.raises(PosencError, match="n is 0"):
        check_all((WHOLE, REAL), {"n": 0})


def test_what_is_installed_is_asked_each_time():
    allowed = [Choice("a", "A")]
    option = Option("p", "choice", "a", "P", "", choices=lambda: tuple(allowed))
    with pytest.raises(PosencError):
        option.check("new")
    allowed.append(Choice("new", "New"))
    assert option.check("new") == "new"
