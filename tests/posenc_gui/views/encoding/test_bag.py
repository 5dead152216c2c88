"""The picture of ``none``."""

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont, QImage

from posenc_gui.figures.matrix import Style
from posenc_gui.painting import painting
from posenc_gui.views.encoding.bag import EXAMPLE, bag_words, paint_bag


def test_the_words_of_the_text_and_turned(picture_of):
    picture = picture_of("none")
    assert picture.canvas.words == ("one", "two", "three", "four")
    assert "‘one two three four’ and ‘four three two one’ are the same" in picture.sentence.text()


def test_words_without_an_order_are_replaced():
    assert bag_words(["a", "b", "c", "d", "e"]) == ("a", "b", "c", "d")
    assert bag_words(["alone"]) == EXAMPLE
    assert bag_words(["so", "so", "so"]) == EXAMPLE
    assert bag_words(["a", "x" * 50]) == EXAMPLE
    assert bag_words(["a", "\u200b"]) == ("a", "U+200B")


def test_it_is_painted_at_any_size(qapp):
    for width, height in ((10, 10), (300, 120), (900, 400)):
        image = QImage(width, height, QImage.Format.Format_RGB32)
        image.fill(0)
        with painting(image) as painter:
            paint_bag(painter, ("one", "two", "three"), QSizeF(width, height), Style(QFont()))
        assert image.pixelColor(0, 0).name() == "#ffffff"
    colors = {image.pixelColor(x, 12).name() for x in range(900)}
    assert len(colors) > 2
