"""What holds for every encoding's picture."""

import pytest

from posenc_gui.views.encoding.picture import EncodingPicture
from posenc_gui.views.encoding.registry import PICTURES
from posenc_model.encodings import ENCODINGS
from posenc_model.request import MEAN_HEAD


def test_each_encoding_has_a_picture():
    assert set(PICTURES) == set(ENCODINGS)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_picture_says_what_it_shows_and_how_it_is_computed(name, picture_of):
    picture = picture_of(name)
    assert isinstance(picture, EncodingPicture)
    assert picture.sentence.text().endswith(".")
    assert picture.readout.text().strip()
    assert not picture.formula_label.isVisible()
    picture.fold.open()
    assert picture.formula_label.isVisible()
    assert picture.formula_label.text().endswith(ENCODINGS[name].reference)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_picture_takes_any_text_layer_head_and_pair(name, picture_of, shown_of):
    picture = picture_of(name)
    for more in (
        {"text": "one", "query": 0, "key": 0},
        {"head": MEAN_HEAD, "layer": 1},
        {"text": "x " * 300, "query": 299, "key": 0},
        {"width": 3, "num_heads": 1},
        {"width": 1, "num_heads": 1},
    ):
        picture.show_shown(shown_of(name, **more))
        assert not picture.grab().isNull()
        assert "nan" not in picture.readout.text()


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_picture_needs_little_room(name, picture_of):
    size = picture_of(name).minimumSizeHint()
    assert size.width() <= 690
    assert size.height() <= 400
