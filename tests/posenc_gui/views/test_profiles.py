"""The profiles view: the chosen head's profile, and the table of all heads."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from posenc_gui.views.profiles import ProfilesView
from posenc_gui.views.profiles_measurer import HeadMeasurer
from posenc_gui.views.profiles_table import HeadTable
from posenc_gui.views.profiles_wording import (
    MISSING,
    distance_sentence,
    head_sentences,
    missing_reason,
    share_text,
)
from posenc_model import encode
from posenc_model.analysis import MeasuredHeads, head_measures, head_profile, known_measures
from posenc_model.request import MEAN_HEAD

SETTINGS = {"num_layers": 2, "num_heads": 3, "width": 24, "nlp_pipeline": "whitespace"}
TEXT = "one two three four"
COLUMNS = ["layer", "head", "entropy", "mean_distance", "diagonal_share", "previous", "next"]
ENTROPY, DISTANCE, ITSELF, POSITION = 2, 3, 4, 7


def do(work):
    """Does what a view has asked for, at once."""
    return work()


@pytest.fixture
def view(qtbot):
    """The view alone; ``view.asked`` is what it asked for."""
    view = ProfilesView()
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.asked = []
    view.work_wanted.connect(lambda name, work: view.asked.append((name, work)))
    return view


def answer(view):
    """Gives the view all that it asks for, until it asks no more."""
    while view.asked:
        name, work = view.asked.pop(0)
        view.take(name, do(work))


def profiles_of(window):
    view = next(view for view in window.views if isinstance(view, ProfilesView))
    window.tabs.setCurrentWidget(view)
    return view


def complete(qtbot, view):
    def check():
        assert view.measurer.is_complete
        assert view.profile is not None
        assert view.profile.result is view.measurer.result

    qtbot.waitUntil(check, timeout=10_000)


def column(table, number):
    model = table.heads
    return [model.index(row, number).data() for row in range(model.rowCount())]


def heads(table):
    return [table.heads.head_at(row) for row in range(table.heads.rowCount())]


def test_the_profile_is_that_of_the_chosen_head(view):
    result = encode(TEXT, **SETTINGS)
    view.show()
    view.show_result(result)
    answer(view)
    for layer, head in ((0, 0), (1, 2), (1, MEAN_HEAD)):
        view.choice.choose(layer, head)
        answer(view)
        weights = result.weights(layer, head)
        without = result.weights_without_position(layer, head)
        for index, distance in enumerate(range(-3, 4)):
            pairs = [(i, i + distance) for i in range(4) if 0 <= i + distance < 4]
            assert view.plot.figure.pairs[index] == len(pairs)
            mean = sum(float(weights[pair]) for pair in pairs) / len(pairs)
            assert view.plot.figure.means[index] == pytest.approx(mean)
            mean = sum(float(without[pair]) for pair in pairs) / len(pairs)
            assert view.plot.figure.without[index] == pytest.approx(mean)


def test_pointing_and_arrow_keys_say_how_much_goes_how_far(qtbot, view, hover):
    result = encode(TEXT, **SETTINGS)
    view.show()
    view.show_result(result)
    answer(view)
    profile = head_profile(result, 0, 0)
    x = view.plot.layout_now.center(-2) + 8
    hover(view.plot, QPointF(x, 60))
    assert view.sentence.text() == distance_sentence(profile, -2)
    share = share_text(float(profile.means[1]))
    assert view.sentence.text().startswith(f"2 words to the left: {share} on average over 2 pairs")
    view.plot.mark(None)
    assert view.sentence.text().startswith("Point at a bar")
    for key, distance in (
        (Qt.Key.Key_Right, 0),
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_End, 3),
        (Qt.Key.Key_Right, 3),
        (Qt.Key.Key_Home, -3),
        (Qt.Key.Key_Escape, None),
    ):
        qtbot.keyClick(view.plot, key)
        assert view.plot.marked == distance
    view.plot.mark(3)
    assert "a single pair" in view.sentence.text()


def test_a_mark_that_a_shorter_text_lacks_goes(view):
    view.show()
    view.show_result(encode(TEXT, **SETTINGS))
    answer(view)
    view.plot.mark(3)
    view.show_result(encode("one two", **SETTINGS))
    answer(view)
    assert view.plot.marked is None
    assert view.sentence.text().startswith("Point at a bar")
    view.plot.mark(3)
    assert view.plot.marked is None


def test_only_near_distances_are_shown_unless_all_are_asked_for(view):
    view.show()
    view.show_result(encode(" ".join(["word"] * 40), **SETTINGS))
    answer(view)
    assert view.plot.figure.reach == 30
    view.reach_box.setCurrentIndex(0)
    assert view.plot.figure.reach == 10
    assert view.plot.figure.pairs.tolist() == [*range(30, 41), *range(39, 29, -1)]
    view.reach_box.setCurrentIndex(2)
    assert view.plot.figure.reach == 39


def test_the_numbers_are_said_in_plain_words():
    result = encode(TEXT, **SETTINGS)
    profile = head_profile(result, 1, 1)
    text = head_sentences(profile)
    w = result.weights(1, 1).astype(np.float64)
    bits = np.mean([-sum(p * math.log2(p) for p in row) for row in w])
    away = np.mean([sum(w[i, j] * abs(i - j) for j in range(4)) for i in range(4)])
    assert f"Looks at about {2**bits:.1f} words at once, {away:.1f} words away" in text
    itself = np.mean([w[i, i] for i in range(4)])
    assert f"{share_text(itself)} on the word itself" in text
    without = result.weights_without_position(1, 1)
    moved = np.mean([sum(abs(w[i, j] - without[i, j]) for j in range(4)) / 2 for i in range(4)])
    assert f"Position in this layer moves {share_text(moved)} of its attention." in text


def test_the_last_number_says_why_it_is_not_known():
    result = encode(TEXT, positional_encoding="abs", **SETTINGS)
    reason = result.split_reason(1)
    assert reason in head_sentences(head_profile(result, 1, 0))
    assert reason not in head_sentences(head_profile(result, 0, 0))
    none = head_profile(encode(TEXT, positional_encoding="none", **SETTINGS), 0, 0)
    assert "Position in this layer changes nothing." in head_sentences(none)
    one = head_sentences(head_profile(encode("one", **SETTINGS), 0, 0))
    assert "on the word itself." in one
    assert "nan" not in one


def test_special_tokens_that_are_left_out_are_a_reason_of_their_own():
    settings = SimpleNamespace(special_tokens="drop")
    result = SimpleNamespace(
        split_reason=lambda layer: None, request=SimpleNamespace(settings=settings)
    )
    assert "special tokens" in missing_reason(result, 0)


def test_the_table_has_every_measure_of_every_head(view):
    result = encode(TEXT, positional_encoding="abs", **SETTINGS)
    view.show()
    view.show_result(result)
    answer(view)
    assert view.measurer.is_complete
    assert heads(view.table) == [(i, j) for i in range(2) for j in range(3)]
    for row, (layer, head) in enumerate(heads(view.table)):
        w = result.weights(layer, head).astype(np.float64)
        shown = [view.table.heads.index(row, c).data() for c in range(8)]
        assert shown[:2] == [str(layer + 1), str(head + 1)]
        bits = np.mean([-sum(p * math.log2(p) for p in line) for line in w])
        assert shown[ENTROPY] == f"{2**bits:.1f}"
        away = np.mean([sum(w[i, j] * abs(i - j) for j in range(4)) for i in range(4)])
        assert shown[DISTANCE] == f"{away:.1f}"
        assert shown[ITSELF] == share_text(np.mean([w[i, i] for i in range(4)]))
        assert shown[5] == share_text(np.mean([w[i, i - 1] for i in range(1, 4)]))
        assert shown[6] == share_text(np.mean([w[i, i + 1] for i in range(3)]))
        assert (shown[POSITION] == MISSING) == (layer == 1)
    tip = Qt.ItemDataRole.ToolTipRole
    assert view.table.heads.index(5, POSITION).data(tip) == result.split_reason(1)
    assert "total variation" in view.table.heads.index(0, POSITION).data(tip)


def sortable(table, result, **values):
    measures = known_measures(result)
    for name, numbers in values.items():
        measures[name] = np.array(numbers, float).reshape(2, 3)
    table.heads.show_measures(result, measures)


def test_sorting_puts_missing_values_last_either_way(qtbot):
    table = HeadTable()
    qtbot.addWidget(table)
    nan = np.nan
    sortable(table, encode(TEXT, **SETTINGS), mean_distance=[2, nan, 3, 1, nan, 4])
    table.sort_by(DISTANCE)
    assert column(table, DISTANCE) == ["4.0", "3.0", "2.0", "1.0", MISSING, MISSING]
    assert heads(table)[:2] == [(1, 2), (0, 2)]
    table.sort_by(DISTANCE)
    assert column(table, DISTANCE) == ["1.0", "2.0", "3.0", "4.0", MISSING, MISSING]
    assert heads(table)[-2:] == [(0, 1), (1, 1)]  # those in their usual order
    table.sort_by(0)
    assert heads(table) == [(i, j) for i in range(2) for j in range(3)]
    table.sort_by(1)
    assert column(table, 1) == ["1", "1", "2", "2", "3", "3"]


def test_sorting_by_mouse_and_keyboard(qtbot):
    table = HeadTable()
    qtbot.addWidget(table)
    table.resize(700, 300)
    table.show()
    sortable(table, encode(TEXT, **SETTINGS), entropy=[0, 1, 2, 3, 4, 5])
    header = table.horizontalHeader()
    x = header.sectionViewportPosition(ENTROPY) + header.sectionSize(ENTROPY) // 2
    qtbot.mouseClick(
        header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, header.height() // 2)
    )
    assert heads(table)[0] == (1, 2)
    text = table.heads.headerData(ENTROPY, Qt.Orientation.Horizontal)
    assert text.endswith("▾")
    table.choose(0, 0)
    for _ in range(ENTROPY):
        qtbot.keyClick(table, Qt.Key.Key_Right)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert heads(table)[0] == (0, 0)
    assert table.heads.headerData(ENTROPY, Qt.Orientation.Horizontal).endswith("▴")


def test_the_selected_head_moves_with_its_row(qtbot):
    table = HeadTable()
    qtbot.addWidget(table)
    result = encode(TEXT, **SETTINGS)
    sortable(table, result, entropy=[0, 1, 2, 3, 4, 5])
    table.choose(0, 1)
    with qtbot.assertNotEmitted(table.head_chosen):
        table.sort_by(ENTROPY)
        assert [i.row() for i in table.selectionModel().selectedRows()] == [4]
        sortable(table, result, entropy=[0, 9, 2, 3, 4, 5])
        assert [i.row() for i in table.selectionModel().selectedRows()] == [0]


def test_a_row_chooses_its_head_and_a_head_its_row(qtbot, open_window):
    window = open_window(TEXT)
    view = profiles_of(window)
    complete(qtbot, view)
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    assert (window.choice.layer, window.choice.head) == (0, 1)
    assert window.attention_view.head_box.value() == 2
    window.choice.choose(1, 0)
    rows = view.table.selectionModel().selectedRows()
    assert [view.table.heads.head_at(row.row()) for row in rows] == [(1, 0)]
    qtbot.waitUntil(lambda: (view.profile.layer, view.profile.head) == (1, 0))
    window.choice.choose(1, MEAN_HEAD)
    assert not view.table.selectionModel().selectedRows()
    view.table.setFocus()  # must not choose the first row
    assert window.choice.head == MEAN_HEAD
    view.table.choose(0, 0)
    assert window.choice.head == 0


def test_a_head_that_a_shorter_text_lacks_is_remembered(view):
    view.show()
    view.show_result(encode(TEXT, **SETTINGS))
    answer(view)
    view.choice.choose(1, 2)
    small = encode(TEXT, **{**SETTINGS, "num_layers": 1, "num_heads": 1})
    view.show_result(small)
    answer(view)
    view.table.sort_by(ENTROPY)
    view.show_result(encode(TEXT, **SETTINGS))
    answer(view)
    assert (view.choice.layer, view.choice.head) == (1, 2)
    rows = view.table.selectionModel().selectedRows()
    assert [view.table.heads.head_at(row.row()) for row in rows] == [(1, 2)]


def test_a_hidden_view_does_no_work(view):
    view.show_result(encode(TEXT, **SETTINGS))
    view.choice.choose(1, 1)
    newest = encode("five six seven", **SETTINGS)
    view.show_result(newest)
    assert view.asked == []
    assert view.plot.figure is None
    assert view.table.heads.rowCount() == 0
    view.show()
    assert sorted(name for name, _ in view.asked) == ["profile", "profiles"]
    answer(view)
    assert view.profile.result is newest
    assert (view.profile.layer, view.profile.head) == (1, 1)
    assert view.table.heads.rowCount() == 6
    view.hide()
    view.show_result(encode(TEXT, **SETTINGS))
    assert view.asked == []


def test_hiding_ends_the_measuring_and_showing_goes_on(view, monkeypatch):
    monkeypatch.setattr("posenc_gui.views.profiles_measurer._CELLS_AT_ONCE", 16)
    result = encode(TEXT, **SETTINGS)
    view.show()
    view.show_result(result)
    measured = []
    while len(measured) < 2:
        name, work = view.asked.pop(0)
        if name == "profiles":
            given = do(work)
            measured.append(list(given.values))
            view.take(name, given)
        else:
            view.take(name, do(work))
    assert measured == [[(0, 0)], [(0, 1)]]
    assert view.status.text() == "Measuring… 2 of 6 heads"
    assert column(view.table, ENTROPY)[2:] == [MISSING] * 4
    name, work = view.asked.pop(0)
    view.hide()
    assert work._cancelled.is_set()
    view.show()
    answer(view)
    assert view.measurer.is_complete
    assert MISSING not in column(view.table, ENTROPY)


def test_heads_that_another_view_measured_are_taken(view):
    result = encode(TEXT, **SETTINGS)
    view.show_result(result)
    other = HeadMeasurer()
    asked = []
    other.work_wanted.connect(lambda name, work: asked.append((name, work)))
    other.set_wanted(True)
    other.show_result(result)
    name, work = asked[0]
    view.take(name, do(work))
    view.show()
    assert [name for name, _ in view.asked] == ["profile"]
    expected = head_measures(result)
    np.testing.assert_allclose(view.measurer.measures["entropy"], expected["entropy"])


def test_results_of_another_text_are_dropped(view):
    old, new = encode(TEXT, **SETTINGS), encode("five six", **SETTINGS)
    view.show()
    view.show_result(old)
    late = list(view.asked)
    view.asked.clear()
    view.show_result(new)
    for name, work in late:
        if name == "profile":
            view.take(name, do(work))
    view.take("profiles", MeasuredHeads(old, {(0, 0): {"entropy": 5.0}}))
    assert view.profile is None
    assert not view.measurer.done
    answer(view)
    assert view.profile.result is new


def test_a_long_text_is_measured_only_when_asked(view, monkeypatch):
    monkeypatch.setattr("posenc_gui.views.profiles_measurer.MOST_TOKENS_UNASKED", 3)
    view.show()
    view.show_result(encode(TEXT, **SETTINGS))
    assert [name for name, _ in view.asked] == ["profile"]
    answer(view)
    assert view.measure_button.isVisible()
    assert column(view.table, ENTROPY) == [MISSING] * 6
    assert MISSING not in column(view.table, 5)  # the run itself has measured it
    view.measure_button.click()
    assert not view.measure_button.isVisible()
    answer(view)
    assert MISSING not in column(view.table, ENTROPY)
    view.show_result(encode("one two three", **SETTINGS))
    assert not view.measure_button.isVisible()


def test_no_result_and_an_old_one(view):
    view.show()
    view.show_result(encode(TEXT, **SETTINGS))
    answer(view)
    view.set_old(True)
    assert view.plot.is_old
    assert not view.table.isEnabled()
    view.clear("Nothing to see.")
    assert view.hint.text() == "Nothing to see."
    assert view.hint.isVisible()
    assert not view.has_result()
    assert view.plot.figure is None
    assert view.table.heads.rowCount() == 0
    view.show_result(encode(TEXT, **SETTINGS))
    assert view.table.isEnabled()
    assert not view.plot.is_old
    answer(view)
    assert view.table.heads.rowCount() == 6


def test_in_the_window_each_text_is_profiled_and_measured(qtbot, open_window, shown):
    window = open_window(TEXT)
    view = profiles_of(window)
    complete(qtbot, view)
    window.text_panel.set_text("five six seven")
    shown(window, "five six seven")
    qtbot.waitUntil(lambda: view.profile.result.request.text == "five six seven")
    complete(qtbot, view)
    expected = head_measures(view.measurer.result)
    for name, values in view.measurer.measures.items():
        np.testing.assert_allclose(values, expected[name])


def test_an_attention_file_whose_rows_do_not_sum_to_one(qtbot, open_window, shown, tmp_path):
    weights = np.random.default_rng(0).random((2, 2, 3, 3)).astype(np.float32) / 4
    path = tmp_path / "given.npz"
    np.savez(path, weights=weights, tokens=np.array(["a", "b", "c"]))
    window = open_window(TEXT)
    view = profiles_of(window)
    window.settings_panel.choose_weights(str(path))
    shown(window, weights=str(path))
    complete(qtbot, view)
    w = weights[0, 0].astype(np.float64)
    shares = w / w.sum(1, keepdims=True)
    bits = np.mean([-sum(p * math.log2(p) for p in row) for row in shares])
    assert column(view.table, ENTROPY)[0] == f"{2**bits:.1f}"
    assert column(view.table, ITSELF)[0] == share_text(np.diagonal(w).mean())
    assert column(view.table, POSITION) == [MISSING] * 4
    assert view.plot.figure.without is None
    assert "weights only" in view.numbers.text()


def test_everything_has_a_name_and_a_tip(view):
    for widget in (view.plot, view.table, view.reach_box):
        assert widget.accessibleName()
    model = view.table.heads
    for section in range(model.columnCount()):
        tip = model.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert "Enter" in tip
    assert view.title == "Profiles"
