"""What goes into areas that may be small for it."""

from pictures import export_font, export_style
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QImage

from posenc_gui.figures.fit import at_least, fitted, paint_wrapped, text_height
from posenc_gui.painting import painting


def test_an_area_that_is_large_enough_is_given_as_it_is():
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    with painting(image) as painter:
        with at_least(painter, QSizeF(100, 50), QSizeF(40, 40)) as room:
            assert room == QSizeF(100, 50)
            painter.fillRect(QRectF(0, 0, 100, 50), 0xFF000000)
        assert painter.transform().isIdentity()
    assert [image.pixelColor(99, y).lightness() for y in (49, 50)] == [0, 255]


def test_in_one_that_is_too_small_all_is_made_smaller():
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    with painting(image) as painter:
        with at_least(painter, QSizeF(50, 80), QSizeF(100, 40)) as room:
            assert room == QSizeF(100, 160)
            painter.fillRect(QRectF(0, 0, 100, 160), 0xFF000000)
        assert painter.transform().isIdentity()
    assert [image.pixelColor(x, 79).lightness() for x in (49, 50)] == [0, 255]


def test_no_area_at_all_is_no_mistake():
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    with painting(image) as painter, at_least(painter, QSizeF(0, 0), QSizeF(10, 10)) as room:
        assert room.width() >= 0


def test_a_text_is_as_high_as_its_lines():
    font = export_font()
    one = text_height("word", font, 500)
    assert text_height("", font, 500) == 0
    assert text_height("word\nword", font, 500) == 2 * one
    assert text_height("x" * 300, font, 200) > 5 * one


def test_what_does_not_fit_ends_in_an_ellipsis():
    font = export_font()
    text = "one two three four five six seven eight nine ten"
    one = text_height("word", font, 100)
    assert fitted(text, font, QSizeF(2000, one)) == text
    short = fitted(text, font, QSizeF(100, 2 * one))
    assert short.endswith("…")
    assert text.startswith(short[:-1])
    assert text_height(short, font, 100) <= 2 * one + 1


def test_a_wrapped_text_stays_in_its_box():
    image = QImage(220, 120, QImage.Format.Format_RGB32)
    image.fill(export_style().background)
    with painting(image) as painter:
        paint_wrapped(painter, QRectF(10, 10, 200, 60), "word " * 100, export_font())
    ground = export_style().background
    dark = [(x, y) for y in range(120) for x in range(220) if image.pixelColor(x, y) != ground]
    assert min(x for x, _ in dark) >= 10
    assert max(x for x, _ in dark) < 211
    assert max(y for _, y in dark) < 72
