"""The pane with explanations, in the real window."""

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtWidgets import QApplication, QTextBrowser

from posenc_gui.explain_pane import TOPICS
from posenc_gui.explanations import explanations
from posenc_gui.help_button import HelpButton
from posenc_gui.tour import part_of
from posenc_model.encodings import ENCODINGS
from posenc_model.settings import SETTINGS


@pytest.fixture
def window(open_window):
    window = open_window("one two three")
    window.activateWindow()
    return window


def pane_of(window):
    return window.guide.explainer.pane


def shown_words(window):
    return pane_of(window).browser.toPlainText()


def press(qtbot, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget(), key, modifier)


def test_f1_on_a_focused_setting_opens_its_text_and_escape_gives_the_focus_back(qtbot, window):
    editor = window.settings_panel.rows["num_heads"].field.editor
    editor.setFocus()
    press(qtbot, Qt.Key.Key_F1)
    pane = pane_of(window)
    assert pane.isVisible()
    assert pane.topic == "settings/num_heads"
    assert "How many attention patterns" in shown_words(window)
    assert "Reference" not in shown_words(window)
    assert QApplication.focusWidget() is pane.browser
    press(qtbot, Qt.Key.Key_Escape)
    assert not pane.isVisible()
    assert QApplication.focusWidget() is editor


def test_more_has_the_formula_and_the_reference_and_stays_open(qtbot, window):
    window.guide.explainer.open("settings/base")
    pane = pane_of(window)
    qtbot.mouseClick(pane.more_button, Qt.MouseButton.LeftButton)
    assert "PE(pos, 2k) = sin(pos / base^(2k / D))" in shown_words(window)
    assert "Reference: Vaswani et al. 2017, arXiv:1706.03762, section 3.5" in shown_words(window)
    window.guide.explainer.open("settings/seed")
    assert "No reference (a choice of this program)" in shown_words(window)
    qtbot.mouseClick(pane.more_button, Qt.MouseButton.LeftButton)
    assert "No reference" not in shown_words(window)


@pytest.mark.parametrize("option", SETTINGS, ids=lambda option: option.name)
def test_every_setting_has_a_question_mark(qtbot, window, option):
    row = window.settings_panel.rows[option.name]
    button = row.findChild(HelpButton)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert pane_of(window).topic == f"settings/{option.name}"


def test_a_setting_without_effect_can_be_asked_about(qtbot, window):
    row = window.settings_panel.rows["vocabulary"]
    assert not row.isEnabled()
    qtbot.mouseClick(row.findChild(HelpButton), Qt.MouseButton.LeftButton)
    assert pane_of(window).topic == "settings/vocabulary"


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_every_encoding_and_its_own_options_have_one(qtbot, window, name):
    own = window.settings_panel.encodings[name]
    topics = [button.topic for button in own.findChildren(HelpButton)]
    assert topics == [f"encodings/{name}", *(f"settings/{o.name}" for o in ENCODINGS[name].options)]


def test_the_corner_of_the_tabs_explains_the_view_that_is_shown(qtbot, window):
    corner = window.tabs.cornerWidget().findChild(HelpButton)
    for index in range(window.tabs.count()):
        window.tabs.setCurrentIndex(index)
        qtbot.mouseClick(corner, Qt.MouseButton.LeftButton)
        assert pane_of(window).topic == window.views[index].explanation()


def test_f1_knows_what_has_the_focus(qtbot, window):
    view = window.attention_view
    view.kind_box.setCurrentIndex(view.kind_box.findData("position"))
    for widget, topic in [
        (window.text_panel.editor, "words/token"),
        (view.layer_box, "words/layer"),
        (view.mosaic, "views/all-heads"),
        (view.plot, "views/attention"),
        (view.kind_box, "matrices/position"),
        (window.settings_panel.encodings["t5"].rows["num_buckets"].field, "settings/num_buckets"),
    ]:
        widget.setFocus()
        press(qtbot, Qt.Key.Key_F1)
        assert pane_of(window).topic == topic
        press(qtbot, Qt.Key.Key_F1)
        assert not pane_of(window).isVisible()


