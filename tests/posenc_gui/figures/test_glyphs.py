"""Each character has its font, and emoji, marks and spaces stay with what they belong to."""

import pytest

from posenc_gui.figures.glyphs import Glyphs, is_complex
from posenc_gui.fonts import figure_font

LATIN, EMOJI, CHINESE = "Noto Sans", "Noto Emoji", "Noto Sans CJK SC"
ARABIC, HEBREW, DEVANAGARI = "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari"


@pytest.fixture(scope="module")
def glyphs(qapp):
    return Glyphs(figure_font(LATIN))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("plain text, 12 %", [(LATIN, "plain text, 12 %")]),
        ("▁the", [(CHINESE, "▁"), (LATIN, "the")]),
        ("她们 ab", [(CHINESE, "她们"), (LATIN, " ab")]),
        ("a (مرحبا) b", [(LATIN, "a ("), (ARABIC, "مرحبا"), (LATIN, ") b")]),
        ("مرحبا بالعالم", [(ARABIC, "مرحبا بالعالم")]),
        ("שָׁלוֹם עולם", [(HEBREW, "שָׁלוֹם עולם")]),
        ("क्षत्रिय ज्ञान", [(DEVANAGARI, "क्षत्रिय ज्ञान")]),
        ("x̧̌ é", [(LATIN, "x̧̌ é")]),
        # A woman with a computer is one sign, and a key cap is not its digit.
        ("👩‍💻 ok", [(EMOJI, "👩‍💻"), (LATIN, " ok")]),
        ("1️⃣2", [(EMOJI, "1️⃣"), (LATIN, "2")]),
        ("👍🏽🇩🇪", [(EMOJI, "👍🏽🇩🇪")]),
        ("©️ ©", [(EMOJI, "©️"), (LATIN, " ©")]),
        ("", []),
    ],
)
def test_pieces(glyphs, text, pieces):
    assert glyphs.pieces(text) == pieces


def test_pieces_of_what_no_font_has(glyphs):
    assert glyphs.pieces("a\u0378b") == [(LATIN, "a"), ("", "\u0378"), (LATIN, "b")]


def test_missing_characters_are_named_once_and_in_order(glyphs):
    assert glyphs.missing(["a\u0378b", "\ue000", "她\u0378"]) == ["\u0378", "\ue000"]


def test_what_leaves_no_ink_is_not_missing(glyphs):
    assert glyphs.missing(["\u200b\u00ad\x00 \t\n\u3000\ud800", "☺\ufe0e", "👩‍💻"]) == []


@pytest.mark.parametrize("text", ["مرحبا", "क्ष", "x̌", "👩‍💻", "🇩🇪", "a\u200d"])
def test_complex(text):
    assert is_complex(text)


@pytest.mark.parametrize("text", ["plain é", "她们", "한국어", "שלום", "→ ∑", ""])
def test_not_complex(text):
    assert not is_complex(text)
