"""The fonts inside an SVG: small, with all that their texts need, and the same each time."""

import base64
import io
import re

import pytest
from fontTools.ttLib import TTFont

from posenc_gui.figures.font_faces import font_face
from posenc_gui.fonts import font_file


def face(family, text, is_bold=False):
    return font_face(family, font_file(family, is_bold=is_bold), set(text))


def font_in(rule):
    data = re.search(r"base64,([^)]*)\)", rule)[1]
    return TTFont(io.BytesIO(base64.b64decode(data)))


@pytest.mark.parametrize(
    ("family", "text", "most"),
    [
        ("Noto Sans", "The quick brown fox jumps over the lazy dog. 0123456789", 14_000),
        ("Noto Sans Arabic", "مرحبا بالعالم", 8_000),
        ("Noto Sans Devanagari", "क्षत्रिय", 20_000),
        ("Noto Sans CJK SC", "她们是飞行员还是制片人？", 8_000),
        ("Noto Emoji", "👩‍💻1️⃣", 8_000),
    ],
)
def test_it_has_the_characters_and_little_else(family, text, most):
    rule = face(family, text)
    assert rule.startswith(f"@font-face{{font-family:'{family}';font-weight:400;")
    assert len(rule) < most
    whole = TTFont(font_file(family, is_bold=False)).getBestCmap()
    characters = font_in(rule).getBestCmap()
    assert {ord(c) for c in text if ord(c) in whole} <= set(characters)
    assert len(characters) < (120 if family == "Noto Sans" else len(set(text)) + 25)


def test_pictures_in_english_share_what_was_made_once(qapp):
    assert face("Noto Sans", "one") == face("Noto Sans", "two (3)")
    assert face("Noto Sans", "one") != face("Noto Sans", "één")


def test_bold():
    assert "font-weight:700;" in face("Noto Sans", "bold", is_bold=True)
    assert "font-weight:400;" in face("Noto Sans Thai", "ภาษา", is_bold=True)


@pytest.mark.parametrize(
    ("family", "text", "features"),
    [
        ("Noto Sans Arabic", "مرحبا", {"init", "medi", "fina"}),
        ("Noto Sans Devanagari", "क्षत्रिय", {"akhn", "half", "rkrf"}),
        ("Noto Emoji", "👩‍💻", {"ccmp"}),
    ],
)
def test_it_keeps_what_letters_join_by(family, text, features):
    table = font_in(face(family, text))["GSUB"].table
    assert features <= {record.FeatureTag for record in table.FeatureList.FeatureRecord}


def test_it_has_what_programs_put_in_place_of_characters():
    """Thai am is drawn as two signs, and é may be."""
    assert {0x0E4D, 0x0E32} <= set(font_in(face("Noto Sans Thai", "ทำ")).getBestCmap())
    assert {0x65, 0x301} <= set(font_in(face("Noto Sans", "é")).getBestCmap())


def test_bytes_are_the_same_whatever_the_order():
    assert face("Noto Sans", "abcdef") == face("Noto Sans", "fedcba")


def test_one_of_several_families_in_a_file(tmp_path):
    from fontTools.ttLib import TTCollection

    both = TTCollection()
    both.fonts = [TTFont(font_file(f, is_bold=False)) for f in ("Noto Sans Thai", "Noto Sans")]
    both.save(tmp_path / "both.ttc")
    rule = font_face("Noto Sans", tmp_path / "both.ttc", set("abc"))
    assert {0x61, 0x62, 0x63} <= set(font_in(rule).getBestCmap())
    for font in both.fonts:
        font.close()