def test_the_names_of_parts_are_right(window):
    for name, topic in TOPICS.items():
        assert part_of(window, name) is not None
        assert topic in explanations()


def test_links_lead_on_and_back(qtbot, window):
    window.guide.explainer.open("words/query")
    pane = pane_of(window)
    assert not pane.back_button.isEnabled()
    pane.browser.anchorClicked.emit(QUrl("words/key"))
    pane.browser.anchorClicked.emit(QUrl("https://example.org/"))
    assert pane.topic == "words/key"
    assert pane.topics.currentText() == "Word: key"
    qtbot.mouseClick(pane.back_button, Qt.MouseButton.LeftButton)
    assert pane.topic == "words/query"
    assert not pane.back_button.isEnabled()


def test_all_texts_can_be_chosen(window):
    pane = pane_of(window)
    window.guide.explainer.open("words/query")
    assert pane.topics.count() == len(explanations())
    pane.topics.activated.emit(0)
    assert pane.topic == next(iter(explanations()))


def test_it_opens_no_page_by_itself(window):
    assert not pane_of(window).browser.openLinks()
    assert isinstance(pane_of(window).browser, QTextBrowser)


def test_it_stands_beside_the_picture_where_there_is_room(qtbot, window):
    side = window.attention_view.side
    plot = window.attention_view.plot
    window.resize(1700, 800)
    window.guide.explainer.open("words/query")
    pane = pane_of(window)

    def left(widget):
        return widget.mapTo(window, QPoint(0, 0)).x()

    assert side.isVisible()
    assert left(side) + side.width() <= left(pane)
    sizes = window.attention_view.splitter.sizes()
    window.resize(1000, 620)
    assert not side.isVisible()
    assert left(plot) < left(pane)
    assert window.width() == 1000
    window.resize(1700, 800)
    assert side.isVisible()
    assert window.attention_view.splitter.sizes() == sizes


def test_the_window_can_be_as_small_as_before(window):
    window.resize(1, 1)
    QApplication.processEvents()
    smallest = window.size()
    window.guide.explainer.open("words/query")
    QApplication.processEvents()
    assert window.size() == smallest
    window.resize(1400, 800)
    window.resize(1, 1)
    assert window.width() <= smallest.width()


def test_taking_a_cell_apart_is_seen_where_the_pane_was(window):
    window.resize(1000, 620)
    window.guide.explainer.open("words/score")
    assert not window.attention_view.side.isVisible()
    window.attention_view.plot.cell_chosen.emit((1, 0))
    assert window.attention_view.why.isVisible()
    assert not pane_of(window).isVisible()


def test_its_width_is_dragged_and_remembered(qtbot, open_window):
    window = open_window("one two three")
    window.resize(1500, 800)
    window.guide.explainer.open("words/query")
    pane = pane_of(window)
    before = pane.width()
    middle = pane.grip.rect().center()
    qtbot.mousePress(pane.grip, Qt.MouseButton.LeftButton, pos=middle)
    pane.grip.dragged.emit(-60.0)
    qtbot.mouseRelease(pane.grip, Qt.MouseButton.LeftButton, pos=middle)
    assert pane.width() == before + 60
    window.close()
    again = open_window()
    again.resize(1500, 800)
    again.guide.explainer.open("words/query")
    assert pane_of(again).width() == before + 60


def test_links_follow_the_theme(window, do):
    window.guide.explainer.open("settings/num_heads")
    light = pane_of(window).browser.document().toHtml()
    do(window, "Dark")
    assert pane_of(window).browser.document().toHtml() != light


def test_a_running_encoder_is_cancelled_first(qtbot, window, gate):
    window.guide.explainer.open("words/query")
    gate.shut()
    window.text_panel.set_text("four five")
    qtbot.waitUntil(lambda: gate.texts == ["four five"])
    with qtbot.waitSignal(window.controller.cancelled):
        press(qtbot, Qt.Key.Key_Escape)
    assert pane_of(window).isVisible()
    qtbot.waitUntil(lambda: not window.controller.is_busy)
    press(qtbot, Qt.Key.Key_Escape)
    assert not pane_of(window).isVisible()
