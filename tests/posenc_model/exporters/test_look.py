"""How an exported picture looks: values, sizes and presets."""

from dataclasses import fields

import pytest

from posenc_gui.figures.colormaps import COLOR_MAPS
from posenc_model.errors import PosencError
from posenc_model.exporters.look import (
    COLOR_MAP_TITLES,
    LOOK_OPTIONS,
    PRESETS,
    Look,
    levels_of,
    parse_size,
)

CHANGED = Look(
    width_mm=85.5,
    height_mm=60,
    dpi=72,
    font="Noto Serif",
    font_size=7.5,
    theme="transparent",
    color_map="magma",
    color_range="-1,0.5",
    title="",
    caption="A caption.",
    color_bar=False,
    axis_names=False,
    labels="turned",
    numbers=True,
)


def test_every_field_is_an_option_with_the_same_default():
    assert [field.name for field in fields(Look)] == [option.name for option in LOOK_OPTIONS]
    for field, option in zip(fields(Look), LOOK_OPTIONS, strict=True):
        assert field.default == option.default


def test_a_look_is_given_back_by_its_values():
    assert Look.of({}) == Look()
    for field in fields(Look):
        assert getattr(CHANGED, field.name) != field.default
    assert Look.of(CHANGED.flat()) == CHANGED


def test_every_color_map_can_be_drawn():
    assert set(COLOR_MAP_TITLES) == set(COLOR_MAPS)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"dpi": 3000}, "dpi is 3000, but has to be a whole number from 36 to 2,400."),
        ({"height_mm": 5.0}, "height_mm is 5, but has to be 0"),
        ({"width_mm": 5}, "width_mm is 5, but has to be a number from 20 to 2,000."),
        ({"theme": "red"}, "theme is “red”, but has to be one of light, dark, transparent, "),
        ({"color_range": "1,0"}, "color_range is “1,0”, but has to be auto, largest, or two"),
        ({"shine": 1}, "There is no “shine” in the look of a picture."),
    ],
)
def test_what_is_not_allowed_is_refused(values, sentence):
    with pytest.raises(PosencError) as refusal:
        Look.of(values)
    assert refusal.value.sentence.startswith(sentence)


@pytest.mark.parametrize("text", ["0", "0,nan", "nan,1", "0,inf", "1,1", "", "a,b", "0,1,2", "0;1"])
def test_a_range_has_two_numbers_the_smaller_first(text):
    with pytest.raises(PosencError, match="color_range is"):
        levels_of(text)
    assert levels_of("-0.5, 1e3") == (-0.5, 1000.0)
    assert levels_of("largest") == "largest"


@pytest.mark.parametrize(
    ("text", "width", "height"),
    [
        ("85x60mm", 85, 60),
        ("85mm", 85, 0),
        (" 8.5 x 6 cm ", 85, 60),
        ("3.5X2.5in", 88.9, 63.5),
        ("720×360pt", 254, 127),
        ("960px", 254, 0),
    ],
)
def test_sizes_are_read_in_every_unit(text, width, height):
    assert parse_size(text) == {"width_mm": width, "height_mm": height}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_sizes_too(name):
    values = parse_size(f" {name.upper()} ")
    assert values == PRESETS[name].values
    assert Look.of(values).width_mm == values["width_mm"]


@pytest.mark.parametrize("text", ["", "85", "mm", "85x mm", "x60mm", "85x60", "..mm", "-85mm"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(PosencError, match="but has to be single, double, slide, square, or"):
        parse_size(text)


@pytest.mark.parametrize("text", ["85x0mm", "5mm", "3000mm", "85x5mm", "0mm"])
def test_sizes_that_nobody_prints_are_refused(text):
    with pytest.raises(PosencError, match="both sides have to be from 20 to 2,000 mm"):
        parse_size(text)


@pytest.mark.parametrize(
    "values", [(85.0, 60.0), (338.6667, 190.5), (20.12345, 0.0), (1999.99999, 0)]
)
def test_a_size_is_read_as_it_is_written(values):
    look = Look(width_mm=values[0], height_mm=values[1])
    assert parse_size(look.size) == {"width_mm": look.width_mm, "height_mm": look.height_mm}
