"""The pane with the picture: its proportions, its ground, and what stands in its place."""

import pytest
from PySide6.QtGui import QColor, QImage

from posenc_gui.figure_dialog.preview import PreviewPane


@pytest.fixture
def pane(qtbot):
    made = PreviewPane()
    qtbot.addWidget(made)
    made.resize(328, 228)  # 300 × 200 for the picture
    return made


def picture(width, height, color, alpha=255):
    kind = QImage.Format.Format_RGB32 if alpha == 255 else QImage.Format.Format_ARGB32_Premultiplied
    image = QImage(width, height, kind)
    shade = QColor(color)
    shade.setAlpha(alpha)
    image.fill(shade)
    return image


def seen(pane):
    return pane.grab().toImage()


@pytest.mark.parametrize(("width", "height", "expected"), [(300, 100, 3.0), (30, 60, 0.5)])
def test_a_picture_keeps_its_proportions_and_fills_the_pane(pane, width, height, expected):
    pane.show_image(picture(width, height, "#ff0000"), False)
    image = seen(pane)
    middle = (image.width() // 2, image.height() // 2)
    across = sum(image.pixelColor(x, middle[1]) == QColor("#ff0000") for x in range(image.width()))
    down = sum(image.pixelColor(middle[0], y) == QColor("#ff0000") for y in range(image.height()))
    assert across / down == pytest.approx(expected, rel=0.05)
    assert max(across / 300, down / 200) == pytest.approx(1, abs=0.03)


def test_white_is_seen_on_the_ground(pane):
    pane.show_image(picture(200, 200, "#ffffff"), False)
    image = seen(pane)
    assert image.pixelColor(image.rect().center()) == QColor("#ffffff")
    assert image.pixelColor(20, 110).lightness() < 240


@pytest.mark.parametrize("has_light_letters", [False, True])
def test_nothing_is_squares_that_suit_the_letters(pane, has_light_letters):
    pane.show_image(picture(200, 200, "#000000", alpha=0), has_light_letters)
    image = seen(pane)
    colors = {image.pixelColor(x, 114).name() for x in range(100, 228)}
    assert len(colors) == 2
    assert all((QColor(name).lightness() < 128) == has_light_letters for name in colors)


def test_the_old_picture_stays_while_another_is_made(pane):
    pane.show_image(picture(300, 200, "#ff0000"), False)
    pane.set_busy(True)
    image = seen(pane)
    assert image.pixelColor(image.rect().center()) == QColor("#ff0000")
    assert image.pixelColor(3, 3) == pane.palette().base().color()
    pane.show_image(picture(300, 200, "#0000ff"), False)
    assert seen(pane).pixelColor(3, 3) != pane.palette().base().color()


def test_a_picture_that_is_not_what_is_set_is_faded(pane):
    red = picture(300, 200, "#ff0000")
    pane.show_image(red, False)
    pane.set_old()
    image = seen(pane)
    faded = image.pixelColor(image.rect().center())
    assert faded.saturation() < 150
    assert faded != image.pixelColor(2, 114)
    pane.show_image(red, False)
    assert seen(pane).pixelColor(image.rect().center()) == QColor("#ff0000")


def test_a_sentence_stands_in_the_picture_s_place(pane):
    pane.show_image(picture(300, 200, "#ff0000"), False)
    pane.show_sentence("There is no such <b>font</b>.")
    image = seen(pane)
    assert image.pixelColor(20, 20) != QColor("#ff0000")
    assert pane.accessibleDescription() == "There is no such <b>font</b>."
    pane.show_image(picture(300, 200, "#ff0000"), False)
    assert seen(pane).pixelColor(image.rect().center()) == QColor("#ff0000")
    assert pane.accessibleDescription() == ""


def test_a_pane_that_asks_for_another_picture(pane, qtbot):
    pane.show()
    with qtbot.waitSignal(pane.resized):
        pane.resize(400, 300)
    assert (pane.area.width(), pane.area.height()) == (372, 272)
