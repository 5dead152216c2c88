"""“Why this cell?” in the window."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from posenc_gui.views.wording import pinned_line, why_sentence
from posenc_model import encode
from posenc_model.explain import explain_cell

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "one two three four"


def explained(qtbot, window, query, key):
    why = window.attention_view.why

    def check():
        assert why.explanation is not None
        assert (why.explanation.query, why.explanation.key) == (query, key)

    qtbot.waitUntil(check)
    return why.explanation


def test_a_click_takes_the_cell_apart(qtbot, open_window):
    window = open_window(TEXT)
    view = window.attention_view
    center = view.plot.layout_now.cell_rect(2, 1).center().toPoint()
    qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=center)
    cell = explained(qtbot, window, 2, 1)
    assert view.side.currentWidget() is view.why
    expected = explain_cell(encode(TEXT, **SETTINGS), 0, 0, 2, 1)
    assert cell.parts == pytest.approx(expected.parts, abs=1e-6)
    assert view.why.sentence.text() == why_sentence(expected)
    assert view.why.canvas.height() > 100


def test_dragging_explains_nothing(qtbot, open_window):
    window = open_window(TEXT)
    plot = window.attention_view.plot
    center = plot.layout_now.cell_rect(2, 1).center().toPoint()
    qtbot.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=center)
    qtbot.mouseMove(plot.viewport(), center + QPoint(40, 40))
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=center + QPoint(40, 40))
    assert plot.chosen is None


def test_enter_takes_the_marked_cell_apart(qtbot, open_window):
    window = open_window(TEXT)
    plot = window.attention_view.plot
    plot.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return):
        qtbot.keyClick(plot, key)
    explained(qtbot, window, *plot.marked)


def test_another_head_and_text_explain_the_same_cell(qtbot, open_window, shown):
    window = open_window(TEXT)
    view = window.attention_view
    view.explain((3, 1))
    explained(qtbot, window, 3, 1)
    view.choose_head(1, 1)
    qtbot.waitUntil(lambda: view.why.explanation.layer == 1)
    window.text_panel.set_text("one two three four five")
    shown(window, "one two three four five")
    qtbot.waitUntil(lambda: view.why.explanation.result is view.result)
    assert view.plot.chosen == (3, 1)
    window.text_panel.set_text("one two")
    shown(window, "one two")
    assert view.why.explanation is None
    assert view.plot.chosen is None


def test_the_mean_says_that_it_has_no_score(qtbot, open_window):
    window = open_window(TEXT)
    view = window.attention_view
    view.mean_box.setChecked(True)
    view.explain((1, 1))
    assert "comes from no single score" in view.why.sentence.text()
    view.mean_box.setChecked(False)
    explained(qtbot, window, 1, 1)


def test_pinned_cells_stay_and_come_back(qtbot, open_window):
    window = open_window(TEXT)
    view = window.attention_view
    assert not view.why.pin_button.isEnabled()
    for cell in ((0, 1), (2, 3)):
        view.explain(cell)
        explained(qtbot, window, *cell)
        view.why.pin_button.click()
    pins = view.why.pins
    assert pins.item(0).text() == pinned_line(explain_cell(view.result, 0, 0, 0, 1))
    pins.setCurrentRow(0)
    pins.itemActivated.emit(pins.item(0))
    explained(qtbot, window, 0, 1)
    qtbot.keyClick(pins, Qt.Key.Key_Delete)
    assert pins.count() == 1
    view.why.unpin_button.click()
    assert pins.count() == 0
    assert not pins.isVisible()


def cell_of(encoding, layer=0, query=2, key=1, text=TEXT):
    result = encode(text, positional_encoding=encoding, **SETTINGS)
    return explain_cell(result, layer, 0, query, key)


def test_the_sentence_names_both_weights_and_the_distance():
    cell = cell_of("t5")
    with_, without = 100 * cell.weight, 100 * cell.weight_without
    assert np.abs(with_ - without) > 1
    sentence = why_sentence(cell)
    assert sentence.startswith("Without position in this layer, ‘three’ would give ‘two’ ")
    assert sentence.endswith("The difference comes from their distance, −1.")


def test_the_sentence_of_abs_names_places():
    assert why_sentence(cell_of("abs")).endswith("comes from their places, 3 and 2.")


def test_the_sentence_of_a_deeper_layer_of_abs_claims_no_difference():
    assert why_sentence(cell_of("abs", layer=1)).endswith("of its attention.")


def test_the_sentence_without_position():
    assert "There is no position here" in why_sentence(cell_of("none"))


def test_a_word_on_itself():
    assert " would give itself " in why_sentence(cell_of("rel", query=1, key=1))


def test_a_masked_cell_says_that_it_is_masked():
    result = encode(TEXT, attention_mask="causal", **SETTINGS)
    cell = explain_cell(result, 0, 0, 0, 2)
    assert why_sentence(cell).startswith("‘one’ may not look at ‘three’: the cell is masked")
    assert not explain_cell(result, 0, 0, 2, 0).is_masked
