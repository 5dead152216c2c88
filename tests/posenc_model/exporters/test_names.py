"""What the files of many texts are called."""

from pathlib import Path

import pytest

from posenc_model.errors import PosencError
from posenc_model.exporters.names import FIELDS, checked_pattern, filled, slug


def test_a_name_without_a_field_gets_the_number():
    assert checked_pattern(Path("out/a.svg")) == Path("out/a-{number}.svg")
    assert checked_pattern(Path("a.b.svg")) == Path("a.b-{number}.svg")


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_filled_in(field):
    pattern = checked_pattern(Path(f"out/x-{{{field}}}.svg"))
    assert filled(pattern, {field: "value"}) == Path("out/x-value.svg")


def test_fields_may_stand_in_the_folder_and_braces_may_stand_for_themselves():
    pattern = checked_pattern(Path("{encoding}/{{{number}}}.svg"))
    assert filled(pattern, {"encoding": "rel", "number": "07"}) == Path("rel/{07}.svg")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("{line}.svg", "has the field {line}, but takes these only: {number}, {encoding}, "),
        ("{}.svg", "has the field {}, but"),
        ("{number:03}.svg", "has the field {number:03}, but"),
        ("{text!r}.svg", "has the field {text!r}, but"),
        ("{text.__class__}.svg", "has the field {text.__class__}, but"),
        ("{number.svg", "has a brace without its other half; write {{ or }} for one"),
        ("a}.svg", "has a brace without its other half"),
    ],
)
def test_other_fields_are_refused(name, sentence):
    with pytest.raises(PosencError) as refusal:
        checked_pattern(Path(name))
    assert sentence in refusal.value.sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dog bites the man.", "the-dog-bites-the-man"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\0b\n<c>:*?|\\", "a-b-c"),
        ("…!?", "text"),
        ("她们 naïve", "她们-naïve"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),  # vowel signs are no letters
        ("-rf --help", "rf-help"),
        ("word " * 50, "word-word-word-word-word-word-word-word"),
        ("sentences " * 50, "sentences-sentences-sentences-sentences"),
        (
            "a word-by-word-list-of-many-words-in-a-row that goes on",
            "a-word-by-word-list-of-many-words-in-a",
        ),
    ],
)
def test_the_beginning_of_a_text_is_safe_in_a_name(text, expected):
    assert slug(text) == expected


def test_no_beginning_is_too_long_for_a_file():
    for text in ("x" * 500, "她" * 500, "😀a" * 500, "e\u0301" * 500):
        assert len(slug(text)) <= 40
        assert len(slug(text).encode()) <= 120
        slug(text).encode().decode()
