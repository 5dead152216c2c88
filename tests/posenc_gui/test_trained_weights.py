"""The window with trained weights: what they fix, and what they guess."""

import json

import numpy as np
import pytest
from PySide6.QtCore import Qt

from posenc_gui.main_window import MainWindow
from posenc_gui.preferences import Preferences, save_preferences
from posenc_model import encode


@pytest.fixture
def trained_window(qtbot, folder, shown):
    """Opens a window as it first opens, with a text."""

    def opened(text, **preferences):
        save_preferences(folder / "preferences.json", Preferences(text=text, **preferences))
        window = MainWindow(folder)
        qtbot.addWidget(window)
        window.show()
        shown(window, text)
        return window

    return opened


def field(window, name):
    return window.settings_panel.rows[name].field


def note(window):
    return window.settings_panel.rows["weights"].note.text()


def test_every_encoding_has_trained_weights_of_its_own(trained_window, shown):
    window = trained_window("The dog bites the man.")
    for name in ("rel", "abs", "none", "t5"):
        field(window, "positional_encoding").set_value(name)
        shown(window, positional_encoding=name)
        expected = encode("The dog bites the man.", weights="trained", positional_encoding=name)
        matrix = window.attention_view.figure().matrix
        np.testing.assert_allclose(matrix, expected.weights(0, 0), atol=1e-6)
        assert f"trained, {name}, 4 × 8" in window.status.label.text()
        assert f"trained, {name}, 4 × 8" in window.attention_view.provenance.text()
        assert window.attention_view.figure().title.startswith(f"{name}, trained")


def test_trained_weights_fix_layers_and_heads_and_say_so(trained_window):
    window = trained_window("one two")
    assert (field(window, "num_layers").value(), field(window, "num_heads").value()) == (4, 8)
    assert "4 layers × 8 heads" in note(window)
    assert not window.settings_panel.rows["seed"].isEnabled()
    assert window.settings_panel.rows["num_layers"].isEnabled()


def test_other_layers_switch_to_random_weights_and_say_so(trained_window, shown):
    window = trained_window("one two", settings={"num_heads": 2, "width": 16})
    field(window, "num_layers").set_value(3)
    shown(window, weights="random", num_layers=3, num_heads=2, width=16)
    assert "“Layers” is 4 in the trained weights, so random weights are shown" in note(window)
    assert "random, seed 0, t5, 3 × 2" in window.status.label.text()


def test_a_parameter_of_the_encoding_switches_too(trained_window, shown):
    window = trained_window("one two", settings={"num_layers": 1, "width": 16})
    window.settings_panel.encodings["t5"].rows["num_buckets"].field.set_value(8)
    shown(window, weights="random", num_buckets=8, num_layers=1)


def test_random_weights_have_their_own_sizes_back(trained_window, shown):
    window = trained_window("one two", settings={"num_layers": 2, "num_heads": 4, "width": 16})
    field(window, "weights").set_value("random")
    shown(window, weights="random", num_layers=2, num_heads=4, width=16)
    field(window, "weights").set_value("trained")
    shown(window, weights="trained", num_layers=4, num_heads=8, width=128)


def test_the_sizes_of_random_weights_are_remembered(trained_window, folder):
    trained_window("one two", settings={"num_layers": 2, "num_heads": 4}).close()
    stored = json.loads((folder / "preferences.json").read_text("utf-8"))["settings"]
    assert (stored["weights"], stored["num_layers"], stored["num_heads"]) == ("trained", 2, 4)


def test_sizes_on_the_command_line_mean_random_weights(open_window):
    window = open_window("one two", settings={"weights": "trained"})
    assert field(window, "weights").value() == "random"


def test_a_click_hides_a_word_and_shows_what_is_guessed(qtbot, trained_window):
    text = "They went to the house of his father."
    window = trained_window(text)
    chips, guesses = window.text_panel.chips, window.text_panel.guesses
    assert guesses.lines() == [
        "Click a word to hide it: the encoder then guesses it from the others."
    ]
    center = chips.chip_rect(3).center().toPoint()
    qtbot.mouseClick(chips, Qt.MouseButton.LeftButton, pos=center)
    qtbot.waitUntil(lambda: chips.tokens[3].text == "[mask]")
    result = window.attention_view.result
    assert result.request.masked == (3,)
    assert window.attention_view.figure().query_words[3] == "[mask]"
    assert window.attention_view.figure().caption.startswith(
        "Attention weights, layer 1, head 1; t5, 4 × 8 heads, trained; hidden tokens 4; text"
    )
    (shown,) = guesses.lines()
    assert shown.startswith("‘the’ is hidden")
    assert all(guess.word in shown for guess in result.guesses[0].likeliest)
    qtbot.mouseClick(chips, Qt.MouseButton.LeftButton, pos=center)
    qtbot.waitUntil(lambda: chips.tokens[3].text == "the")
    assert window.attention_view.result.guesses == ()


