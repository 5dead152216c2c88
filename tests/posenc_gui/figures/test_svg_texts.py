"""Texts of an SVG: whole or in parts, as programs need them that have other fonts."""

import base64
import io
import re

import pytest
from fontTools.ttLib import TTFont
from pictures import export_font
from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtSvg import QSvgGenerator

from posenc_gui.figures.svg_texts import SVG, SvgPainter, families_css, number, valid

BOX = QRectF(100, 0, 200, 40)
ENDS = {"start": 100, "middle": 200, "end": 300}
ALIGNED = {
    "start": Qt.AlignmentFlag.AlignLeft,
    "middle": Qt.AlignmentFlag.AlignHCenter,
    "end": Qt.AlignmentFlag.AlignRight,
}


def painted(paint):
    """The painter of an SVG after something was painted with it."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    font = export_font()
    painter = SvgPainter(generator, font)
    painter.setFont(font)
    paint(painter)
    painter.end()
    return painter


def element(text, anchor="start", prepare=lambda painter: None):
    def paint(painter):
        prepare(painter)
        painter.drawText(BOX, ALIGNED[anchor] | Qt.AlignmentFlag.AlignVCenter, text)

    (made,) = painted(paint).kept
    return made


def parts(made):
    return [(part.text, part.get("font-family").split(",")[0][1:-1]) for part in made]


@pytest.mark.parametrize(
    "text", ["plain <text> & more", "她们", "مرحبا بالعالم", "क्षत्रिय ज्ञान", "👩‍💻"]
)
@pytest.mark.parametrize("anchor", ENDS)
def test_text_in_one_font_is_whole(text, anchor):
    made = element(text, anchor)
    assert made.text == text
    assert len(made) == 0
    assert float(made.get("x")) == ENDS[anchor]
    assert made.get("text-anchor", "start") == anchor


@pytest.mark.parametrize("anchor", ENDS)
def test_parts_in_several_fonts_are_where_qt_has_them_and_held_as_the_whole_is(anchor):
    made = element("a (مرحبا) b", anchor)
    assert parts(made) == [
        ("a (", "Noto Sans"),
        ("مرحبا", "Noto Sans Arabic"),
        (") b", "Noto Sans"),
    ]
    assert "".join(made.itertext()) == "a (مرحبا) b"
    assert made.get("text-anchor", "start") == anchor
    width = QFontMetricsF(export_font()).horizontalAdvance("a (مرحبا) b")
    first, *_, last = (float(part.get("x")) for part in made)
    left = {"start": 100, "middle": 200 - width / 2, "end": 300 - width}[anchor]
    if anchor == "start":
        assert first == pytest.approx(left, abs=0.01)
    if anchor == "end":
        assert last == pytest.approx(300, abs=0.01)
    assert left <= first < last <= left + width + 0.01


def test_parts_that_are_read_from_the_right_one_after_the_other_stay_together():
    """Their order on the line is not that of the letters."""
    made = element("x مرحبا (שלום) y")
    assert [text for text, _ in parts(made)] == ["x ", "مرحبا (שלום", ") y"]
    assert made[1].get("font-family").startswith("'Noto Sans Arabic'")
    assert "'Noto Sans Hebrew'" in made[1].get("font-family")


@pytest.mark.parametrize("text", ["(שלום)", "שלום abc!", "مرحبا 12"])
def test_text_that_is_read_from_the_right_says_so(text):
    made = element(text, "end")
    assert made.text == f"\u202b{text}\u202c"
    assert made.get("text-anchor") == "end"
    assert len(made) == 0


def test_color_size_and_style():
    def prepare(painter):
        font = painter.font()
        font.setBold(True)
        font.setItalic(True)
        painter.setFont(font)
        painter.setPen(QColor(255, 0, 0, 51))
        painter.scale(0.5, 0.5)

    made = element("word", prepare=prepare)
    assert made.get("fill") == "#ff0000"
    assert float(made.get("fill-opacity")) == pytest.approx(0.2)
    assert (made.get("font-weight"), made.get("font-style")) == ("700", "italic")
    assert float(made.get("font-size")) == export_font().pixelSize() / 2
    assert float(made.get("x")) == 50
    assert made.get("transform") is None


def test_turned_text_keeps_its_own_units():
    made = element("word", prepare=lambda painter: painter.rotate(-90))
    assert made.get("transform").startswith("matrix(0,-1,1,0,")
    assert float(made.get("x")) == 100


def test_spaces_at_the_ends_are_kept():
    space = "{http://www.w3.org/XML/1998/namespace}space"
    assert element(" word").get(space) == "preserve"
    assert element("two  spaces").get(space) == "preserve"
    assert element("two words").get(space) is None


def test_an_emoji_does_not_ask_for_color():
    """Browsers take one that does from the system, whatever fonts are given."""
    assert element("☺\ufe0f").text == "☺"
    assert "".join(element("a 1\ufe0f\u20e3").itertext()) == "a 1\u20e3"


def test_fonts_that_were_written_in_are_there_and_no_others():
    def paint(painter):
        painter.drawText(QPointF(0, 0), "word")
        painter.drawText(QPointF(0, 0), "她 क्ष")
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
        painter.drawText(QPointF(0, 0), "Bold")

    rules = painted(paint).font_faces()
    found = re.findall(r"font-family:'([^']*)';font-weight:(\d+);.*?base64,([^)]*)\)", rules)
    assert [(family, weight) for family, weight, _ in found] == [
        ("Noto Sans", "700"),
        ("Noto Sans", "400"),
        ("Noto Sans CJK SC", "400"),
        ("Noto Sans Devanagari", "400"),
    ]
    characters = [TTFont(io.BytesIO(base64.b64decode(data))).getBestCmap() for *_, data in found]
    assert {ord(c) for c in "Bold"} <= set(characters[0])
    assert ord("w") in characters[1]
    assert ord("é") not in characters[1]
    assert {c for c in characters[2] if c > 0x3000} == {ord("她")}
    assert ord("क") in characters[3]


def test_names_of_families():
    assert families_css("A", "It's") == "'A', 'Its', sans-serif"


def test_valid():
    assert valid("a\x00\ud83d\ufffeb\n\t😀") == "a\ufffd\ufffd\ufffdb\n\t😀"


def test_numbers_are_short():
    assert [number(x) for x in (1.0, 0.1 + 0.2, 1234.5678, 1e-9)] == [
        "1",
        "0.3",
        "1234.57",
        "1e-09",
    ]


def test_every_text_has_its_number_in_qts_file():
    painter = painted(lambda painter: painter.drawText(BOX, int(ALIGNED["start"]), "a\nb"))
    assert ["".join(made.itertext()) for made in painter.kept] == ["a", "b"]
    assert {made.tag for made in painter.kept} == {f"{SVG}text"}
