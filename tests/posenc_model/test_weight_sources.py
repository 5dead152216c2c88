"""What a value of the setting ``weights`` means for the other settings."""

import pytest

from posenc_model.errors import PosencError
from posenc_model.settings import Settings
from posenc_model.weight_sources import weight_source


def test_random_weights_leave_everything_open():
    source = weight_source("random", "t5")
    assert (source.kind, dict(source.fixed), source.path) == ("random", {}, None)
    assert source.matters("seed")


def test_trained_weights_fix_sizes_and_the_encodings_parameters():
    source = weight_source("trained", "rel")
    assert dict(source.fixed) == {
        "num_layers": 4,
        "num_heads": 8,
        "width": 128,
        "clip_distance": 16,
        "relative_values": True,
    }
    assert source.matters("positional_encoding")
    assert not source.matters("seed")


def test_settings_take_what_trained_weights_fix():
    settings = Settings.of({"weights": "trained", "positional_encoding": "abs"})
    assert (settings.num_layers, settings.num_heads, settings.width) == (4, 8, 128)
    assert settings.encoding_options == (("base", 10_000.0),)


def test_the_defaults_stay_those_of_random_weights():
    settings = Settings()
    assert (settings.weights, settings.num_layers, settings.num_heads) == ("random", 12, 8)


@pytest.mark.parametrize(("name", "value"), [("num_layers", 6), ("num_buckets", 8), ("width", 64)])
def test_other_values_than_the_trained_weights_have_are_refused(name, value):
    with pytest.raises(PosencError, match=f"{name} is {value}, but has to be") as caught:
        Settings.of({"weights": "trained", name: value})
    assert caught.value.setting == name


def test_the_same_values_are_taken():
    assert Settings.of({"weights": "trained", "num_layers": 4}).num_layers == 4


@pytest.mark.parametrize("name", ["seed", "embedding", "vocabulary", "special_tokens"])
def test_a_setting_without_effect_is_refused(name):
    value = {"seed": 1, "embedding": "one-hot", "vocabulary": "text", "special_tokens": "drop"}
    with pytest.raises(PosencError, match=f"{name} has no effect with the trained weights"):
        Settings.of({"weights": "trained", name: value[name]})


@pytest.mark.parametrize("value", ["nonsense", "/no/such/folder", "a.txt", "~nobody-at-all/x"])
def test_what_is_no_file_or_folder_is_refused(value):
    with pytest.raises(PosencError, match="weights is “") as caught:
        weight_source(value, "t5")
    assert caught.value.setting == "weights"
