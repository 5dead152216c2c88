"""Pictures of encodings without a window around them."""

from collections.abc import Callable

import pytest

from posenc_gui.views.encoding.picture import EncodingPicture, Shown
from posenc_gui.views.encoding.registry import PICTURES
from posenc_model import encode
from posenc_model.encodings import ENCODINGS

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "one two three four five six"


@pytest.fixture
def shown_of() -> Callable[..., Shown]:
    """What a picture is to show, from a run with these settings."""

    def made(encoding: str, layer=0, head=0, query=3, key=1, text=TEXT, **settings) -> Shown:
        result = encode(text, positional_encoding=encoding, **{**SETTINGS, **settings})
        return Shown(result, result.picture_numbers(layer), layer, head, query, key)

    return made


@pytest.fixture
def picture_of(qtbot, shown_of) -> Callable[..., EncodingPicture]:
    """The picture of an encoding, shown."""

    def made(encoding: str, **more) -> EncodingPicture:
        picture = PICTURES[encoding](ENCODINGS[encoding])
        qtbot.addWidget(picture)
        picture.resize(900, 420)
        picture.show()
        picture.show_shown(shown_of(encoding, **more))
        return picture

    return made
