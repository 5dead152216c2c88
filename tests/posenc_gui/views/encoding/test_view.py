"""The tab “Encoding” in the window."""

import numpy as np
import pytest

from posenc_gui.head_choice import HeadChoice
from posenc_gui.views.encoding.bag import BagPicture
from posenc_gui.views.encoding.buckets import BucketPicture
from posenc_gui.views.encoding.others import OthersPicture
from posenc_gui.views.encoding.shaw import ShawPicture
from posenc_gui.views.encoding.sinusoids import SinusoidPicture
from posenc_gui.views.encoding.view import EncodingView
from posenc_model import encode

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "one two three four five six"


def result_of(encoding, text=TEXT, **more):
    return encode(text, positional_encoding=encoding, **{**SETTINGS, **more})


@pytest.fixture
def view(qtbot):
    view = EncodingView(HeadChoice())
    qtbot.addWidget(view)
    view.resize(900, 450)
    view.show()
    return view


def encoding_view(window):
    return next(view for view in window.views if isinstance(view, EncodingView))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("t5", BucketPicture),
        ("rel", ShawPicture),
        ("abs", SinusoidPicture),
        ("none", BagPicture),
    ],
)
def test_each_result_gets_the_picture_of_its_encoding(view, name, kind):
    assert not view.has_result()
    view.show_result(result_of(name))
    assert view.has_result()
    assert isinstance(view.picture, kind)
    assert view.picture.isVisible()
    assert view.head_controls.isVisible() == (name in ("t5", "rel"))
    assert view.pair_boxes.isVisible() == (name != "none")


def test_pictures_are_kept(view):
    view.show_result(result_of("t5"))
    first = view.picture
    view.show_result(result_of("abs"))
    assert not first.isVisible()
    view.show_result(result_of("t5"))
    assert view.picture is first


def test_nothing_is_drawn_while_it_is_hidden(view):
    view.hide()
    view.show_result(result_of("t5"))
    assert view.picture is None
    view.choice.choose(1, 1)
    view.mark_cell((2, 4))
    assert view.picture is None
    view.show()
    shown = view.picture.shown
    assert (shown.layer, shown.head, shown.query, shown.key) == (1, 1, 2, 4)


def test_layer_and_head_are_those_of_all_views(view):
    view.show_result(result_of("t5"))
    view.head_controls.head_box.setValue(2)
    assert view.choice.head == 1
    assert "(layer 1, head 2)" in view.picture.readout.text()
    view.choice.choose(1, 0)
    assert "(layer 2, head 1)" in view.picture.readout.text()
    view.choice.show_mean(True)
    assert "(layer 2, mean over heads)" in view.picture.readout.text()


def test_the_pair(view):
    view.show_result(result_of("t5"))
    assert view.pair == (3, 2)
    view.mark_cell((1, 5))
    assert view.picture.readout.text().startswith("‘two’ → ‘six’")
    assert view.pair_boxes.pair == (1, 5)
    view.mark_cell(None)
    assert view.pair == (1, 5)
    view.mark_query(0)
    view.mark_query(None)
    assert view.pair == (0, 5)
    view.pair_boxes.key_box.setValue(3)
    assert view.pair == (0, 2)
    assert view.pair_boxes.key_box.text() == "3  three"
    view.show_result(result_of("t5", "only two"))
    assert view.picture.readout.text().startswith("‘only’ → ‘two’")
    view.show_result(result_of("t5"))
    assert view.pair == (0, 2)


def test_a_hint_in_place_of_a_result(view):
    view.show_result(result_of("t5"))
    view.set_old(True)
    assert view.old_note.isVisible()
    view.clear("Type a sentence.")
    assert not view.has_result()
    assert view.hint.isVisible()
    assert view.hint.text() == "Type a sentence."
    view.choice.choose(1, 1)  # nothing to draw
    view.show_result(result_of("t5"))
    assert not view.old_note.isVisible()
    assert not view.hint.isVisible()


def test_attention_of_somebody_else_s(view, tmp_path):
    path = tmp_path / "other.npz"
    weights = np.full((1, 1, 2, 2), 0.5, np.float32)
    np.savez(path, weights=weights, tokens=np.array(["a", "b"]))
    view.show_result(encode("unused", weights=str(path)))
    assert isinstance(view.picture, OthersPicture)
    assert not view.head_controls.isVisible()


def test_in_the_window_the_matrix_and_the_chips_mark_the_pair(open_window):
    window = open_window("one two three four")
    view = encoding_view(window)
    plot = window.attention_view.plot
    plot._mark_and_tell((3, 1))
    assert view.pair == (3, 1)
    window.attention_view.explain((2, 0))
    plot._mark_and_tell((1, 1))
    plot._mark_and_tell(None)
    assert view.pair == (2, 0)  # the clicked cell again
    window.text_panel.chips.pointed_at.emit(1)
    assert view.pair == (1, 0)
    assert view.picture is None
    window.tabs.setCurrentWidget(view)
    assert view.picture.readout.text().startswith("‘two’ → ‘one’")


def test_in_the_window_a_base_is_used(open_window, shown):
    window = open_window("one two three", {"positional_encoding": "abs"})
    view = encoding_view(window)
    window.tabs.setCurrentWidget(view)
    view.picture.what_if.sliders["base"].choose(100)
    runs = window.controller.runs_started
    view.picture.what_if.use_button.click()
    shown(window, base=100.0)
    assert window.controller.runs_started == runs + 1
    assert view.picture.base == 100
    assert not view.picture.what_if.is_other


def test_with_trained_weights_a_clip_switches_to_random_ones(open_window, shown):
    window = open_window("one two three", {"positional_encoding": "rel"})
    window.settings_panel.choose_weights("trained")
    shown(window, weights="trained")
    view = encoding_view(window)
    window.tabs.setCurrentWidget(view)
    view.picture.what_if.sliders["clip_distance"].choose(4)
    view.picture.what_if.use_button.click()
    shown(window, weights="random", clip_distance=4)
    assert "so random weights are shown now" in window.settings_panel.rows["weights"].note.text()
