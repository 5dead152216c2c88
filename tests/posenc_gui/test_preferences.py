"""What is remembered comes back; what is broken falls back, with one notice."""

import json

import pytest

from posenc_gui.preferences import Preferences, load_preferences, save_preferences
from posenc_model.settings import SETTINGS

FULL = Preferences(
    text="Grüße <b> &amp; 她\n\tsecond line 😀",
    settings={"num_layers": 3, "seed": 9, "unk_ignore": False, "positional_encoding": "rel"},
    encoding_options={
        "t5": {"num_buckets": 8, "max_distance": 64},
        "rel": {"clip_distance": 4, "relative_values": False},
        "abs": {"base": 100.0},
        "none": {},
    },
    theme="dark",
    color_map="magma",
    full_scale=False,
    last_folder="/somewhere/else",
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "preferences.json"


def changed(path, **values):
    """Saves FULL with some values put in their place, whatever they are."""
    save_preferences(path, FULL)
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, **values}), encoding="utf-8")


def test_round_trip(path):
    save_preferences(path, FULL)
    assert load_preferences(path) == (FULL, None)
    assert [p.name for p in path.parent.iterdir()] == ["preferences.json"]


def test_first_start(path):
    preferences, notice = load_preferences(path)
    assert (preferences, notice) == (Preferences(), None)
    assert preferences.text is None
    assert preferences.full_scale is True


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b'{"version": 1, "te', id="cut off"),
        pytest.param(b"", id="empty"),
        pytest.param(b"[1, 2]", id="a list"),
        pytest.param(b'{"version": 2}', id="another version"),
        pytest.param(b'{"text": "x"}', id="no version"),
        pytest.param(b"\xff\xfe\x00", id="not UTF-8"),
        pytest.param(b"[" * 100_000, id="too deep"),
    ],
)
def test_broken_file_is_set_aside(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    preferences, notice = load_preferences(path)
    assert preferences == Preferences()
    assert "set aside" in notice
    aside = path.with_name("preferences.json.broken")
    assert str(aside) in notice
    assert aside.read_bytes() == content
    assert load_preferences(path) == (Preferences(), None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", 5),
        ("theme", "pink"),
        ("theme", ["dark"]),
        ("theme", {}),
        ("color_map", "rainbow"),
        ("color_map", []),
        ("full_scale", "false"),
        ("full_scale", 0),
        ("last_folder", None),
    ],
)
def test_one_bad_value_falls_back_and_the_rest_stays(path, name, value):
    changed(path, **{name: value})
    preferences, notice = load_preferences(path)
    assert getattr(preferences, name) == getattr(Preferences(), name)
    for other in ("text", "settings", "encoding_options", "theme", "color_map", "full_scale"):
        if other != name:
            assert getattr(preferences, other) == getattr(FULL, other)
    assert notice.count("could not be used") == 1
    shown = {
        "text": "Text",
        "theme": "Theme",
        "color_map": "Colour map",
        "full_scale": "Colour scale",
        "last_folder": "Last folder",
    }
    assert notice.endswith(f": {shown[name]}.")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_layers", 0),
        ("num_layers", "3"),
        ("num_layers", True),
        ("num_layers", 2.0),
        ("seed", 10**30),
        ("unk_ignore", "false"),
        ("positional_encoding", "learned"),
        ("positional_encoding", ["rel"]),
        ("nlp_pipeline", None),
    ],
)
def test_one_bad_setting(path, name, value):
    changed(path, settings={**FULL.settings, name: value})
    preferences, notice = load_preferences(path)
    assert preferences.settings == {k: v for k, v in FULL.settings.items() if k != name}
    assert preferences.text == FULL.text
    labels = {option.name: option.label for option in SETTINGS}
    assert notice.endswith(f": {labels[name]}.")


@pytest.mark.parametrize("value", [None, 3, "x", [1]])
def test_settings_that_are_no_mapping(path, value):
    changed(path, settings=value, encoding_options=value)
    preferences, notice = load_preferences(path)
    assert preferences.settings == {}
    assert preferences.encoding_options == {"t5": {}, "rel": {}, "abs": {}, "none": {}}
    assert preferences.text == FULL.text
    assert (notice is None) == (value is None)


def test_options_that_do_not_go_together(path):
    options = {**FULL.encoding_options, "t5": {"num_buckets": 64, "max_distance": 10}}
    changed(path, encoding_options=options)
    preferences, notice = load_preferences(path)
    assert preferences.encoding_options == {**FULL.encoding_options, "t5": {}}
    assert notice.endswith(": Maximum distance.")


def test_unknown_names_are_left_alone(path):
    changed(path, shape="round", settings={**FULL.settings, "colour": 3})
    assert load_preferences(path) == (FULL, None)


def test_what_cannot_be_saved_is_only_logged(tmp_path, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    save_preferences(blocked / "preferences.json", FULL)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert blocked.read_text() == "no folder"


def test_a_failed_save_keeps_the_old_file(path, monkeypatch, caplog):
    save_preferences(path, FULL)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("posenc_model.exporters.base.os.fsync", full)
    save_preferences(path, Preferences(text="newer"))
    assert load_preferences(path) == (FULL, None)
    assert [p.name for p in path.parent.iterdir()] == ["preferences.json"]
    assert "No space" in caplog.text or "no space" in caplog.text
