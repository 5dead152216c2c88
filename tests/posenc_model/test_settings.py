"""Settings: checked, frozen, and in step with their declarations."""

import dataclasses

import pytest

from posenc_model.config import EncoderConfig
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.settings import SETTINGS, Settings


def test_fields_are_the_declared_settings_with_their_defaults():
    defaults = Settings()
    names = {field.name for field in dataclasses.fields(Settings)} - {"encoding_options"}
    assert names == {option.name for option in SETTINGS}
    for option in SETTINGS:
        assert getattr(defaults, option.name) == option.default


def test_shared_defaults_are_the_encoders():
    settings, config = Settings(), EncoderConfig()
    for name in ("num_heads", "num_layers", "positional_encoding", "width", "seed"):
        assert getattr(settings, name) == getattr(config, name)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_flat_settings_give_the_same_settings_again(encoding):
    settings = Settings(positional_encoding=encoding, num_layers=2)
    assert Settings.of(settings.flat()) == settings
    assert set(settings.flat()) >= {option.name for option in ENCODINGS[encoding].options}


def test_the_encodings_own_options_may_be_given_by_name():
    settings = Settings.of({"positional_encoding": "rel", "clip_distance": 4})
    assert settings.encoding_options == (("clip_distance", 4), ("relative_values", True))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"num_layers": 0}, "num_layers is 0, but has to be a whole number from 1 to 48"),
        ({"unk_ignore": "true"}, "unk_ignore is “true”, but has to be true or false"),
        ({"width": 1025}, "width is 1025, but has to be a whole number from 1 to 1,024"),
        (
            {"clip_distance": 4},
            "no option “clip_distance” here; allowed: max_distance, num_buckets",
        ),
        ({"num_buckets": 64, "max_distance": 16}, "maximum distance is 16, but with 64 buckets"),
        ({"nlp_pipeline": "tea"}, "nlp_pipeline is “tea”, but has to be one of spacy, "),
        ({"no_such": 1}, "no option “no_such” here"),
    ],
)
def test_wrong_settings_are_refused(values, sentence):
    with pytest.raises(PosencError, match=sentence):
        Settings.of(values)


def test_settings_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().seed = 3


def test_every_option_explains_itself():
    for option in [*SETTINGS, *(o for info in ENCODINGS.values() for o in info.options)]:
        assert option.label
        assert option.help.endswith(".")
        assert option.check(option.default) == option.default
