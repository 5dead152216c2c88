"""The picture of ``t5``."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from posenc_gui.views.encoding.buckets import max_distance_values
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.request import MEAN_HEAD


@pytest.fixture
def picture(picture_of):
    return picture_of("t5", head=1)


def by_distance(line):
    return {round(x): y for x, y in zip(line[0][::2] + 0.5, line[1][::2], strict=True)}


def test_the_staircase_of_the_specification(picture):
    stairs = by_distance(picture.staircase.line("what if"))
    assert (min(stairs), max(stairs)) == (-200, 200)
    expected = {0: 0, -1: 1, 1: 17, -8: 8, 8: 24, -90: 14, -91: 15, -200: 15, 200: 31}
    assert {distance: stairs[distance] for distance in expected} == expected
    assert picture.staircase.line("now") is None


def test_all_beyond_the_last_border_is_shaded(picture):
    for plot in (picture.staircase, picture.bias):
        assert plot.shaded() == [(-200.5, -90.5), (90.5, 200.5)]


def test_the_bias_of_all_heads(picture, shown_of):
    table = picture.shown.numbers.bias
    for head in (0, 1):
        line = by_distance(picture.bias.line(f"head {head}"))
        for distance, bucket in ((0, 0), (1, 17), (-9, 8), (-100, 15), (40, 28)):
            assert line[distance] == pytest.approx(table[bucket, head])
    chosen = picture.bias.line("chosen")[1]
    np.testing.assert_array_equal(chosen, picture.bias.line("head 1")[1])
    picture.show_shown(shown_of("t5", head=MEAN_HEAD))
    line = by_distance(picture.bias.line("chosen"))
    assert line[1] == pytest.approx(table[17].mean())


def test_fewer_heads_leave_no_lines_behind(picture, shown_of):
    assert picture.bias.line("head 1") is not None
    picture.show_shown(shown_of("t5", num_heads=1))
    assert picture.bias.line("head 1") is None


def test_the_pair_is_read_out(picture):
    value = picture.shown.result.score_parts(0, 1)["position"][3, 1]
    shown = f"{value:+.2f}".replace("-", "−")
    assert picture.readout.text() == (
        f"‘four’ → ‘two’: distance −2 · bucket 2 · adds {shown} (layer 1, head 2)"
    )
    assert picture.staircase.marked_at("pair") == picture.bias.marked_at("pair") == -2
    assert picture.sentence.text() == "Words 2 places to the left have a number of their own."


def test_hovering_a_bucket_says_which_distances_share_it(picture, hover):
    box = picture.staircase.item.getViewBox()
    scene = box.mapViewToScene(QPointF(-9, 8))
    viewport = picture.staircase.canvas.viewport()
    hover(viewport, QPointF(picture.staircase.canvas.mapFromScene(scene)))
    distance = picture.staircase.pointed_at[0]
    assert abs(distance + 9) <= 1  # a pixel is nearly a distance wide
    assert picture.sentence.text() == (
        "Words 8 to 11 places to the left share one number: this head cannot tell them apart."
    )
    assert " · bucket 8 · distances −11 … −8 · adds " in picture.readout.text()
    assert picture.staircase.highlighted == picture.bias.highlighted == (-11.5, -7.5)
    assert picture.bias.pointed_at == picture.staircase.pointed_at
    picture.staircase.point_at(None)
    assert picture.staircase.highlighted is None
    assert picture.readout.text().startswith("‘four’ → ‘two’")


def test_the_last_bucket_has_no_end(picture):
    picture.bias.point_at((150, 0))
    assert picture.sentence.text().startswith("All words 91 or more places to the right share")
    assert "bucket 31 · distances +91 and beyond" in picture.readout.text()
    assert picture.staircase.highlighted == (90.5, 201.5)


def test_other_buckets_are_drawn_over_the_current_ones(picture, qtbot):
    picture.what_if.sliders["num_buckets"].choose(16)
    stairs, now = (by_distance(picture.staircase.line(key)) for key in ("what if", "now"))
    assert (stairs[-3], stairs[-200], stairs[1], stairs[200]) == (3, 7, 9, 15)
    assert now[200] == 31
    # e = 4 of 8: 5·(128/4)^(m/4) reaches 4·32^(3/4) = 53.8, so the last begins at 54.
    assert picture.staircase.shaded() == [(-200.5, -53.5), (53.5, 200.5)]
    assert picture.bias.shaded() == [(-200.5, -90.5), (90.5, 200.5)]
    with qtbot.waitSignal(picture.setting_wanted) as asked:
        picture.what_if.use_button.click()
    assert asked.args == ["num_buckets", 16]


def test_both_values_are_handed_over(picture, qtbot):
    asked = []
    picture.setting_wanted.connect(lambda *args: asked.append(args))
    picture.what_if.sliders["num_buckets"].choose(8)
    picture.what_if.sliders["max_distance"].choose(32)
    picture.what_if.use_button.click()
    assert asked == [("num_buckets", 8), ("max_distance", 32)]


def test_what_the_model_refuses_is_refused_in_its_words(picture):
    with pytest.raises(PosencError) as refusal:
        ENCODINGS["t5"].check({"num_buckets": 32, "max_distance": 8})
    picture.what_if.sliders["max_distance"].choose(8)
    assert picture.what_if.note.text() == refusal.value.sentence
    assert picture.what_if.note.isVisible()
    assert not picture.what_if.use_button.isEnabled()
    assert picture.staircase.line("what if") is None
    assert picture.staircase.line("now") is not None
    picture.what_if.back_button.click()
    assert picture.staircase.line("what if") is not None
    assert not picture.what_if.note.isVisible()


def test_a_shorter_reach(picture):
    picture.reach_box.setCurrentIndex(picture.reach_box.findData(20))
    stairs = by_distance(picture.staircase.line("what if"))
    assert (min(stairs), max(stairs)) == (-20, 20)
    assert picture.staircase.shaded() == picture.bias.shaded() == []


def test_the_keyboard_points(picture, qtbot):
    plot = picture.staircase
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left):
        qtbot.keyClick(plot, key)
    assert plot.pointed_at == (-2, 0)
    qtbot.keyClick(plot, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert plot.pointed_at == (-12, 0)
    assert picture.sentence.text().startswith("Words 12 to 15 places to the left share one number")
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    assert plot.pointed_at is None


def test_the_distances_to_try():
    values = max_distance_values()
    assert (values[0], values[-1]) == (2, 1024)
    assert 128 in values
    assert values == sorted(set(values))
