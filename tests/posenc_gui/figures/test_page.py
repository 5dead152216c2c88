"""Pages: their size, title and caption, and that nothing leaves them."""

from dataclasses import replace

import numpy as np
import pytest
from pictures import LOOK, page_of
from PySide6.QtGui import QColor

from posenc_gui.figures.exporters import page_image
from posenc_gui.figures.fit import fitted, text_height
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.notes import notes_of
from posenc_gui.figures.style import style_of
from posenc_model.errors import PosencError
from posenc_model.exporters.look import Look

WORDS = ("one", "two", "three")


def figure(**changes):
    return MatrixFigure(np.full((3, 3), 0.5, np.float32), WORDS, WORDS, **changes)


def touches_border(image, ground):
    width, height = image.width(), image.height()
    rows = [image.pixelColor(x, y) for x in range(width) for y in (0, height - 1)]
    columns = [image.pixelColor(x, y) for y in range(height) for x in (0, width - 1)]
    return any(color != ground for color in (*rows, *columns))


@pytest.mark.parametrize(
    ("width", "height", "dpi", "pixels"),
    [(25.4, 50.8, 100, (100, 200)), (85.0, 60.0, 300, (1004, 709)), (120.0, 120.0, 72, (340, 340))],
)
def test_a_page_has_its_size_in_pixels(width, height, dpi, pixels):
    """Millimetres / 25.4 × dpi, rounded."""
    image = page_image(page_of(figure(), Look(width_mm=width, height_mm=height, dpi=dpi)), dpi)
    assert (image.width(), image.height()) == pixels


def test_without_a_height_it_is_as_high_as_needed():
    page = page_of(figure(title="t"), Look(width_mm=100))
    assert page.size.width() == pytest.approx(100 / 25.4 * 96)
    longer = page_of(figure(title="t " * 200), Look(width_mm=100))
    captioned = page_of(figure(title="t"), Look(width_mm=100, caption="c " * 100))
    assert longer.size.height() > page.size.height()
    assert captioned.size.height() > page.size.height()


def test_type_has_its_size_in_points():
    """Twice the type in twice the page is the same picture, twice as large."""
    small = page_of(figure(title="title"), replace(LOOK, font_size=6, width_mm=60, height_mm=50))
    large = page_of(figure(title="title"), replace(LOOK, font_size=12, width_mm=120, height_mm=100))
    assert page_image(small, 192) == replaced_dpi(page_image(large, 96), 192)


def replaced_dpi(image, dpi):
    image.setDotsPerMeterX(round(dpi / 0.0254))
    image.setDotsPerMeterY(round(dpi / 0.0254))
    return image


def test_title_and_caption_are_the_figures_or_ones_own_or_none():
    shown = figure(title="its title", caption="its caption")
    assert page_of(shown, Look()).title == "its title"
    assert page_of(shown, Look()).caption == ""
    assert page_of(shown, Look(caption="auto")).caption == "its caption"
    own = page_of(shown, Look(title="mine", caption="also mine"))
    assert (own.title, own.caption) == ("mine", "also mine")
    assert page_of(shown, Look(title="")).title == ""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(85, 0), (338, 190), (30, 30), (20, 200), (200, 20)])
def test_nothing_leaves_the_page(theme, size):
    long = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz " * 4
    shown = replace(figure(title=long), query_words=(long, "a", "b"), key_words=(long, "a", "b"))
    look = Look(width_mm=size[0], height_mm=size[1], theme=theme, caption=long, font_size=11)
    image = page_image(page_of(shown, look), 96)
    assert not touches_border(image, style_of(look).background)


@pytest.mark.parametrize(
    ("theme", "alpha", "is_bright"),
    [
        ("light", 255, False),
        ("dark", 255, True),
        ("transparent", 0, False),
        ("transparent-dark", 0, True),
    ],
)
def test_themes(theme, alpha, is_bright):
    look = Look(theme=theme, width_mm=60)
    image = page_image(page_of(figure(), look), 96)
    assert image.pixelColor(0, 0).alpha() == alpha
    assert (style_of(look).text.lightness() > 128) == is_bright
    if alpha:
        ground = image.pixelColor(0, 0)
        assert (ground.lightness() < 128) == is_bright
    # The cells are opaque whatever the ground is.
    middle = image.pixelColor(image.width() // 2, image.height() * 6 // 10)
    assert middle == QColor("#21918c")


def test_a_font_that_is_not_there_is_said():
    with pytest.raises(PosencError, match="font is “No Such Font”"):
        style_of(Look(font="No Such Font"))


def test_too_many_pixels_are_refused():
    look = Look(width_mm=1000, height_mm=1000, dpi=2400)
    with pytest.raises(PosencError, match="lower dpi or size"):
        page_image(page_of(figure(), look), look.dpi)


def test_text_is_cut_where_it_must_be(qapp):
    font = style_of(Look()).font
    text = "word " * 100
    area = page_of(figure()).size / 6
    short = fitted(text, font, area)
    assert short.endswith("…")
    assert text_height(short, font, area.width()) <= area.height() + 1
    assert fitted("word", font, area) == "word"


@pytest.mark.parametrize(("width", "font_size"), [(20, 9), (60, 72), (20, 72)])
def test_type_too_large_for_a_page_is_made_smaller(width, font_size):
    page = page_of(figure(title="title"), Look(width_mm=width, font_size=font_size))
    assert page.font_size < font_size
    assert page.size.height() < 1.5 * page.size.width()  # no blank
    (note,) = [note for note in notes_of(page, ".png") if "points" in note]
    assert f"{font_size:g} points does not fit into {width} mm" in note


def test_a_long_caption_has_the_room_it_needs():
    caption = "word " * 400
    page = page_of(figure(title="title"), Look(width_mm=85, caption=caption))
    assert not any("shortened" in note for note in notes_of(page, ".png"))
    low = page_of(figure(), Look(width_mm=85, height_mm=60, caption=caption))
    assert any("shortened" in note for note in notes_of(low, ".png"))
