"""Looks that are remembered: written whole, read back, and mended where they are wrong."""

import json

import pytest

from posenc_gui.figure_dialog.memory import (
    MOST_PRESETS,
    VERSION,
    FigureMemory,
    clean_name,
    load_figures,
    save_figures,
    without_own_words,
)
from posenc_model.exporters.look import Look


def test_what_is_written_is_read(tmp_path):
    file = tmp_path / "new folder" / "figures.json"
    memory = FigureMemory(
        Look(width_mm=85.0, theme="dark", caption="auto"),
        {"Jürgen’s <b>": Look(dpi=600), "b": Look()},
        ".svg",
    )
    save_figures(file, memory)
    assert load_figures(file) == (memory, None)
    assert json.loads(file.read_text("utf-8"))["version"] == VERSION
    assert list(file.parent.iterdir()) == [file]


def test_without_a_file_all_is_as_at_first(tmp_path):
    assert load_figures(tmp_path / "figures.json") == (FigureMemory(), None)


def test_own_words_are_for_one_picture_only():
    look = Look(title="Figure 1", caption="The cat.", dpi=72)
    assert without_own_words(look) == Look(dpi=72)
    kept = Look(title="", caption="auto")
    assert without_own_words(kept) == kept


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [(" a\n\tb\u2028c ", "a b c"), ("\ud800x", "x"), ("\n", ""), ("ab " * 60, ("ab " * 27)[:80])],
)
def test_a_name_stands_on_one_line(tmp_path, name, cleaned):
    assert clean_name(name) == cleaned.strip()
    file = tmp_path / "figures.json"
    stored = {"version": VERSION, "presets": {name: {"dpi": 72}}}
    file.write_text(json.dumps(stored), encoding="utf-8")
    expected = {cleaned.strip(): Look(dpi=72)} if cleaned else {}
    assert load_figures(file)[0].presets == expected


def test_bad_values_fall_back_one_by_one(tmp_path):
    file = tmp_path / "figures.json"
    look = {"width_mm": 85.0, "dpi": "many", "theme": "pink", "what": 1, "title": "Figure 1"}
    presets = {"good": {"font_size": 7.0}, "bad": [], "half": {"dpi": 0, "numbers": True}, " ": {}}
    data = {"version": VERSION, "look": look, "presets": presets, "suffix": 7}
    file.write_text(json.dumps(data), encoding="utf-8")
    memory, notice = load_figures(file)
    assert memory.look == Look(width_mm=85.0)
    assert memory.presets == {
        "good": Look(font_size=7.0),
        "bad": Look(),
        "half": Look(numbers=True),
    }
    assert memory.suffix == ".png"
    for name in ("Resolution of the last look", "Background", "“bad”", "Resolution of “half”"):
        assert name in notice
    assert file.exists()


@pytest.mark.parametrize("data", [{"look": 3, "presets": []}, {"look": None, "presets": "x"}])
def test_parts_of_another_kind_fall_back(tmp_path, data):
    file = tmp_path / "figures.json"
    file.write_text(json.dumps({"version": VERSION, **data}), encoding="utf-8")
    memory, notice = load_figures(file)
    assert memory == FigureMemory()
    assert "presets" in notice


def test_a_name_too_many_is_left_out(tmp_path):
    file = tmp_path / "figures.json"
    save_figures(file, FigureMemory(presets={str(i): Look() for i in range(MOST_PRESETS + 5)}))
    memory, notice = load_figures(file)
    assert len(memory.presets) == MOST_PRESETS
    assert notice is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 99}', "[" * 100_000])
def test_a_file_that_cannot_be_read_is_set_aside(tmp_path, content):
    file = tmp_path / "figures.json"
    file.write_text(content, encoding="utf-8")
    memory, notice = load_figures(file)
    assert memory == FigureMemory()
    aside = tmp_path / "figures.json.broken"
    assert aside.read_text("utf-8") == content
    assert str(aside) in notice
    assert not file.exists()


def test_a_folder_that_cannot_be_made_is_no_mishap(tmp_path):
    (tmp_path / "file").write_text("x")
    save_figures(tmp_path / "file" / "figures.json", FigureMemory())
    assert (tmp_path / "file").read_text() == "x"
