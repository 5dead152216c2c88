"""The lines view: heads, threshold, hovering, long texts, and what it does while hidden."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from posenc_gui.figures.lines import head_color
from posenc_gui.head_choice import HeadChoice
from posenc_gui.theme import DARK, apply_theme, picture_style
from posenc_gui.views import lines as module
from posenc_gui.views import lines_plot
from posenc_gui.views.lines import HeadRows, LinesView, head_rows
from posenc_gui.views.lines_plot import KEY, QUERY
from posenc_gui.views.wording import hidden_sentence, percent
from posenc_model import encode
from posenc_model.request import MEAN_HEAD

TEXT = "one two three four five"
WORDS = TEXT.split()
SETTINGS = {"num_layers": 2, "num_heads": 4, "width": 16, "nlp_pipeline": "whitespace"}


@pytest.fixture
def result():
    return encode(TEXT, **SETTINGS)


@pytest.fixture
def view(qtbot):
    """A view that is seen, without a window around it."""
    view = LinesView(HeadChoice())
    qtbot.addWidget(view)
    view.resize(800, 500)
    view.show()
    return view


@pytest.fixture
def marked(view):
    """What the view tells the others: query and weights, newest last."""
    told = []
    view.row_marked.connect(lambda query, weights: told.append((query, weights)))
    return told


def drawn(view):
    """Weight by head, query and key."""
    lines = view.shown.lines
    return {
        (int(h), int(q), int(k)): float(w)
        for h, q, k, w in zip(lines.head, lines.query, lines.key, lines.weight, strict=True)
    }


def expected(result, layer, heads, threshold):
    return {
        (head, q, k): float(weight)
        for head in heads
        for (q, k), weight in np.ndenumerate(result.weights(layer, head))
        if weight >= threshold
    }


def lines_of(window):
    view = next(view for view in window.views if isinstance(view, LinesView))
    window.tabs.setCurrentWidget(view)
    return view


# --- heads and layers ----------------------------------------------------------------------------


def test_first_the_lines_of_the_chosen_head(view, result):
    view.choice.fit(2, 4)
    view.choice.choose(1, 2)
    view.show_result(result)
    assert drawn(view) == expected(result, 1, [2], 0.05)
    assert [button.isChecked() for button in view.heads_row.buttons] == [False, False, True, False]
    assert view.only_button.isChecked()
    assert view.only_button.text().replace("&", "") == "Only head 3"
    assert view.layer_box.value() == 2


def test_it_follows_the_shared_choice_until_heads_are_ticked(view, result):
    view.show_result(result)
    view.choice.choose(0, 3)
    assert view.heads == (3,)
    view.heads_row.buttons[1].click()
    assert view.heads == (1, 3)
    assert drawn(view) == expected(result, 0, [1, 3], 0.05)
    assert not view.only_button.isChecked()
    view.choice.choose(1, 0)
    assert view.heads == (1, 3)
    assert drawn(view) == expected(result, 1, [1, 3], 0.05)
    assert view.only_button.text().replace("&", "") == "Only head 1"
    view.only_button.click()
    assert view.heads == (0,)
    view.only_button.click()
    assert view.heads == (0,)
    view.choice.choose(1, 2)
    assert view.heads == (0,)


def test_all_and_none(view, result):
    view.show_result(result)
    view.all_button.click()
    assert drawn(view) == expected(result, 0, range(4), 0.05)
    assert view.shown.heads == (0, 1, 2, 3)
    view.heads_row.buttons[2].click()
    assert view.heads == (0, 1, 3)
    assert view.shown.heads == (0, 1, 3)
    view.none_button.click()
    assert drawn(view) == {}
    assert view.hidden_label.text() == "No head is ticked: tick one above."
    assert not any(button.isChecked() for button in view.heads_row.buttons)


def test_a_double_click_shows_one_head_everywhere(qtbot, view, result):
    view.show_result(result)
    view.all_button.click()
    button = view.heads_row.buttons[2]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.mouseDClick(button, Qt.MouseButton.LeftButton)
    assert view.heads == (2,)
    assert view.choice.head == 2


def test_the_space_key_ticks_a_head(qtbot, view, result):
    view.show_result(result)
    qtbot.keyClick(view.heads_row.buttons[3], Qt.Key.Key_Space)
    assert view.heads == (0, 3)


def test_the_mean_over_heads(view, result):
    view.show_result(result)
    view.choice.show_mean(True)
    assert view.heads == (MEAN_HEAD,)
    assert drawn(view) == expected(result, 0, [MEAN_HEAD], 0.05)
    assert view.only_button.text().replace("&", "") == "Only the mean"
    view.plot._mark_and_tell((QUERY, 0))
    assert view.sentence.text().endswith(" %), on the mean over heads")
    view.heads_row.buttons[1].click()
    assert view.heads == (1,)


def test_the_layer_box_chooses_for_all_views(view, result):
    view.show_result(result)
    view.choice.show_mean(True)
    view.layer_box.setValue(2)
    assert (view.choice.layer, view.choice.head) == (1, MEAN_HEAD)
    assert drawn(view) == expected(result, 1, [MEAN_HEAD], 0.05)


def test_fewer_heads_in_the_next_result(view, result):
    view.show_result(result)
    view.show_heads(frozenset({1, 3}))
    view.show_result(encode(TEXT, **{**SETTINGS, "num_heads": 2}))
    assert view.heads == (1,)
    assert len(view.heads_row.buttons) == 2
    view.show_result(result)
    assert view.heads == (1, 3)


def test_buttons_have_the_colours_of_the_lines_in_both_themes(application, view, result):
    view.show_result(result)
    view.all_button.click()
    seen = []
    for dark in (False, True):
        if dark:
            apply_theme(application, DARK)
        style = picture_style(view.palette(), view.font())
        colors = []
        for button in view.heads_row.buttons:
            icon = button.icon().pixmap(16, 16, state=button.icon().State.On).toImage()
            center = icon.pixelColor(icon.width() // 2, icon.height() // 2)
            assert center == head_color(button.head, style)
            colors.append(center.name())
        assert len(set(colors)) == 4
        seen.append(colors)
    assert seen[0] != seen[1]


def test_buttons_of_many_heads_go_into_several_rows(qtbot, view):
    result = encode("one two", num_layers=1, num_heads=32, width=32, nlp_pipeline="whitespace")
    view.show_result(result)
    row = view.heads_row

    def check():
        rects = [button.geometry() for button in row.buttons]
        assert len({rect.top() for rect in rects}) > 1
        assert max(rect.right() for rect in rects) <= row.width()
        assert max(rect.bottom() for rect in rects) <= row.height()
        assert not any(a.intersects(b) for a in rects for b in rects if a is not b)

    qtbot.waitUntil(check)
    # The colours of the first dozen come again, drawn otherwise.
    icons = [b.icon().pixmap(16, 16, state=b.icon().State.On).toImage() for b in row.buttons]
    assert icons[12] != icons[0]


# --- threshold -----------------------------------------------------------------------------------


def test_the_threshold_says_what_it_hides(view, result):
    view.show_result(result)
    view.all_button.click()
    weights = np.stack([result.weights(0, head) for head in range(4)])
    for value in (10, 30):
        view.slider.setValue(value)
        assert drawn(view) == expected(result, 0, range(4), value / 100)
        hidden = weights[weights < value / 100]
        assert 0 < len(hidden) < 100
        share = percent(float(hidden.sum()) / 20)
        assert view.hidden_label.text() == (
            f"Hides {len(hidden)} of 100 lines, together {share} of all attention"
        )
        assert view.threshold_label.text() == f"{value} %"
    view.slider.setValue(0)
    assert view.hidden_label.text() == "Hides nothing: all 100 lines are drawn"
    view.slider.setValue(100)
    assert view.hidden_label.text() == "Hides all 100 lines: no weight reaches 100 %"


def test_the_threshold_by_keyboard(qtbot, view, result):
    view.show_result(result)
    assert view.slider.value() == 5
    qtbot.keyClick(view.slider, Qt.Key.Key_Right)
    qtbot.keyClick(view.slider, Qt.Key.Key_PageUp)
    assert view.threshold == pytest.approx(0.11)
    assert drawn(view) == expected(result, 0, [0], 0.11)


def test_the_scale_can_end_at_the_strongest_line(view, result):
    view.show_result(result)
    assert view.shown.full == 1.0
    view.set_colors("viridis", False)
    largest = float(result.weights(0, 0).max())
    assert view.shown.full == pytest.approx(largest)
    assert view.shown.lines.opacity[-1] == pytest.approx(1.0)


# --- pointing at words ---------------------------------------------------------------------------


def test_pointing_at_a_query_shows_and_reads_its_lines(view, result, hover, marked):
    view.show_result(result)
    view.show_heads(frozenset({0, 3}))
    hover(view.plot.viewport(), view.plot.word_center(QUERY, 2))
    rows = np.stack([result.weights(0, head)[2] for head in (0, 3)])
    assert {q for _, q, _ in drawn(view)} == {2}
    assert len(drawn(view)) == int((rows >= 0.05).sum())
    order = np.argsort(-rows.max(0))[:3]
    names = ["itself" if key == 2 else f"‘{WORDS[key]}’" for key in order]
    shares = [percent(float(rows[:, key].max())) for key in order]
    heads = [("head 1", "head 4")[int(rows[:, key].argmax())] for key in order]
    told = [f"{n} ({s}, {h})" for n, s, h in zip(names, shares, heads, strict=True)]
    assert view.sentence.text() == (
        f"‘three’ looks most at {told[0]}, then at {told[1]} and {told[2]}"
    )
    assert view.numbers.text().startswith(f"query 3 · {len(drawn(view))} of 10 lines shown")
    query, weights = marked[-1]
    assert query == 2
    np.testing.assert_allclose(weights, rows.mean(0), atol=1e-6)
    hover(view.plot.viewport(), view.plot.layout_now.body.center())
    assert view.plot.marked is None
    assert view.sentence.text().startswith("Point at a word")
    assert marked[-1] == (None, None)
    assert drawn(view) == expected(result, 0, [0, 3], 0.05)


def test_pointing_at_a_key_reads_who_looks_at_it(view, result, hover, marked):
    view.show_result(result)
    hover(view.plot.viewport(), view.plot.word_center(KEY, 1))
    column = result.weights(0, 0)[:, 1]
    strongest = int(column.argmax())
    who = "itself" if strongest == 1 else f"‘{WORDS[strongest]}’"
    assert view.sentence.text().startswith(
        f"‘two’ is looked at most by {who} ({percent(float(column.max()))}, head 1), then by "
    )
    assert {k for _, _, k in drawn(view)} == {1}
    assert marked[-1] == (None, None)


def test_arrow_keys_choose_a_word_and_its_column(qtbot, view, result):
    view.show_result(result)
    steps = (
        (Qt.Key.Key_Down, (QUERY, 0)),
        (Qt.Key.Key_Down, (QUERY, 1)),
        (Qt.Key.Key_Right, (KEY, 1)),
        (Qt.Key.Key_Right, (KEY, 1)),
        (Qt.Key.Key_Up, (KEY, 0)),
        (Qt.Key.Key_Up, (KEY, 0)),
        (Qt.Key.Key_End, (KEY, 4)),
        (Qt.Key.Key_Down, (KEY, 4)),
        (Qt.Key.Key_Left, (QUERY, 4)),
        (Qt.Key.Key_Home, (QUERY, 0)),
        (Qt.Key.Key_Escape, None),
        (Qt.Key.Key_Right, (KEY, 0)),
    )
    for key, word in steps:
        qtbot.keyClick(view.plot, key)
        assert view.plot.marked == word
    assert view.plot.accessibleDescription() == view.sentence.text()


def test_a_mark_goes_on_with_another_head_and_ends_with_a_shorter_text(view, result):
    view.show_result(result)
    view.plot._mark_and_tell((QUERY, 4))
    view.choice.choose(1, 1)
    assert view.plot.marked == (QUERY, 4)
    assert {q for _, q, _ in drawn(view)} == {4}
    assert view.sentence.text().startswith("‘five’ looks most at ")
    view.show_result(encode("one two", **SETTINGS))
    assert view.plot.marked is None
    assert view.sentence.text().startswith("Point at a word")


def test_a_query_marked_elsewhere_is_marked_here(view, result, marked):
    view.show_result(result)
    view.mark_query(3)
    assert view.plot.marked == (QUERY, 3)
    assert view.sentence.text().startswith("‘four’ looks most at ")
    assert marked[-1][0] == 3
    view.mark_query(99)
    assert view.plot.marked is None
    view.mark_query(1)
    view.mark_query(None)
    assert view.plot.marked is None


def test_lines_below_the_threshold_are_counted_but_read(view, result):
    view.show_result(result)
    view.slider.setValue(100)
    view.plot._mark_and_tell((QUERY, 0))
    assert drawn(view) == {}
    assert view.sentence.text().startswith("‘one’ looks most at ")
    assert view.numbers.text() == "query 1 · 0 of 5 lines shown · 5 weaker than 100 %"


def test_words_are_shown_literally_in_tips(view, hover):
    view.show_result(encode("<s> <b>a</b> &amp;", **SETTINGS))
    tip = view.plot.tip_at(view.plot.word_center(KEY, 1))
    assert tip == "Key 2:\n<b>a</b>"
    assert view.plot.tip_at(view.plot.layout_now.body.center()) == ""
    assert view.plot.tip_at(QPointF(5, 2)) == ""


def test_the_picture_does_not_move_when_a_word_is_read(qtbot, view):
    words = " ".join(f"quite-a-long-word-{i}" for i in range(12))
    view.show_result(encode(words, **SETTINGS))
    height, center = view.plot.height(), view.plot.word_center(QUERY, 9)
    view.plot._mark_and_tell((QUERY, 9))
    view.layout().activate()
    qtbot.waitUntil(lambda: view.sentence.text().startswith("‘quite"))
    assert view.sentence.heightForWidth(view.sentence.width()) > view.sentence.height() / 2
    assert (view.plot.height(), view.plot.word_center(QUERY, 9)) == (height, center)


@pytest.mark.parametrize("count", [1, 5, 7, 11, 13])
def test_a_text_that_fits_does_not_scroll(qtbot, view, count):
    view.show_result(encode(" ".join(f"w{i}" for i in range(80)), **SETTINGS))
    bar = view.plot.verticalScrollBar()
    qtbot.waitUntil(bar.isVisible)
    for height in range(480, 500, 3):
        view.resize(800, height)
        view.show_result(encode(" ".join(f"w{i}" for i in range(count)), **SETTINGS))
        assert bar.maximum() == 0
        qtbot.waitUntil(lambda: not bar.isVisible())
        assert view.plot.layout_now.legend.width() == view.plot.viewport().width()


def test_a_marked_word_is_scrolled_to(qtbot, view):
    view.show_result(encode(" ".join(f"w{i}" for i in range(120)), **SETTINGS))
    plot = view.plot
    body = plot.layout_now.body
    assert plot.verticalScrollBar().maximum() > 0
    qtbot.keyClick(plot, Qt.Key.Key_End)
    assert body.top() <= plot.layout_now.row_center(119) <= body.bottom()
    assert plot.word_at(plot.word_center(QUERY, 119)) == (QUERY, 119)
    view.mark_query(0)
    assert body.top() <= plot.layout_now.row_center(0) <= body.bottom()


# --- painting bit by bit -------------------------------------------------------------------------


def test_a_long_text_is_painted_whole_in_the_end(qtbot, view, monkeypatch):
    monkeypatch.setattr(lines_plot, "_PAINT_S", 0.0)  # a few lines each time
    view.show_result(encode(" ".join(f"w{i}" for i in range(60)), **SETTINGS))
    view.all_button.click()
    view.slider.setValue(2)
    plot = view.plot
    qtbot.waitUntil(lambda: plot.is_complete, timeout=30_000)
    in_parts = plot.grab().toImage()
    monkeypatch.setattr(lines_plot, "_PAINT_S", 1e9)
    plot._bands.clear()
    at_once = plot.grab().toImage()
    assert in_parts == at_once
    monkeypatch.setattr(lines_plot, "_PAINT_S", 0.0)
    plot.verticalScrollBar().setValue(200)
    qtbot.waitUntil(lambda: plot.is_complete, timeout=30_000)
    assert plot.grab().toImage() != at_once


def test_what_is_scrolled_is_what_is_laid_out_there(view, monkeypatch):
    """Two bands meet in the middle: lines begin where their words are in both."""
    monkeypatch.setattr(lines_plot, "_PAINT_S", 1e9)
    view.show_result(encode(" ".join(f"w{i}" for i in range(60)), **SETTINGS))
    plot = view.plot
    plot.verticalScrollBar().setValue(137)
    image = plot.viewport().grab().toImage()
    layout, lines = plot.layout_now, plot.shown.lines
    background = picture_style(view.palette(), view.font()).background
    rows = [q for q, k in zip(lines.query, lines.key, strict=True) if layout.row_at(200) <= q < 40]
    assert rows
    ratio = plot.devicePixelRatioF()
    for query in rows:
        y = layout.row_center(int(query))
        if layout.body.top() + 4 < y < layout.body.bottom() - 4:
            x = layout.body.left() + 1
            near = [image.pixelColor(int(x * ratio), int((y + d) * ratio)) for d in range(-3, 4)]
            assert any(color != background for color in near)


# --- what is hidden does nothing -----------------------------------------------------------------


def test_nothing_is_done_for_a_tab_that_is_not_seen(view, result, monkeypatch, marked):
    calls = []
    original = head_rows

    def counted(*args):
        calls.append(args[1:])
        return original(*args)

    monkeypatch.setattr(module, "head_rows", counted)
    view.hide()
    view.show_result(result)
    view.choice.choose(1, 3)
    view.set_colors("viridis", False)
    view.mark_query(2)
    assert view.has_result()
    assert (calls, view.shown, marked) == ([], None, [])
    view.show()
    assert calls == [(1, (3,))]
    assert drawn(view) == expected(result, 1, [3], 0.05)
    view.hide()
    view.show()
    assert len(calls) == 1


def test_a_result_that_went_while_hidden_is_not_shown(view, result):
    view.show_result(result)
    view.hide()
    view.clear("Nothing here.")
    view.show()
    assert view.shown is None
    assert not view.has_result()
    assert view.hint.isVisible()
    assert view.hint.text() == "Nothing here."


# --- weights that are not in memory --------------------------------------------------------------


@pytest.fixture
def asked(view):
    works = []
    view.work_wanted.connect(lambda name, work: works.append((name, work)))
    return works


@pytest.fixture
def far():
    """A result that computes its weights when they are asked for."""
    far = encode(TEXT, keep="none", **SETTINGS)
    assert not far.keeps_attentions
    return far


def test_weights_are_asked_for_once_and_shown_when_they_come(view, far, asked):
    view.show_result(far)
    view.slider.setValue(10)
    assert [name for name, _ in asked] == ["lines"]
    assert view.shown is None
    name, work = asked[0]
    view.take(name, work())
    assert drawn(view) == pytest.approx(expected(far, 0, [0], 0.1))
    view.heads_row.buttons[2].click()
    assert len(asked) == 2
    assert set(asked[1][1]().rows) == {2}  # head 1 is here already
    assert view.shown.heads == (0,)  # until it comes
    view.take("lines", asked[1][1]())
    assert view.shown.heads == (0, 2)


def test_late_weights_of_another_layer_or_text_are_dropped(view, far, asked):
    view.show_result(far)
    late = asked[0][1]()
    view.choice.choose(1, 0)
    view.take("lines", late)
    assert view.shown is None
    view.take("another view's", asked[1][1]())
    view.take("lines", "no weights")
    assert view.shown is None
    view.take("lines", asked[1][1]())
    assert drawn(view) == pytest.approx(expected(far, 1, [0], 0.05))
    view.show_result(encode("one two", keep="none", **SETTINGS))
    assert view.shown is None  # not the lines of another text
    view.take("lines", late)
    assert view.shown is None


def test_weights_that_come_while_hidden_wait(view, far, asked):
    view.show_result(far)
    view.hide()
    view.take("lines", asked[0][1]())
    assert view.shown is None
    view.show()
    assert len(asked) == 1
    assert drawn(view) == pytest.approx(expected(far, 0, [0], 0.05))


def test_in_the_window_they_come_from_the_worker(qtbot, open_window, monkeypatch):
    monkeypatch.setattr("posenc_model.run.KEEP_BYTES", 0)
    window = open_window(TEXT)
    view = lines_of(window)
    qtbot.waitUntil(lambda: view.shown is not None)
    view.all_button.click()
    qtbot.waitUntil(lambda: view.shown.heads == (0, 1))
    assert drawn(view) == pytest.approx(expected(view.result, 0, [0, 1], 0.05))


# --- long texts ----------------------------------------------------------------------------------


def test_a_long_text_shows_its_first_words_and_says_so(view, monkeypatch, marked):
    monkeypatch.setattr(module, "MOST_WORDS", 8)
    text = " ".join(f"w{i}" for i in range(20))
    result = encode(text, **SETTINGS)
    view.show_result(result)
    weights = result.weights(0, 0)
    assert view.limit.isVisible()
    share = percent(float(weights[:8, 8:].sum()) / 8)
    assert view.limit.text() == (
        "This view takes at most 8 words: it shows the first 8 of 20. "
        f"{share} of their attention goes to later ones."
    )
    assert drawn(view) == {
        (0, q, k): float(w) for (q, k), w in np.ndenumerate(weights[:8, :8]) if w >= 0.05
    }
    view.plot._mark_and_tell((QUERY, 1))
    assert view.sentence.text().startswith("Of the words shown, ‘w1’ looks most at ")
    np.testing.assert_array_equal(marked[-1][1], weights[1])  # of all words, for the others
    view.mark_query(8)
    assert view.plot.marked is None
    view.show_result(encode("one two", **SETTINGS))
    assert not view.limit.isVisible()


def test_rows_of_a_long_text_do_not_keep_the_others_in_memory(monkeypatch):
    monkeypatch.setattr(module, "MOST_WORDS", 2)
    rows = head_rows(encode(TEXT, keep="none", **SETTINGS), 0, (0, 1)).rows
    for array in rows.values():
        assert array.shape == (2, 5)
        assert array.base is None


def test_more_lines_than_can_be_drawn_are_announced(view, result, monkeypatch):
    for place in ("posenc_gui.figures.lines", "posenc_gui.views.wording"):
        monkeypatch.setattr(f"{place}.MOST_LINES", 7)
    view.show_result(result)
    view.slider.setValue(0)
    assert view.hidden_label.text().startswith("Hides 18 of 25 lines, together ")
    assert view.hidden_label.text().endswith("; at most 7 are drawn")


# --- all kinds of results ------------------------------------------------------------------------


def test_attention_from_a_file(qtbot, open_window, shown, tmp_path):
    weights = np.random.default_rng(0).dirichlet(np.ones(3), (2, 3, 3)).astype(np.float32)
    path = tmp_path / "other.npz"
    np.savez(path, weights=weights, tokens=np.array(["<s>", "x < y", "c"]))
    window = open_window(TEXT)
    view = lines_of(window)
    window.settings_panel.choose_weights(str(path))
    shown(window, weights=str(path))
    view.choice.choose(1, 2)
    view.slider.setValue(0)
    np.testing.assert_array_equal(view.shown.weights[0], weights[1, 2])
    assert view.shown.labels == ("<s>", "x < y", "c")
    assert len(view.heads_row.buttons) == 3


def test_a_word_that_only_looks_at_nothing(view, monkeypatch):
    """A fully masked row has no lines, and is no mistake."""
    result = encode(TEXT, **SETTINGS)
    rows = result.weights(0, 0).copy()
    rows[1] = np.nan
    view.show_result(result)
    view._keep(HeadRows(result, 0, {0: rows}))
    view._refresh()
    view.plot._mark_and_tell((QUERY, 1))
    assert view.sentence.text() == "‘two’ looks at nothing"
    assert view.numbers.text() == "query 2 · 0 of 0 lines shown"
    assert hidden_sentence(view.plot.figure).startswith("Hides")


def test_unknown_words_are_marked(view):
    result = encode("one two", **SETTINGS)
    object.__setattr__(result, "is_unknown", (False, True))
    view.show_result(result)
    assert view.shown.labels == ("one", "two (unknown)")
    view.plot._mark_and_tell((QUERY, 1))
    assert view.sentence.text().startswith("‘two’ (unknown) looks most at ")


def test_one_token(view):
    view.show_result(encode("alone", **SETTINGS))
    assert drawn(view) == {(0, 0, 0): 1.0}
    view.plot._mark_and_tell((KEY, 0))
    assert view.sentence.text() == "‘alone’ is looked at most by itself (100 %, head 1)"


# --- in the window -------------------------------------------------------------------------------


def test_the_chips_and_this_view_light_each_other(open_window, hover):
    window = open_window(TEXT)
    view = lines_of(window)
    hover(view.plot.viewport(), view.plot.word_center(QUERY, 1))
    assert window.text_panel.chips.chip_color(0) is not None
    hover(view.plot.viewport(), view.plot.layout_now.body.center())
    assert window.text_panel.chips.chip_color(0) is None
    chips = window.text_panel.chips
    hover(chips, chips.chip_rect(3).center())
    assert view.plot.marked == (QUERY, 3)
    assert view.sentence.text().startswith("‘four’ looks most at ")


def test_an_old_picture_is_veiled_and_an_empty_text_clears_it(open_window, qtbot):
    window = open_window(TEXT)
    view = lines_of(window)
    view.set_old(True)
    assert view.plot.is_old
    window.text_panel.set_text("   ")
    qtbot.waitUntil(lambda: not view.has_result())
    assert view.shown is None
    assert view.hint.isVisible()
    assert not view.plot.is_old


def test_everything_has_a_name_for_those_who_do_not_see_it(view, result):
    view.show_result(result)
    assert view.slider.accessibleName()
    assert view.plot.accessibleName()
    assert view.layer_box.accessibleName() == "Layer"
    assert [b.accessibleName() for b in view.heads_row.buttons] == [
        f"Head {i}" for i in range(1, 5)
    ]
