"""Undo, redo and the strip of what was looked at."""

import pytest

from posenc_gui import history as history_module
from posenc_gui.history import HistoryStrip


@pytest.fixture(autouse=True)
def _every_text_counts(monkeypatch):
    """Texts set one after the other are not taken for one that is being typed."""
    monkeypatch.setattr(history_module, "TYPING_SECONDS", 0.0)


def strip_of(window):
    return window.findChild(HistoryStrip)


def field(window, name):
    return window.settings_panel.rows[name].field


def test_undo_and_redo_of_texts_and_settings(open_window, shown, do):
    window = open_window("one two")
    history = window.history
    assert not history.undo_action.isEnabled()
    window.text_panel.set_text("one two three")
    shown(window, "one two three")
    field(window, "positional_encoding").set_value("rel")
    shown(window, "one two three", positional_encoding="rel")
    field(window, "num_layers").set_value(1)
    shown(window, "one two three", num_layers=1)
    do(window, "Undo")
    shown(window, "one two three", num_layers=2, positional_encoding="rel")
    do(window, "Undo")
    shown(window, "one two three", positional_encoding="t5")
    do(window, "Undo")
    shown(window, "one two", positional_encoding="t5")
    assert not history.undo_action.isEnabled()
    assert window.text_panel.text() == "one two"
    do(window, "Redo")
    shown(window, "one two three", positional_encoding="t5")
    assert len(history.states) == 4


def test_a_change_after_undo_forgets_what_was_undone(open_window, shown):
    window = open_window("one")
    for text in ("two", "three"):
        window.text_panel.set_text(text)
        shown(window, text)
    window.history.undo()
    shown(window, "two")
    window.text_panel.set_text("four")
    shown(window, "four")
    assert [state.text for state in window.history.states] == ["one", "two", "four"]
    assert not window.history.redo_action.isEnabled()


def test_typing_is_undone_in_one_step(open_window, shown, monkeypatch):
    monkeypatch.setattr(history_module, "TYPING_SECONDS", 3600.0)
    window = open_window("a")
    for text in ("a b", "a b c", "a b c d"):
        window.text_panel.set_text(text)
        shown(window, text)
    assert [state.text for state in window.history.states] == ["a", "a b c d"]
    field(window, "seed").set_value(3)
    shown(window, seed=3)
    assert len(window.history.states) == 3


def test_the_strip_goes_back_with_one_click(open_window, shown):
    window = open_window("one & two")
    strip = strip_of(window)
    assert not strip.isVisible()
    window.text_panel.set_text("three four five")
    shown(window, "three four five")
    assert strip.isVisible()
    assert [button.text() for button in strip.buttons] == [
        "t5 · one && two",
        "t5 · three four five",
    ]
    assert [button.isChecked() for button in strip.buttons] == [False, True]
    assert not strip.buttons[0].icon().isNull()
    strip.buttons[0].click()
    shown(window, "one & two")
    assert [button.isChecked() for button in strip.buttons] == [True, False]


def test_trained_weights_and_hidden_words_come_back(qtbot, open_window, shown):
    window = open_window("one two three", {"weights": "random"})
    field(window, "weights").set_value("trained")
    shown(window, weights="trained")
    window.text_panel.chips.chosen.emit(1)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (1,))
    field(window, "num_heads").set_value(2)
    shown(window, weights="random", num_heads=2, num_layers=2)
    window.history.undo()
    shown(window, weights="trained", num_heads=8)
    assert window.attention_view.result.request.masked == (1,)
    window.history.undo()
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == ())
    window.history.undo()
    shown(window, weights="random", num_layers=2, width=16)


def test_only_the_last_ones_are_kept(open_window, shown, monkeypatch):
    monkeypatch.setattr(history_module, "MOST", 2)
    window = open_window("one")
    for text in ("two", "three"):
        window.text_panel.set_text(text)
        shown(window, text)
    assert [state.text for state in window.history.states] == ["two", "three"]
    window.history.undo()
    shown(window, "two")


def test_hiding_a_word_is_a_step_of_its_own(qtbot, open_window, shown, monkeypatch):
    monkeypatch.setattr(history_module, "TYPING_SECONDS", 3600.0)
    window = open_window(
        "one two", {"weights": "trained", "num_layers": 4, "num_heads": 8, "width": 128}
    )
    for text in ("one two three", "one two three four"):
        window.text_panel.set_text(text)
        shown(window, text)
    window.text_panel.chips.chosen.emit(1)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (1,))
    window.history.undo()
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == ())
    assert window.text_panel.text() == "one two three four"


def test_undo_brings_back_what_an_empty_text_took_away(qtbot, open_window, shown):
    window = open_window("one")
    window.text_panel.set_text("one two")
    shown(window, "one two")
    window.text_panel.set_text("")
    qtbot.waitUntil(lambda: not window.attention_view.has_result())
    window.history.undo()
    shown(window, "one two")
    window.text_panel.set_text("")
    qtbot.waitUntil(lambda: not window.attention_view.has_result())
    strip_of(window).buttons[1].click()
    shown(window, "one two")
    window.history.undo()
    shown(window, "one")
