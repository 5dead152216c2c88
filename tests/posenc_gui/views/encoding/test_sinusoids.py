"""The picture of ``abs``."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from posenc_gui.views.encoding.sinusoids import base_values
from posenc_model.encodings.pictures import position_vectors


def sums(distances, width, base):
    frequencies = base ** (-2 * np.arange(width // 2) / width)
    return np.array([np.cos(frequencies * distance).sum() for distance in distances])


def test_the_waves_and_both_curves(picture_of):
    picture = picture_of("abs")
    np.testing.assert_array_equal(picture.waves.values, position_vectors(100, 16, 10_000.0))
    distances, products = picture.products.line("what if")
    assert (distances[0], distances[-1]) == (-100, 100)
    np.testing.assert_allclose(products, sums(distances, 16, 10_000.0))
    places, one = picture.one.line("what if")
    assert (places[0], places[-1], places[one.argmax()]) == (0, 49, 25)
    np.testing.assert_allclose(one, sums(places - 25, 16, 10_000.0))
    assert picture.products.line("now") is None


def test_the_pair_is_marked_and_read_out(picture_of):
    picture = picture_of("abs", query=3, key=1)
    assert picture.products.marked_at("pair") == -2
    assert (picture.waves.marked_at("query"), picture.waves.marked_at("key")) == (3, 1)
    product = sums([2], 16, 10_000.0)[0]
    assert picture.readout.text() == (
        "‘four’ → ‘two’, distance −2: places 3 and 1, alike to "
        f"{100 * product / 8:.0f} % (p_i · p_j = {product:.1f} of 8)"
    )


def test_the_slider_draws_another_base_beside_the_current_one(picture_of):
    picture = picture_of("abs")
    picture.what_if.sliders["base"].choose(100)
    assert picture.base == 100
    distances, products = picture.products.line("what if")
    np.testing.assert_allclose(products, sums(distances, 16, 100.0))
    np.testing.assert_allclose(picture.products.line("now")[1], sums(distances, 16, 10_000.0))
    np.testing.assert_allclose(picture.one.line("now")[1], sums(np.arange(50) - 25, 16, 10_000.0))
    np.testing.assert_array_equal(picture.waves.values, position_vectors(100, 16, 100.0))
    assert "base 100)" in picture.sentence.text()
    assert picture.what_if.note.text().endswith("base 10,000.")
    picture.what_if.back_button.click()
    assert picture.base == 10_000
    assert picture.products.line("now") is None


def test_the_slider_moves_by_keyboard_and_the_base_can_be_used(qtbot, picture_of):
    picture = picture_of("abs")
    assert not picture.what_if.use_button.isEnabled()
    qtbot.keyClick(picture.what_if.sliders["base"].slider, Qt.Key.Key_Right)
    assert picture.base == 11_200  # 10^(81/20), three digits
    with qtbot.waitSignal(picture.setting_wanted) as asked:
        picture.what_if.use_button.click()
    assert asked.args == ["base", 11_200.0]


def test_another_head_or_pair_leaves_the_slider_alone(picture_of, shown_of):
    picture = picture_of("abs")
    picture.what_if.sliders["base"].choose(100)
    picture.show_shown(shown_of("abs", layer=1, query=0, key=5))
    assert picture.base == 100
    picture.show_shown(shown_of("abs", base=500.0))
    assert picture.base == 500


def test_pointing_reads_waves_and_distances(picture_of):
    picture = picture_of("abs")
    picture.waves.point_at((4, 7))
    angle = 7 / 10_000 ** (4 / 16)
    assert picture.readout.text() == (
        f"place 7, dimension 4: {np.sin(angle):+.2f}, of a sine that repeats every 62.83 places"
    )
    picture.waves.point_at(None)
    assert picture.readout.text().startswith("‘four’ → ‘two’")
    picture.products.point_at((-10, 0))
    assert picture.readout.text().startswith("distance −10: alike to ")
    picture.one.point_at((20, 0))
    assert picture.readout.text().startswith("places 25 and 20: alike to ")


def test_bases_are_round_numbers():
    values = base_values()
    assert {1.0, 10.0, 100.0, 10_000.0, 1e9} <= set(values)
    assert values == sorted(set(values))


def test_alike_may_be_negative(picture_of):
    picture = picture_of("abs", base=1.0)  # all waves alike: cos of the distance
    picture.products.point_at((3, 0))
    assert picture.readout.text() == "distance +3: alike to −99 % (p_i · p_j = −7.9 of 8)"


@pytest.mark.parametrize("place", [100, 250])
def test_places_beyond_the_image_are_not_marked(picture_of, place):
    picture = picture_of("abs", text="x " * 260, query=place, key=place - 1)
    assert picture.waves.marked_at("query") is None
    assert picture.products.marked_at("pair") == -1
