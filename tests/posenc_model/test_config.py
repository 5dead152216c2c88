"""The frozen, validated configuration."""

import dataclasses

import pytest

from posenc_model.config import EncoderConfig, nearest_divisor
from posenc_model.errors import PosencError


@pytest.mark.parametrize(
    ("width", "wanted", "divisor"),
    [
        (39, 8, 3),  # a tie: |8−3| = |8−13|
        (12, 5, 4),  # a tie: 4 and 6
        (512, 12, 8),  # a tie: 8 and 16
        (512, 8, 8),
        (512, 13, 16),
        (7, 3, 1),
        (7, 5, 7),
        (1, 64, 1),
        (39, 64, 39),
        (100, 8, 10),
    ],
)
def test_the_nearest_divisor_and_the_smaller_of_two(width, wanted, divisor):
    assert nearest_divisor(width, wanted) == divisor


def test_heads_that_do_not_divide_the_width_are_replaced_with_a_warning():
    config = EncoderConfig(width=39, num_heads=8)
    assert config.num_heads == 3
    assert config.head_width == 13
    (warning,) = config.warnings
    assert "8" in warning
    assert "39" in warning
    assert "3." in warning
    assert EncoderConfig(width=512, num_heads=8).warnings == ()


def test_a_configuration_cannot_be_changed():
    config = EncoderConfig()
    for field in dataclasses.fields(config):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(config, field.name, getattr(config, field.name))


def test_equal_configurations_are_equal_and_can_be_keys():
    given = EncoderConfig(positional_encoding="rel", encoding_options={"clip_distance": 16})
    assert given == EncoderConfig(positional_encoding="rel")
    assert len({given, EncoderConfig(positional_encoding="rel"), EncoderConfig()}) == 2


def test_the_encodings_options_are_complete():
    config = EncoderConfig(encoding_options={"max_distance": 64})
    assert config.options == {"num_buckets": 32, "max_distance": 64}


def test_derived_sizes():
    config = EncoderConfig(width=64, num_heads=4)
    assert config.feed_forward_width == 256
    assert EncoderConfig(width=64, inner_width=10).feed_forward_width == 10
    assert config.score_scale == pytest.approx(0.25)
    assert EncoderConfig(width=64, scale_scores=False).score_scale == 1.0


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("width", 0, "from 1 to 1,048,576"),
        ("width", 2.0, "a whole number"),
        ("num_layers", 0, "from 1 to 48"),
        ("num_layers", "3", "a whole number"),
        ("num_heads", 65, "from 1 to 64"),
        ("num_heads", True, "a whole number"),
        ("positional_encoding", "t6", "one of t5, rel, abs, none"),
        ("positional_encoding", None, "text"),
        ("inner_width", 0, "at least 1|from 1"),
        ("dropout", 1.0, "from 0 to 0.99"),
        ("dropout", float("nan"), "a number"),
        ("scale_scores", 1, "true or false"),
        ("seed", -1, "from 0 to 2,147,483,647"),
    ],
)
def test_wrong_values_are_refused_by_name_value_and_what_is_allowed(name, value, allowed):
    with pytest.raises(PosencError, match=allowed) as refusal:
        EncoderConfig(**{name: value})
    assert refusal.value.sentence.startswith(f"{name} is ")
    assert str(value) in refusal.value.sentence
    assert refusal.value.setting == name


@pytest.mark.parametrize(
    ("encoding", "options", "sentence"),
    [
        ("rel", {"clip_distance": 0}, "clip_distance is 0, but has to be .* from 1 to 512"),
        ("rel", {"relative_values": "yes"}, "relative_values is “yes”, but has to be true"),
        ("abs", {"base": 0.5}, "base is 0.5, but has to be a number from 1 "),
        ("abs", {"clip_distance": 4}, "no option “clip_distance” here; allowed: base"),
        ("none", {"base": 4}, "no option “base” here; allowed: none"),
    ],
)
def test_wrong_options_of_an_encoding_are_refused(encoding, options, sentence):
    with pytest.raises(PosencError, match=sentence):
        EncoderConfig(positional_encoding=encoding, encoding_options=options)
