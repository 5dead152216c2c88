"""Comparing results in the window."""

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from posenc_gui.views.compare import CompareView
from posenc_model import encode

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "one two three four"


@pytest.fixture
def compared(qtbot, open_window):
    """Opens a window on the Compare tab and waits for a comparison of its result."""

    def opened(text=TEXT, **preferences):
        window = open_window(text, **preferences)
        view = next(view for view in window.views if isinstance(view, CompareView))
        window.tabs.setCurrentWidget(view)
        qtbot.waitUntil(lambda: view.comparison is not None)
        return window, view

    return opened


def others(view):
    return [result.encoding_title for result in view.comparison.others]


def figures(view):
    return [plot.figure for plot in view.plots if plot.isVisible()]


def test_nothing_is_run_before_it_is_looked_at(qtbot, open_window):
    window = open_window(TEXT)
    view = next(view for view in window.views if isinstance(view, CompareView))
    with qtbot.assertNotEmitted(view.work_wanted):
        window.text_panel.set_text("one two")
        qtbot.waitUntil(lambda: len(window.attention_view.result.tokens) == 2)
    with qtbot.waitSignal(view.work_wanted):
        window.tabs.setCurrentWidget(view)


def test_pictures_of_all_and_the_difference(compared):
    _, view = compared()
    assert others(view) == ["rel", "abs"]
    weights = {n: encode(TEXT, positional_encoding=n, **SETTINGS) for n in ("t5", "rel", "abs")}
    shown = figures(view)
    assert len(shown) == 4
    for figure, name in zip(shown, ("t5", "rel", "abs"), strict=False):
        np.testing.assert_allclose(figure.matrix, weights[name].weights(0, 0), atol=1e-6)
        assert figure.title.startswith(name)
    difference = weights["rel"].weights(0, 0) - weights["t5"].weights(0, 0)
    np.testing.assert_allclose(shown[3].matrix, difference, atol=1e-6)
    assert shown[3].title == "rel minus t5"
    assert shown[3].levels[0] == -shown[3].levels[1]


def test_another_difference(compared):
    _, view = compared()
    view.other_box.setCurrentIndex(1)
    assert figures(view)[3].title == "abs minus t5"


def test_encodings_are_ticked(qtbot, compared):
    _, view = compared()
    view.encoding_boxes["abs"].setChecked(False)
    qtbot.waitUntil(lambda: others(view) == ["rel"])
    assert len(figures(view)) == 3
    view.encoding_boxes["rel"].setChecked(False)
    assert view.hint.isVisible()
    assert "Tick the encodings" in view.hint.text()
    assert not view.encoding_boxes["t5"].isEnabled()


def test_layer_and_head_are_those_of_all_views(qtbot, compared):
    window, view = compared()
    window.attention_view.choose_head(1, 1)
    expected = encode(TEXT, positional_encoding="abs", **SETTINGS).weights(1, 1)
    np.testing.assert_allclose(figures(view)[2].matrix, expected, atol=1e-6)


def test_pointing_marks_the_cell_everywhere(compared):
    _, view = compared()
    view.plots[1].cell_marked.emit((2, 1))
    assert [plot.marked for plot in view.plots[:4]] == [(2, 1)] * 4
    assert view.sentence.text().startswith("‘three’ gives ‘two’: t5 ")
    assert ", rel " in view.sentence.text()
    view.plots[1].cell_marked.emit(None)
    assert view.plots[0].marked is None


def test_heads_that_changed_most_come_first_and_open(compared):
    window, view = compared()
    moved = view.comparison.moved[0]
    listed = [view.heads.item(row, 0).text() for row in range(view.heads.rowCount())]
    order = np.argsort(-moved, axis=None, kind="stable")
    assert listed == [f"layer {i // 2 + 1}, head {i % 2 + 1}" for i in order]
    view.heads.selectRow(3)
    assert (window.choice.layer, window.choice.head) == divmod(int(order[3]), 2)


def test_a_kept_result_beside_another_seed(qtbot, compared, shown):
    window, view = compared()
    kept = window.attention_view.result
    view.keep_button.click()
    assert "Now change the text" in view.hint.text()
    window.settings_panel.rows["seed"].field.set_value(5)
    qtbot.waitUntil(lambda: view.comparison.reference is kept)
    current = encode(TEXT, seed=5, **SETTINGS)
    difference = current.weights(0, 0) - kept.weights(0, 0)
    qtbot.waitUntil(lambda: len(figures(view)) == 3)
    np.testing.assert_allclose(figures(view)[2].matrix, difference, atol=1e-6)
    assert figures(view)[2].title == "now minus kept"


def test_a_kept_result_of_another_length_has_no_difference(qtbot, compared):
    window, view = compared()
    view.keep_button.click()
    window.text_panel.set_text("one two three four five")
    qtbot.waitUntil(lambda: view.note.isVisible() and "5" in view.note.text())
    assert len(figures(view)) == 2
    assert view.heads.rowCount() == 0


def test_long_texts_are_not_compared(qtbot, open_window, monkeypatch):
    monkeypatch.setattr("posenc_gui.views.compare._MOST_TOKENS", 3)
    window = open_window(TEXT)
    view = next(view for view in window.views if isinstance(view, CompareView))
    window.tabs.setCurrentWidget(view)
    assert view.hint.text() == "Comparing takes at most 3 tokens; this text has 4."


def test_trained_weights_are_said_to_be_each_encodings_own(compared):
    _, view = compared()
    assert "share the same random weights" in view.note.text()


def test_closing_while_comparing(qtbot, open_window):
    window = open_window(TEXT)
    view = next(view for view in window.views if isinstance(view, CompareView))
    window.tabs.setCurrentWidget(view)
    window.close()
    QApplication.processEvents()
    assert not window.isVisible()


def test_a_head_chosen_elsewhere_is_shown_on_return(qtbot, compared):
    window, view = compared()
    window.tabs.setCurrentIndex(0)
    window.attention_view.choose_head(1, 1)
    window.tabs.setCurrentWidget(view)
    expected = encode(TEXT, **SETTINGS).weights(1, 1)
    np.testing.assert_allclose(figures(view)[0].matrix, expected, atol=1e-6)