def test_a_word_is_hidden_by_keyboard(qtbot, trained_window):
    window = trained_window("one two three")
    chips = window.text_panel.chips
    chips.setFocus()
    qtbot.keyClick(chips, Qt.Key.Key_Right)
    qtbot.keyClick(chips, Qt.Key.Key_Right)
    qtbot.keyClick(chips, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (1,))


def test_another_text_or_tokenizer_hides_nothing(qtbot, trained_window, shown):
    window = trained_window("one two three")
    window.text_panel.chips.chosen.emit(2)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (2,))
    field(window, "nlp_pipeline").set_value("whitespace")
    shown(window, nlp_pipeline="whitespace")
    assert window.attention_view.result.request.masked == ()
    window.text_panel.chips.chosen.emit(2)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (2,))
    window.text_panel.set_text("one two")
    shown(window, "one two")
    assert window.attention_view.result.request.masked == ()


def test_with_random_weights_a_click_hides_nothing(qtbot, open_window):
    window = open_window("one two three")
    assert not window.text_panel.guesses.isVisible()
    window.text_panel.chips.chosen.emit(1)
    assert window.text_panel.masked(("whitespace", False, 1)) == ()


def test_many_hidden_words_are_counted(qtbot, trained_window):
    window = trained_window("one two three four five")
    for index in range(5):
        window.text_panel.chips.chosen.emit(index)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (0, 1, 2, 3, 4))
    assert window.text_panel.guesses.lines()[-1] == "… and 2 more hidden words."
    assert len(window.text_panel.guesses.lines()) == 4


def test_the_heads_that_look_at_neighbours_are_one_click_away(trained_window):
    window = trained_window("The dog bites the man in the street.")
    view = window.attention_view
    attentions = view.result.attentions.astype(np.float64)
    for button, offset in zip(view.neighbours.buttons, (-1, 1), strict=True):
        means = np.diagonal(attentions, offset, 2, 3).mean(-1)
        layer, head = np.unravel_index(means.argmax(), means.shape)
        assert button.text().startswith(f"layer {layer + 1}, head {head + 1} (")
        button.click()
        assert (view.layer, view.head) == (layer, head)


def test_one_word_has_no_neighbours(trained_window):
    assert not trained_window("one").attention_view.neighbours.isVisible()


def test_another_sentence_of_a_batch_hides_nothing(qtbot, trained_window, shown):
    window = trained_window("one two three four\nfive", settings={"batch": True})
    window.text_panel.chips.chosen.emit(3)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (3,))
    field(window, "sentence").set_value(2)
    shown(window, sentence=2)
    assert window.attention_view.result.request.masked == ()


def test_padding_cannot_be_hidden(qtbot, trained_window):
    window = trained_window(
        "one\ntwo three", settings={"batch": True, "show_padding": True, "sentence": 1}
    )
    chips = window.text_panel.chips
    assert [token.text for token in chips.tokens] == ["one", "[pad]"]
    with qtbot.assertNotEmitted(chips.chosen):
        center = chips.chip_rect(1).center().toPoint()
        qtbot.mouseClick(chips, Qt.MouseButton.LeftButton, pos=center)


def test_guesses_go_with_the_result(qtbot, trained_window):
    window = trained_window("one two three")
    window.text_panel.chips.chosen.emit(1)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (1,))
    window.text_panel.set_text("")
    qtbot.waitUntil(lambda: not window.text_panel.guesses.isVisible())


def test_two_parameters_at_once_still_say_why_the_weights_are_random(trained_window, shown):
    window = trained_window("one two", settings={"num_layers": 1, "width": 16})
    window.settings_panel.choose_setting("num_buckets", 16)
    window.settings_panel.choose_setting("max_distance", 64)
    shown(window, weights="random", num_buckets=16, max_distance=64)
    assert "so random weights are shown now" in note(window)
