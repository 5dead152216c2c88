"""The order probe in the window: words are moved, repeated, left out; and what is seen of it."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

from posenc_gui.theme import DARK, apply_theme
from posenc_gui.views.probe import ProbeView
from posenc_gui.views.probe_bars import LayerBars, share_text
from posenc_gui.views.probe_chips import Chip, ProbeChipArea
from posenc_gui.views.probe_order import moved, repeated, shuffled, without
from posenc_gui.views.probe_wording import INVITATION, ONLY_PERMUTED
from posenc_model import encode

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "the dog bites a man"
WORDS = TEXT.split()
LEFT, RIGHT = Qt.Key.Key_Left, Qt.Key.Key_Right
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


def view_of(window):
    return next(view for view in window.views if isinstance(view, ProbeView))


@pytest.fixture
def settled(qtbot):
    """Waits until what is shown belongs to the present order."""

    def wait(view):
        qtbot.waitUntil(lambda: view.probe is not None, timeout=30_000)
        assert view.probe.order == view.order

    return wait


@pytest.fixture
def probed(open_window, settled):
    """Opens a window on the tab of the order probe and waits for its pictures."""

    def opened(text=TEXT, encoding="t5", **given):
        window = open_window(text, {"positional_encoding": encoding, **given})
        view = view_of(window)
        window.tabs.setCurrentWidget(view)
        settled(view)
        return window, view

    return opened


def chip_words(view):
    return [chip.word for chip in view.chips.chips]


def figures(view):
    return [plot.figure for plot in view.plots]


def weights_of(words, encoding, layer=0, head=0):
    result = encode(" ".join(words), positional_encoding=encoding, **SETTINGS)
    return result.weights(layer, head)


# --- what is shown --------------------------------------------------------------------------------


def test_before_anything_is_moved_both_pictures_are_the_results(probed):
    window, view = probed()
    assert chip_words(view) == WORDS
    before, after, difference = figures(view)
    expected = window.attention_view.result.weights(0, 0)
    np.testing.assert_array_equal(before.matrix, expected)
    np.testing.assert_array_equal(after.matrix, expected)
    assert np.abs(difference.matrix).max() == 0
    assert view.sentence.text() == INVITATION
    assert not view.reset_button.isEnabled()


def test_without_position_it_visibly_only_permutes(probed, settled):
    _, view = probed(encoding="none")
    view.move_word(1, 4)
    settled(view)
    assert chip_words(view) == ["the", "bites", "a", "man", "dog"]
    before, after, difference = figures(view)
    np.testing.assert_allclose(after.matrix, before.matrix, atol=1e-5)
    assert list(after.query_words) == WORDS
    assert np.abs(difference.matrix).max() == 0
    assert difference.levels == (-1.0, 1.0)
    assert max(view.hidden_bars.values) < 1e-5
    assert max(view.weights_bars.values) < 1e-5
    assert {share_text(value) for value in view.hidden_bars.values} == {"0 %"}
    assert view.sentence.text() == ONLY_PERMUTED


@pytest.mark.parametrize("encoding", ["abs", "rel", "t5"])
def test_with_position_words_see_others(encoding, probed, settled):
    window, view = probed(encoding=encoding)
    view.move_word(1, 4)
    settled(view)
    order = [0, 2, 3, 4, 1]
    text = [WORDS[i] for i in order]
    place = np.argsort(order)
    for layer in (0, 1):
        window.attention_view.choose_head(layer, 1)
        old, new = weights_of(WORDS, encoding, layer, 1), weights_of(text, encoding, layer, 1)
        back = new[np.ix_(place, place)]
        before, after, difference = figures(view)
        np.testing.assert_allclose(before.matrix, old, atol=1e-6)
        np.testing.assert_allclose(after.matrix, back, atol=1e-6)
        np.testing.assert_allclose(difference.matrix, back - old, atol=1e-6)
        assert np.abs(difference.matrix).max() > 1e-3
        assert difference.levels[0] == -difference.levels[1]
    first = encode(TEXT, positional_encoding=encoding, **SETTINGS)
    second = encode(" ".join(text), positional_encoding=encoding, **SETTINGS)
    shifts = [
        np.mean(
            np.linalg.norm(old - new[place], axis=-1) / np.linalg.norm(old, axis=-1),
        )
        for old, new in zip(first.hidden_states, second.hidden_states, strict=True)
    ]
    np.testing.assert_allclose(view.hidden_bars.values, shifts, rtol=1e-3, atol=1e-6)
    moved_shares = [
        np.abs(old - new[:, place][:, :, place]).sum(-1).mean() / 2
        for old, new in zip(first.attentions, second.attentions, strict=True)
    ]
    np.testing.assert_allclose(view.weights_bars.values, moved_shares, rtol=1e-3, atol=1e-6)
    shift = view.probe.hidden_shift[:, 1]
    told = f"After layer 1, ‘dog’ is {share_text(shift[1])} away from where it was; by layer 2, "
    assert view.sentence.text().startswith(told + share_text(shift[2]))


def test_matched_by_place(probed, settled):
    _, view = probed()
    view.move_word(0, 1)
    settled(view)
    view.match_box.setCurrentIndex(1)
    text = ["dog", "the", "bites", "a", "man"]
    before, after, difference = figures(view)
    assert list(after.query_words) == text
    np.testing.assert_allclose(after.matrix, weights_of(text, "t5"), atol=1e-6)
    np.testing.assert_allclose(difference.matrix, after.matrix - before.matrix, atol=1e-6)
    assert list(difference.query_words) == ["the→dog", "dog→the", "bites", "a", "man"]


def test_the_sentence_is_about_the_chosen_word(probed, settled):
    _, view = probed()
    view.move_word(1, 4)
    settled(view)
    view.chips.choose(0)
    assert "‘the’ is" in view.sentence.text()


def test_one_layer_is_said_once(probed, settled):
    _, view = probed(num_layers=1)
    view.move_word(1, 4)
    settled(view)
    assert "by layer" not in view.sentence.text()
    assert view.sentence.text().count("layer 1") == 2


# --- words left out and repeated ------------------------------------------------------------------


def test_a_word_left_out(probed, settled):
    _, view = probed()
    view.chips.choose(1)
    view.remove_button.click()
    settled(view)
    left = ["the", "bites", "a", "man"]
    assert chip_words(view) == left
    before, after, difference = figures(view)
    expected, kept = weights_of(left, "t5"), [0, 2, 3, 4]
    np.testing.assert_allclose(after.matrix, expected, atol=1e-6)
    assert before.matrix.shape == (5, 5)
    old = weights_of(WORDS, "t5")[np.ix_(kept, kept)]
    np.testing.assert_allclose(difference.matrix, expected - old, atol=1e-6)
    assert list(difference.key_words) == left
    assert view.note.isVisible()
    assert view.note.text().startswith(
        "‘dog’ is left out. Compared are the 4 words that both texts have."
    )
    view.match_box.setCurrentIndex(1)
    assert view.no_difference.isVisible()
    assert view.no_difference.text() == "No difference by place: 5 words before, 4 after."


def test_a_word_that_stands_there_twice(probed, settled):
    _, view = probed()
    view.chips.choose(1)
    view.repeat_button.click()
    settled(view)
    view.move_word(2, 0)
    settled(view)
    text = ["dog", "the", "dog", "bites", "a", "man"]
    assert chip_words(view) == text
    assert [chip.is_copy for chip in view.chips.chips] == [False, False, True, False, False, False]
    _, after, difference = figures(view)
    assert list(after.query_words) == ["the", "dog", "dog", "bites", "a", "man"]
    ran = weights_of(text, "t5")
    by_word = [1, 0, 2, 3, 4, 5]
    np.testing.assert_allclose(after.matrix, ran[np.ix_(by_word, by_word)], atol=1e-6)
    rows = ran[[1, 0, 3, 4, 5]]
    matched = np.stack([rows[:, 1], rows[:, 0] + rows[:, 2], *rows[:, 3:].T], axis=1)
    np.testing.assert_allclose(difference.matrix, matched - weights_of(WORDS, "t5"), atol=1e-6)
    assert "‘dog’ stands there more than once" in view.note.text()
    assert "of copies the first; attention on copies is added up" in view.note.text()


def test_the_last_word_stays(probed, settled):
    _, view = probed("one two")
    view.remove_button.click()
    settled(view)
    assert not view.remove_button.isEnabled()
    assert not view.shuffle_button.isEnabled()
    view.chips.remove_wanted.emit(0)
    assert chip_words(view) == ["two"]


def test_many_changes_are_named_shortly(probed, settled):
    _, view = probed("a b c d e f g")
    for _ in range(5):
        view.remove_button.click()
    settled(view)
    assert view.note.text().startswith("‘a’, ‘b’, ‘c’ and 2 more are left out.")


def test_shuffle_and_reset(probed, settled):
    _, view = probed()
    view.seed_box.setValue(7)
    view.shuffle_button.click()
    first = view.order
    assert sorted(first) == [0, 1, 2, 3, 4]
    assert first != (0, 1, 2, 3, 4)
    assert view.seed_box.value() == 8
    view.shuffle_button.click()
    assert view.order != first
    view.seed_box.setValue(7)
    view.shuffle_button.click()
    assert view.order == first
    settled(view)
    view.reset_button.click()
    settled(view)
    assert chip_words(view) == WORDS
    assert view.sentence.text() == INVITATION


# --- orders ---------------------------------------------------------------------------------------


def test_changed_orders():
    order = (4, 5, 6, 7)
    assert moved(order, 0, 3) == (5, 6, 7, 4)
    assert moved(order, 3, 1) == (4, 7, 5, 6)
    assert moved(order, 2, 2) == order
    assert repeated(order, 1) == (4, 5, 5, 6, 7)
    assert without(order, 0) == (5, 6, 7)
    assert shuffled((1, 0), 0) == shuffled((1, 0), 1) == (0, 1)
    assert shuffled((3, 3), 0) == (3, 3)
    assert sorted(shuffled((2, 0, 2, 1), 5)) == [0, 1, 2, 2]


# --- chips ----------------------------------------------------------------------------------------


@pytest.fixture
def area(qtbot):
    area = ProbeChipArea()
    qtbot.addWidget(area)
    area.resize(300, 120)
    area.show()
    return area


def fill(area, words):
    area.chips.set_chips([Chip(word, place) for place, word in enumerate(words)])
    return area.chips


def mouse(chips, kind, point, button=Qt.MouseButton.LeftButton):
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else button
    event = QMouseEvent(
        kind,
        QPointF(point),
        QPointF(chips.mapToGlobal(point.toPoint())),
        Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else button,
        held,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(chips, event)


def drag(chips, start, point, *, drop=True):
    mouse(chips, QEvent.Type.MouseButtonPress, chips.chip_rect(start).center())
    mouse(chips, QEvent.Type.MouseMove, point)
    if drop:
        mouse(chips, QEvent.Type.MouseButtonRelease, point)


def beside(chips, place, side):
    rect = chips.chip_rect(place)
    return QPointF(rect.left() + 1 if side == "left" else rect.right() - 1, rect.center().y())


@pytest.mark.parametrize(
    ("start", "target", "side", "end"),
    [(0, 2, "right", 2), (0, 2, "left", 1), (3, 0, "left", 0), (2, 0, "right", 1)],
)
def test_dragging_a_chip(qtbot, area, start, target, side, end):
    chips = fill(area, ["one", "two", "three", "four"])
    with qtbot.waitSignal(chips.move_wanted) as wanted:
        drag(chips, start, beside(chips, target, side))
    assert wanted.args == [start, end]
    assert chips.current == start
    assert chips.drop_place is None


@pytest.mark.parametrize(("target", "side"), [(1, "left"), (1, "right"), (0, "right"), (2, "left")])
def test_dropped_where_it_was_nothing_is_moved(qtbot, area, target, side):
    chips = fill(area, ["one", "two", "three"])
    with qtbot.assertNotEmitted(chips.move_wanted):
        drag(chips, 1, beside(chips, target, side))


def test_a_click_moves_nothing_but_chooses(qtbot, area):
    chips = fill(area, ["one", "two", "three"])
    with qtbot.assertNotEmitted(chips.move_wanted), qtbot.waitSignal(chips.current_changed):
        qtbot.mouseClick(
            chips, Qt.MouseButton.LeftButton, pos=chips.chip_rect(2).center().toPoint()
        )
    assert chips.current == 2


def test_a_mark_shows_where_the_chip_would_go(area):
    chips = fill(area, ["one", "two", "three", "four"])
    drag(chips, 0, beside(chips, 2, "right"), drop=False)
    assert chips.drop_place == 3
    mark = chips.gap_rect(3)
    assert chips.chip_rect(2).right() <= mark.center().x() <= chips.chip_rect(3).left()
    color = chips.grab().toImage().pixelColor(mark.center().toPoint())
    assert max(abs(a - b) for a, b in zip(color.getRgb(), (0x1F, 0x5F, 0xAE), strict=False)) <= 6
    drag(chips, 0, beside(chips, 3, "right"), drop=False)
    assert chips.drop_place == 4
    assert chips.gap_rect(4).left() >= chips.chip_rect(3).right() - 1


def test_at_the_end_of_a_line_the_mark_stays_in_the_line(area):
    chips = fill(area, [f"word{i}" for i in range(20)])
    first_of_second = next(i for i in range(20) if chips.chip_rect(i).top() > 10)
    drag(chips, 15, beside(chips, first_of_second - 1, "right"), drop=False)
    assert chips.drop_place == first_of_second
    mark = chips.gap_rect(chips.drop_place)
    assert mark.center().y() == chips.chip_rect(0).center().y()
    drag(chips, 15, beside(chips, first_of_second, "left"), drop=False)
    assert chips.drop_place == first_of_second
    assert chips.gap_rect(first_of_second).center().y() > mark.center().y()


def test_escape_ends_a_drag(qtbot, area):
    chips = fill(area, ["one", "two", "three"])
    drag(chips, 0, beside(chips, 2, "right"), drop=False)
    qtbot.keyClick(chips, Qt.Key.Key_Escape)
    assert chips.drop_place is None
    with qtbot.assertNotEmitted(chips.move_wanted):
        mouse(chips, QEvent.Type.MouseButtonRelease, beside(chips, 2, "right"))


def test_the_keyboard_chooses(qtbot, area):
    chips = fill(area, ["one", "two", "three"])
    chosen = []
    chips.current_changed.connect(chosen.append)
    for key in (RIGHT, RIGHT, RIGHT, LEFT, Qt.Key.Key_Home, Qt.Key.Key_End):
        qtbot.keyClick(chips, key)
    assert chosen == [1, 2, 1, 0, 2]


def test_the_keyboard_goes_from_line_to_line(qtbot, area):
    chips = fill(area, [f"word{i}" for i in range(20)])
    qtbot.keyClick(chips, Qt.Key.Key_Up)
    assert chips.current == 0
    qtbot.keyClick(chips, Qt.Key.Key_Down)
    below = chips.chip_rect(chips.current)
    assert below.left() == chips.chip_rect(0).left()
    assert below.top() > chips.chip_rect(0).bottom()
    qtbot.keyClick(chips, Qt.Key.Key_Up)
    assert chips.current == 0


@pytest.mark.parametrize("modifier", [ALT, CTRL])
def test_the_keyboard_moves(qtbot, area, modifier):
    chips = fill(area, ["one", "two", "three"])
    wanted = []
    chips.move_wanted.connect(lambda start, end: wanted.append((start, end)))
    qtbot.keyClick(chips, LEFT, modifier)
    chips.choose(1)
    qtbot.keyClick(chips, LEFT, modifier)
    qtbot.keyClick(chips, RIGHT, modifier)
    assert wanted == [(1, 0), (1, 2)]


def test_the_keyboard_repeats_and_removes(qtbot, area):
    chips = fill(area, ["one", "two", "three"])
    chips.choose(1)
    with qtbot.waitSignal(chips.repeat_wanted) as repeat:
        qtbot.keyClick(chips, Qt.Key.Key_D, CTRL)
    with qtbot.waitSignal(chips.remove_wanted) as remove:
        qtbot.keyClick(chips, Qt.Key.Key_Delete)
    assert repeat.args == remove.args == [1]


def test_keys_of_menus_are_the_chips_own_while_they_have_the_focus(area):
    chips = fill(area, ["one", "two", "three"])
    for key, modifier, is_own in (
        (LEFT, ALT, True),
        (Qt.Key.Key_Up, ALT, False),
        (Qt.Key.Key_D, CTRL, True),
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier, False),
    ):
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifier)
        event.ignore()
        QApplication.sendEvent(chips, event)
        assert event.isAccepted() == is_own


def test_chips_have_names(area):
    chips = fill(area, ["one", "two", "three"])
    assert chips.accessibleName() == "Words in their order: ‘one’, place 1 of 3"
    chips.set_chips([Chip("two", 1), Chip("two", 1, is_copy=True)], 1)
    assert chips.accessibleName() == "Words in their order: ‘two’, place 2 of 2, a copy"
    assert chips._tip(0).startswith("Place 1; in the text 2:\ntwo\n")
    chips.set_chips([Chip("<b>", 1, is_unknown=True)])
    assert "was 2" in chips.accessibleName()
    assert "\n<b>\nNot in the vocabulary" in chips._tip(0)


def test_chips_wrap_and_scroll(qtbot, area):
    chips = fill(area, [f"word{i}" * (1 + i % 4) for i in range(120)])
    rects = [chips.chip_rect(i) for i in range(120)]
    assert all(rect.left() >= 0 and rect.right() <= chips.width() for rect in rects)
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[i + 1 :])
    assert area.height() < chips.height()
    qtbot.keyClick(chips, Qt.Key.Key_End)
    seen = chips.visibleRegion().boundingRect()
    assert seen.contains(rects[119].center().toPoint())
    few = fill(area, ["one"])
    assert area.height() == few.minimumHeight()


def test_chips_follow_the_theme(application, area):
    chips = fill(area, ["one", "two"])
    point = chips.chip_rect(1).topLeft().toPoint()
    point.setX(point.x() + 5)
    point.setY(point.y() + 4)
    light = chips.grab().toImage().pixelColor(point)
    apply_theme(application, DARK)
    dark = chips.grab().toImage().pixelColor(point)
    assert light.lightness() > 200 > 80 > dark.lightness()


def test_dragging_in_the_window(probed, settled):
    _, view = probed()
    drag(view.chips, 1, beside(view.chips, 4, "right"))
    assert chip_words(view) == ["the", "bites", "a", "man", "dog"]
    assert view.chips.current == 4
    settled(view)


def test_alt_and_an_arrow_move_the_chip_and_not_the_head(qtbot, probed, settled):
    window, view = probed()
    view.chips.setFocus()
    view.chips.choose(1)
    # As the windowing system sends it: asked for as a shortcut first.
    qtbot.keyClick(window.windowHandle(), RIGHT, ALT)
    assert chip_words(view) == ["the", "bites", "dog", "a", "man"]
    assert window.choice.head == 0
    qtbot.keyClick(window.windowHandle(), RIGHT, ALT)
    qtbot.keyClick(window.windowHandle(), LEFT, CTRL)
    assert chip_words(view) == ["the", "bites", "dog", "a", "man"]
    settled(view)


# --- when the text or the settings change ---------------------------------------------------------


def test_the_order_stays_when_the_encoding_changes(qtbot, probed, settled, shown):
    window, view = probed()
    view.move_word(1, 4)
    settled(view)
    window.settings_panel.rows["positional_encoding"].field.set_value("none")
    shown(window, positional_encoding="none")
    settled(view)
    assert chip_words(view) == ["the", "bites", "a", "man", "dog"]
    assert view.chips.current == 4
    assert view.sentence.text() == ONLY_PERMUTED


def test_other_words_reset_the_order(probed, settled, shown):
    window, view = probed()
    view.move_word(1, 4)
    settled(view)
    window.text_panel.set_text("the dog bites two men")
    shown(window, "the dog bites two men")
    settled(view)
    assert view.order == (0, 1, 2, 3, 4)
    assert chip_words(view) == ["the", "dog", "bites", "two", "men"]


def test_after_a_mistake_the_order_of_the_same_words_is_back(qtbot, probed, settled, shown):
    window, view = probed()
    view.move_word(1, 4)
    settled(view)
    window.text_panel.set_text(" ")
    qtbot.waitUntil(view.hint.isVisible)
    assert not view.has_result()
    window.text_panel.set_text(TEXT)
    shown(window, TEXT)
    settled(view)
    assert chip_words(view) == ["the", "bites", "a", "man", "dog"]


def test_layer_and_head_are_those_of_all_views(probed, settled):
    window, view = probed()
    view.move_word(1, 4)
    settled(view)
    bars = view.weights_bars
    bars.layer_chosen.emit(1)
    assert (window.choice.layer, window.choice.head) == (1, 0)
    np.testing.assert_allclose(figures(view)[0].matrix, weights_of(WORDS, "t5", 1), atol=1e-6)
    window.tabs.setCurrentWidget(window.attention_view)
    window.choice.choose(0, 1)
    window.tabs.setCurrentWidget(view)
    np.testing.assert_allclose(figures(view)[0].matrix, weights_of(WORDS, "t5", 0, 1), atol=1e-6)


def test_nothing_is_run_while_it_is_hidden(qtbot, open_window, settled):
    window = open_window(TEXT)
    view = view_of(window)
    with qtbot.assertNotEmitted(view.work_wanted):
        window.text_panel.set_text("one two")
        qtbot.waitUntil(lambda: len(window.attention_view.result.tokens) == 2)
        window.choice.choose(1, 1)
    assert view.plots[0].figure is None
    with qtbot.waitSignal(view.work_wanted):
        window.tabs.setCurrentWidget(view)
    settled(view)
    assert chip_words(view) == ["one", "two"]
    window.tabs.setCurrentWidget(window.attention_view)
    with qtbot.assertNotEmitted(view.work_wanted):
        window.tabs.setCurrentWidget(view)
    assert figures(view)[0] is not None


def test_the_newest_order_wins(qtbot, probed):
    _, view = probed()
    for end in (1, 2, 3, 4):
        view.move_word(end - 1, end)
    qtbot.waitUntil(lambda: view.probe is not None)
    assert view.probe.order == (1, 2, 3, 4, 0)
    stale = view.probe
    view.reset_button.click()
    view.take("probe", stale)
    assert view.probe is None


def test_a_slow_probe_says_that_the_pictures_are_old(qtbot, probed):
    _, view = probed()
    view.move_word(0, 1)
    view.probe = None
    view._on_slow()
    assert view.plots[0].is_old
    assert view.sentence.text() == "Running the changed text…"
    qtbot.waitUntil(lambda: view.probe is not None)
    assert not view.plots[0].is_old


def test_closing_in_the_middle(qtbot, open_window):
    window = open_window(TEXT)
    view = view_of(window)
    window.tabs.setCurrentWidget(view)
    view.move_word(0, 3)
    window.close()
    QApplication.processEvents()
    assert not window.isVisible()
    assert view.probe is None


def test_long_texts_are_not_probed(qtbot, open_window, monkeypatch):
    monkeypatch.setattr("posenc_gui.views.probe._MOST_TOKENS", 4)
    window = open_window(TEXT)
    view = view_of(window)
    with qtbot.assertNotEmitted(view.work_wanted):
        window.tabs.setCurrentWidget(view)
    assert view.hint.text() == "The order probe takes at most 4 tokens; this text has 5."


def test_words_are_not_repeated_beyond_the_limit(probed, monkeypatch):
    monkeypatch.setattr("posenc_gui.views.probe._MOST_TOKENS", 6)
    _, view = probed()
    view.repeat_button.click()
    assert not view.repeat_button.isEnabled()
    view.chips.repeat_wanted.emit(0)
    assert len(view.order) == 6


def test_somebody_elses_attention_is_not_probed(qtbot, open_window, shown, tmp_path):
    path = tmp_path / "other.npz"
    weights = np.full((1, 1, 2, 2), 0.5, np.float32)
    np.savez(path, weights=weights, tokens=np.array(["a", "b"]))
    window = open_window(TEXT)
    view = view_of(window)
    window.tabs.setCurrentWidget(view)
    window.settings_panel.choose_weights(str(path))
    shown(window, weights=str(path))
    assert view.hint.isVisible()
    assert "needs an encoder of our own" in view.hint.text()


def test_hidden_and_unknown_words_of_trained_weights(qtbot, open_window, settled, shown):
    window = open_window("the dog xqzzy the man")
    view = view_of(window)
    window.tabs.setCurrentWidget(view)
    window.settings_panel.choose_weights("trained")
    shown(window, weights="trained")
    settled(view)
    assert [chip.is_unknown for chip in view.chips.chips] == [False, False, True, False, False]
    view.move_word(2, 0)
    settled(view)
    window.text_panel.chips.chosen.emit(1)
    qtbot.waitUntil(lambda: window.attention_view.result.request.masked == (1,))
    settled(view)
    assert chip_words(view) == ["xqzzy", "the", "[mask]", "the", "man"]
    assert view.probe.after.request.masked == (2,)


def test_a_look_ahead_mask(probed, settled):
    _, view = probed(encoding="none", attention_mask="causal")
    view.move_word(1, 4)
    settled(view)
    before, after, difference = figures(view)
    assert np.isnan(before.matrix[1, 2])  # “dog” may not see “bites” before, but after
    assert np.isfinite(after.matrix[1, 2])
    assert difference.matrix[1, 2] == pytest.approx(after.matrix[1, 2], abs=1e-6)
    assert np.isnan(difference.matrix[0, 1])
    assert view.sentence.text() != ONLY_PERMUTED
    view._mark(0, (1, 2))
    assert "before masked, after " in view.sentence.text()


# --- pointing -------------------------------------------------------------------------------------


def test_pointing_marks_the_same_words(probed, settled):
    window, view = probed()
    view.chips.choose(0)
    view.remove_button.click()
    settled(view)
    view.plots[0].cell_marked.emit((1, 4))
    assert [plot.marked for plot in view.plots] == [(1, 4), (0, 3), (0, 3)]
    assert view.sentence.text().startswith("‘dog’ gives ‘man’: before ")
    view.plots[0].cell_marked.emit((0, 4))
    assert [plot.marked for plot in view.plots] == [(0, 4), None, None]
    assert view.sentence.text().endswith("after not there.")
    view.plots[0].cell_marked.emit(None)
    assert view.plots[0].marked is None
    assert view.sentence.text().startswith("After layer 1")
    view.match_box.setCurrentIndex(1)
    view.plots[1].cell_marked.emit((1, 1))
    assert view.plots[0].marked == (1, 1)
    assert view.sentence.text().startswith("Before, ‘dog’ gives itself ")
    assert "; after, ‘bites’ gives itself " in view.sentence.text()
    window._on_chip_pointed_at(3)
    assert view.plots[0].marked[0] == 3


def test_the_scale_is_that_of_both(probed, settled):
    _, view = probed()
    view.move_word(0, 1)
    settled(view)
    view.set_colors("viridis", False)
    before, after, _ = figures(view)
    largest = max(before.matrix.max(), after.matrix.max())
    assert before.levels == after.levels == (0.0, pytest.approx(largest))


# --- bars -----------------------------------------------------------------------------------------


def test_bars(qtbot):
    bars = LayerBars("Moved", "How it is worked out.")
    qtbot.addWidget(bars)
    bars.resize(300, 100)
    bars.set_values([0.0, 0.125, 0.25], ["input", "1", "2"], [None, 0, 1])
    bars.choose(1)
    bars.grab()
    assert bars.top == 0.25
    assert bars.accessibleName() == "Moved: input 0 %, 1 12 %, 2 25 %"
    assert [bars.bar_rect(i).height() for i in range(2)] == [0, bars.bar_rect(2).height() / 2]
    with qtbot.waitSignal(bars.layer_chosen) as chosen:
        qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=bars.bar_rect(2).center().toPoint())
    assert chosen.args == [1]
    with qtbot.assertNotEmitted(bars.layer_chosen):
        x = int(bars.bar_rect(0).center().x())
        qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=QPoint(x, 60))
    assert bars._tip(bars.bar_rect(0).center()) == "Before layer 1: 0 %\nHow it is worked out."
    bars.set_values([3.0], ["1"], [0])
    assert bars.top == 3.0


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (1e-6, "0 %"),
        (0.0006, "0.1 %"),
        (0.0994, "9.9 %"),
        (0.34, "34 %"),
        (1.2, "120 %"),
    ],
)
def test_shares_in_words(share, text):
    assert share_text(share) == text
