"""Sentences about what a picture lacks."""

import numpy as np
import pytest
from pictures import page_of

from posenc_gui.figures.glyphs import Glyphs
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.notes import notes_of
from posenc_model.exporters.look import Look

INSTALL = 'or run “pip install "posenc[fonts]"”.'


def page(*words, look=None, **changes):
    matrix = np.zeros((len(words), len(words)), np.float32)
    return page_of(MatrixFigure(matrix, words, words, **changes), look or Look())


def test_nothing_to_say():
    words = ("The", "她们", "مرحبا", "क्षत्रिय", "👩‍💻", "1️⃣", "<b>a</b>", "wait…", "\u200b")
    assert notes_of(page(*words, title="t…"), ".png") == ()


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (["𓀀"], "a glyph for “𓀀” (U+13000); it is drawn as a box. Install a font that has it."),
        (["\ue000"], "a glyph for U+E000; it is drawn as a box. Install a font that has it."),
        (["ব", "𓀀"], "for “ব” (U+09AC) and “𓀀” (U+13000); they are drawn as boxes. Install a"),
        (list("abcde"), "“c” (U+0063), “d” (U+0064) and another; they"),
        (list("abcdefg"), "“d” (U+0064) and 3 others; they are drawn as boxes."),
    ],
)
def test_missing_glyphs(monkeypatch, missing, sentence):
    monkeypatch.setattr(Glyphs, "missing", lambda self, texts: missing)
    (note,) = notes_of(page("a", "b"), ".png")
    assert note.startswith("No font on this machine has a glyph for ")
    assert sentence in note


@pytest.mark.parametrize("helps", [True, False])
def test_the_extra_is_named_only_where_it_may_help(monkeypatch, helps):
    monkeypatch.setattr("posenc_gui.figures.notes.extra_may_help", lambda character: helps)
    (note,) = notes_of(page("a\u0378", "b"), ".svg")
    assert note.endswith(INSTALL) is helps


def test_title_and_caption_are_looked_at_too():
    look = Look(title="\u0378", caption="\ue000")
    (note,) = notes_of(page("a", "b", look=look), ".pdf")
    assert "U+0378 and U+E000" in note


def test_shortened_texts():
    long = "Donaudampfschifffahrtsgesellschaftskapitän"
    (note,) = notes_of(page(long, "short", look=Look(width_mm=60)), ".png")
    assert note.startswith("“Donaudamp")
    assert note.endswith(" shortened; a larger picture or smaller type has room for more.")
    assert notes_of(page(long, "short", look=Look(width_mm=500)), ".png") == ()


def test_a_picture_of_many_words_is_not_drawn_again(monkeypatch):
    monkeypatch.setattr("posenc_gui.figures.page.Page.paint", None)
    words = [f"她{i}" for i in range(4096)]
    rows = MatrixFigure(np.zeros((4096, 1), np.float32), words, ["x\u0378"])
    (note,) = notes_of(page_of(rows), ".png")
    assert "a glyph for U+0378;" in note
