"""Texts in files stand where their boxes say, whole, and on one line in all scripts."""

import numpy as np
import pytest
from pictures import export_font
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage

from posenc_gui.figures.text_painter import PixelPainter, TextPainter
from posenc_gui.fonts import resized
from posenc_gui.painting import painting

BOX = QRectF(50, 40, 300, 60)
LEFT, RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
TOP, BOTTOM = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignBottom
CENTER = Qt.AlignmentFlag.AlignCenter


class Writer(TextPainter):
    lines: list

    def write(self, line):
        self.lines.append(line)


def lines(flags, text, box=BOX):
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    with painting(image, Writer) as painter:
        painter.lines = []
        painter.setFont(export_font())
        painter.drawText(box, flags, text)
        return painter.lines


def ink(text, kind=PixelPainter, box=BOX, flags=CENTER, scale=1.0, font=None):
    """The dark pixels of a picture with a text."""
    image = QImage(int(400 * scale), int(140 * scale), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with painting(image, kind) as painter:
        painter.scale(scale, scale)
        painter.setFont(font or export_font())
        painter.drawText(box, flags, text)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    return 255 - pixels[:, :, 0].astype(int)


@pytest.mark.parametrize(
    ("flags", "x", "anchor"), [(LEFT, 50, "start"), (RIGHT, 350, "end"), (CENTER, 200, "middle")]
)
def test_lines_are_held_at_the_end_they_are_aligned_to(flags, x, anchor):
    (line,) = lines(flags, "word")
    assert (line.x, line.anchor, line.text) == (x, anchor, "word")


def test_base_line_is_the_same_in_all_scripts():
    metrics = QFontMetricsF(export_font())
    for flags, top in ((TOP, 40), (BOTTOM, 100 - metrics.height())):
        for word in ("Word", "她们", "مرحبا", "क्षत्रिय", "ภาษา"):
            (line,) = lines(flags, word)
            assert line.y == pytest.approx(top + metrics.ascent())


def test_a_point_and_an_empty_text():
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    with painting(image, Writer) as painter:
        painter.lines = []
        painter.drawText(QPointF(3, 4), "at a point")
        painter.drawText(BOX, CENTER, "")
        assert [tuple(line) for line in painter.lines] == [(3, 4, "start", "at a point")]


def test_wrapped_text_and_line_breaks():
    wrapped = int(CENTER) | int(Qt.TextFlag.TextWordWrap)
    found = lines(wrapped, "one two three four", QRectF(0, 0, 80, 100))
    assert [line.text for line in found] == ["one two", "three four"]
    height = QFontMetricsF(export_font()).height()
    assert found[1].y - found[0].y == pytest.approx(height, abs=1)
    assert (found[0].y + found[1].y) / 2 == pytest.approx(50 + 0.3 * height, abs=0.1 * height)
    assert [line.text for line in lines(LEFT, "a\nb 👩‍💻c")] == ["a", "b 👩‍💻c"]
    (line,) = lines(int(CENTER) | int(Qt.TextFlag.TextSingleLine), "a\nb")
    assert line.text == "a b"


@pytest.mark.parametrize("flags", [LEFT | TOP, RIGHT | BOTTOM, CENTER], ids=str)
@pytest.mark.parametrize("text", ["Word gj", "她们", "مرحبا"])
def test_texts_are_where_qt_has_them(flags, text):
    """But for what Qt moves up for the sake of another font."""
    from PySide6.QtGui import QPainter

    def middle(dark):
        down, across = np.nonzero(dark > 128)
        return down.mean(), across.mean()

    ours, qts = (ink(text, kind, flags=flags) for kind in (PixelPainter, QPainter))
    assert middle(ours) == pytest.approx(middle(qts), abs=1 if text.startswith("W") else 8)


@pytest.mark.parametrize("text", ["ที่ป้ฎุ", "Ą̣́̂̃", "مُحَمَّدٌ", "क्षत्रिय"])
def test_nothing_is_cut_off_by_a_low_box(text):
    low = QRectF(50, 65, 300, 10)
    high = QRectF(50, 0, 300, 140)
    assert ink(text, box=low).sum() == ink(text, box=high).sum()


def test_chinese_is_no_bolder_in_a_larger_picture():
    """The part of a text's area that is ink is the same at any scale, as with large type."""
    large = resized(export_font(), 4)
    expected = ink("她们是飞行员", font=large).sum()
    assert ink("她们是飞行员", scale=4.0).sum() == pytest.approx(expected, rel=0.04)


@pytest.mark.parametrize("scale", [0.77, 1.39, 2.9])
def test_rectangles_side_by_side_have_no_gap_and_do_not_overlap(scale):
    """Each is filled half: what is filled twice is darker, and what is not at all is white."""
    image = QImage(120, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with painting(image, PixelPainter) as painter:
        painter.scale(scale, scale)
        painter.translate(0.37, 0.2)
        for cell in range(40):
            painter.fillRect(QRectF(cell, 0, 1, 10), QColor(0, 0, 0, 128))
    row = [image.pixelColor(x, 4).lightness() for x in range(min(120, int(40 * scale)))]
    assert set(row[1:]) == {127}
