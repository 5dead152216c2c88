"""What of a result is exported."""

from dataclasses import fields

import pytest

from posenc_model.errors import PosencError
from posenc_model.exporters.spec import (
    PICTURES,
    Spec,
    numbers_text,
    parse_cell,
    parse_numbers,
)
from posenc_model.request import MEAN_HEAD
from posenc_model.run import encode

CHANGED = Spec(
    view="lines",
    layers=(0, 1, 4),
    heads=None,
    arrange="files",
    matrix="scores",
    tokens=(3, 0, 1),
    cell=(4, 1),
    compare=("abs", "rel"),
    threshold=0.25,
    reach=7,
    table="long",
)


def test_a_spec_is_given_back_by_its_values():
    assert Spec.of({}) == Spec()
    for field in fields(Spec):
        assert getattr(CHANGED, field.name) != field.default
    assert Spec.of(CHANGED.flat()) == CHANGED
    assert Spec.of(Spec(heads=(MEAN_HEAD,)).flat()).heads == (MEAN_HEAD,)


def test_pictures_use_what_a_spec_has():
    for kind in PICTURES.values():
        assert {"layers", "heads"} <= kind.uses <= {field.name for field in fields(Spec)}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3", (2,)),
        ("1-3,7", (0, 1, 2, 6)),
        (" 2 - 3 , 1 ", (1, 2, 0)),
        ("1,1-2,2", (0, 1)),
        ("all", None),
        ("ALL", None),
    ],
)
def test_numbers_are_read_and_written(text, numbers):
    assert parse_numbers("layers", text) == numbers
    assert parse_numbers("layers", numbers_text(numbers)) == numbers


def test_the_mean_is_one_of_the_heads():
    assert parse_numbers("heads", "mean") == (MEAN_HEAD,)
    assert numbers_text((MEAN_HEAD,)) == "mean"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("layers", "mean"),
        ("layers", "0"),
        ("layers", "-1"),
        ("layers", "3-1"),
        ("layers", "1-"),
        ("layers", ""),
        ("layers", "1.5"),
        ("layers", "1-99999999999"),
        ("heads", "mean,1"),
        ("heads", "1,all"),
        ("tokens", "1-4097"),
        ("tokens", "9" * 5000),
    ],
)
def test_other_numbers_are_refused(name, text):
    with pytest.raises(PosencError, match=f"^{name} is “.*”, but has to be all"):
        parse_numbers(name, text)


def test_cells_are_read():
    assert parse_cell("5, 2") == (4, 1)
    for text in ("5", "5,0", "5,2,1", "a,b", "", "5-2", "5,9999"):
        with pytest.raises(PosencError, match="has to be two tokens counted from 1"):
            parse_cell(text)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"view": "all"}, "view is “all”, but has to be one of matrix, overview, "),
        (
            {"compare": "abs,gpt"},
            "compare has “gpt”, but takes encodings only: t5, rel, abs, none.",
        ),
        ({"threshold": 2.0}, "threshold is 2.0, but has to be a number from 0 to 1."),
        ({"reach": 0}, "reach is 0, but has to be a whole number from 1 to 4,096."),
        ({"nonsense": 1}, "There is no “nonsense” in what is exported."),
    ],
)
def test_what_is_not_allowed_is_refused(values, sentence):
    with pytest.raises(PosencError) as refusal:
        Spec.of(values)
    assert refusal.value.sentence.startswith(sentence)


@pytest.mark.parametrize("name", ["layers", "heads", "tokens"])
def test_nothing_is_not_a_choice(name):
    with pytest.raises(PosencError, match=f"{name} is empty"):
        Spec(**{name: ()})


@pytest.fixture(scope="module")
def result():
    return encode("a b c d", nlp_pipeline="whitespace", width=16, num_layers=2, num_heads=2)


def test_what_is_meant_of_a_result(result):
    every = Spec(layers=None, heads=None)
    assert every.chosen_layers(result) == (0, 1)
    assert every.chosen_heads(result) == (0, 1)
    assert every.chosen_tokens(result) == (0, 1, 2, 3)
    assert every.chosen_cell(result) == (2, 1)
    named = Spec(heads=(MEAN_HEAD,), tokens=(3, 0), cell=(0, 3))
    assert named.chosen_heads(result) == (MEAN_HEAD,)
    assert named.chosen_tokens(result) == (3, 0)
    assert named.chosen_cell(result) == (0, 3)


def test_what_a_result_does_not_have_is_refused(result):
    with pytest.raises(PosencError, match="layer is 3, but has to be from 1 to 2"):
        Spec(layers=(0, 2)).chosen_layers(result)
    with pytest.raises(PosencError, match="head is 3, but has to be from 1 to 2, or mean"):
        Spec(heads=(2,)).chosen_heads(result)
    with pytest.raises(PosencError, match="token is 5, but has to be from 1 to 4"):
        Spec(tokens=(4,)).chosen_tokens(result)
    with pytest.raises(PosencError, match="token is 5, but has to be from 1 to 4"):
        Spec(cell=(0, 4)).chosen_cell(result)


def test_a_text_of_one_word_has_a_cell():
    result = encode("a", nlp_pipeline="whitespace", width=16, num_layers=1, num_heads=1)
    assert Spec().chosen_cell(result) == (0, 0)
