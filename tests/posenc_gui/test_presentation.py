"""The presentation: on, the picture alone; off, everything as it was."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from posenc_gui.presentation import FOLDED, LARGER
from posenc_gui.tour import part_of

NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(open_window):
    window = open_window("one two three four")
    window.activateWindow()
    return window


def press(qtbot, key, modifier=NONE):
    qtbot.keyClick(QApplication.focusWidget(), key, modifier)


def looks(window):
    """All that has to come back: geometry, splitters, tab, and every font and visibility."""
    widgets = [w for w in window.findChildren(QWidget) if w.window() is window]
    return {
        "size": window.size(),
        "state": window.windowState(),
        "tab": window.tabs.currentIndex(),
        "splitters": [one.sizes() for one in window.findChildren(QSplitter)],
        "fonts": [(type(w).__name__, w.font().toString()) for w in widgets],
        "own": [w.testAttribute(Qt.WidgetAttribute.WA_SetFont) for w in widgets],
        "hidden": [(type(w).__name__, w.isHidden()) for w in widgets],
        "limits": [
            (type(w).__name__, w.minimumSize(), w.maximumSize())
            for w in widgets
            if not w.objectName().startswith("qt_")  # Qt's own: it changes them as it likes
        ],
        "focus": QApplication.focusWidget(),
    }


@pytest.mark.parametrize("size", [(1280, 720), (1100, 600)])
@pytest.mark.parametrize("key", [Qt.Key.Key_F11, Qt.Key.Key_Escape])
def test_everything_comes_back(qtbot, window, size, key):
    window.resize(*size)
    window.attention_view.splitter.setSizes([500, 300])
    window.settings_panel.rows["seed"].field.editor.setFocus()
    QApplication.processEvents()
    before = looks(window)
    press(qtbot, Qt.Key.Key_F11)
    assert window.guide.presentation.is_on
    press(qtbot, Qt.Key.Key_Right)
    QApplication.processEvents()
    press(qtbot, key)
    assert not window.guide.presentation.is_on
    QApplication.processEvents()
    after = looks(window)
    for name, value in before.items():
        assert after[name] == value, name


def test_only_the_picture_remains_and_is_larger(qtbot, window):
    view = window.attention_view
    picture, sentence = view.plot.size(), view.sentence.font().pointSizeF()
    words = view.plot.font().pointSizeF()
    press(qtbot, Qt.Key.Key_F11)
    QApplication.processEvents()
    assert not window.text_panel.isVisible()
    assert not window.settings_panel.isVisible()
    assert not window.statusBar().isVisible()
    assert window.menuBar().height() == 0
    assert view.plot.height() > 1.3 * picture.height()
    assert view.plot.width() > picture.width()
    assert view.plot.font().pointSizeF() == pytest.approx(LARGER * words)
    assert view.sentence.isVisible()
    assert view.sentence.font().pointSizeF() == pytest.approx(LARGER * sentence)
    assert view.mosaic.isVisible()
    assert window.size().width() == 1280


def test_arrows_walk_layers_and_heads(qtbot, window):
    press(qtbot, Qt.Key.Key_F11)
    view = window.attention_view
    for key, place in [
        (Qt.Key.Key_Down, (1, 0)),
        (Qt.Key.Key_Down, (1, 0)),
        (Qt.Key.Key_Right, (1, 1)),
        (Qt.Key.Key_Up, (0, 1)),
        (Qt.Key.Key_Left, (0, 0)),
    ]:
        press(qtbot, key)
        assert (view.layer, view.head) == place
        assert f"layer {place[0] + 1} · head {place[1] + 1}" in view.figure().title


def test_shift_and_arrows_walk_cells_and_the_caption_follows(qtbot, window):
    press(qtbot, Qt.Key.Key_F11)
    press(qtbot, Qt.Key.Key_Right, SHIFT)
    press(qtbot, Qt.Key.Key_Right, SHIFT)
    view = window.attention_view
    assert view.plot.marked == (0, 1)
    caption = view.sentence.text()
    assert "‘two’" in caption
    press(qtbot, Qt.Key.Key_Right)
    assert view.plot.marked == (0, 1)
    assert view.sentence.text() != caption


def test_arrows_are_ordinary_keys_again(qtbot, window):
    press(qtbot, Qt.Key.Key_F11)
    press(qtbot, Qt.Key.Key_F11)
    window.attention_view.plot.setFocus()
    press(qtbot, Qt.Key.Key_Right)
    assert window.attention_view.head == 0
    assert window.attention_view.plot.marked == (0, 0)


def test_menus_are_still_reached_by_their_keys(qtbot, window):
    press(qtbot, Qt.Key.Key_F11)
    QApplication.processEvents()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_M, Qt.KeyboardModifier.AltModifier)
    assert window.attention_view.mean_box.isChecked()


def test_another_tab_and_the_first_one_again(qtbot, window):
    window.tabs.setCurrentIndex(1)
    before = looks(window)["fonts"]
    press(qtbot, Qt.Key.Key_F11)
    assert window.tabs.currentIndex() == 1
    window.tabs.setCurrentIndex(0)
    press(qtbot, Qt.Key.Key_Escape)
    assert window.tabs.currentIndex() == 1
    assert looks(window)["fonts"] == before


def test_the_theme_can_change_in_between(qtbot, window, do):
    before = looks(window)["fonts"]
    press(qtbot, Qt.Key.Key_F11)
    do(window, "Dark")
    assert window.attention_view.plot.font().pointSizeF() > window.text_panel.font().pointSizeF()
    press(qtbot, Qt.Key.Key_F11)
    do(window, "Light")
    assert looks(window)["fonts"] == before


def test_a_result_in_between_unfolds_nothing(window, shown):
    window.guide.presentation.enter()
    window.text_panel.set_text("five six seven")
    shown(window, "five six seven")
    QApplication.processEvents()
    assert window.attention_view.neighbours.height() == 0
    window.guide.presentation.leave()
    QApplication.processEvents()
    assert window.attention_view.neighbours.height() > 0
    height = window.text_panel.chips.chip_rect(0).height()
    window.text_panel.set_text("seven eight")
    shown(window, "seven eight")
    assert window.text_panel.chips.chip_rect(0).height() == height


def test_closing_in_the_middle_remembers_the_window_as_it_was(open_window, folder):
    kept = []
    for presents in (False, True):
        window = open_window("one two three")
        window.resize(1000, 640)
        window.attention_view.splitter.setSizes([500, 200])
        QApplication.processEvents()
        if presents:
            window.guide.presentation.enter()
            QApplication.processEvents()
        window.close()
        store = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
        stored = [store.value(name) for name in ("main", "below", "attention")]
        again = open_window()
        QApplication.processEvents()
        # How far a splitter on a hidden page is stretched at the start depends on whether the first
        # result or the first layout comes earlier: of that one, what is stored is compared.
        shown = [s for s in again.findChildren(QSplitter) if s is not again.attention_view.splitter]
        splitters = [one.sizes() for one in shown]
        kept.append((again.size(), again.windowState(), splitters, stored))
        assert again.text_panel.isVisible()
        again.close()
    assert kept[0] == kept[1]


def test_the_names_of_parts_are_right(window):
    for name in FOLDED:
        assert part_of(window, name) is not None
