"""Sentences about what a picture lacks."""

from dataclasses import replace

import numpy as np
import pytest
from pictures import export_font, page_of
from PySide6.QtCore import QSizeF

from posenc_gui.figures.glyphs import Glyphs
from posenc_gui.figures.lines import LinesFigure
from posenc_gui.figures.matrix import MatrixFigure, layout_matrix
from posenc_gui.figures.notes import dark_note, notes_of
from posenc_model.exporters.look import Look

INSTALL = 'or run “pip install "posenc[fonts]"”.'


def page(*words, look=None, **changes):
    matrix = np.full((len(words), len(words)), 0.5, np.float32)
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
    (note,) = notes_of(page(long, "short", look=Look(width_mm=80)), ".png")
    assert note.startswith("“Donau")
    assert note.endswith(" shortened; a larger picture or smaller type has room for more.")
    assert notes_of(page(long, "short", look=Look(width_mm=500)), ".png") == ()


def test_a_picture_of_many_words_is_not_drawn_again(monkeypatch):
    monkeypatch.setattr("posenc_gui.figures.page.Page.paint", None)
    words = [f"她{i}" for i in range(4096)]
    rows = MatrixFigure(np.full((4096, 1), 0.5, np.float32), words, ["x\u0378"])
    (note,) = notes_of(page_of(rows), ".png")
    assert "a glyph for U+0378;" in note


def test_a_dark_picture_is_told_how_to_be_seen():
    dark = MatrixFigure(np.full((2, 2), 0.1, np.float32), ["a", "b"], ["a", "b"])
    (note,) = dark_note(page_of(dark))
    assert "“largest”" in note
    assert dark_note(page_of(replace(dark, levels=(0.0, 0.1)))) == ()


def test_words_without_room_are_counted():
    words = [f"w{i}" for i in range(100)]
    many = MatrixFigure(np.eye(100, dtype=np.float32), words, words)
    (note,) = notes_of(page_of(many), ".png")
    step = layout_matrix(many, QSizeF(880, 780), export_font()).rows.step
    assert step > 1
    assert int(note.split()[0]) == 100 - len(range(0, 100, step))


def test_a_picture_of_lines_without_a_line_says_why():
    weights = np.full((1, 2, 2), 0.5, np.float32)
    lines = LinesFigure(weights, (0,), ["a", "b"], threshold=0.6)
    assert "No weight reaches 0.6" in notes_of(page_of(lines), ".png")[0]
    assert notes_of(page_of(replace(lines, threshold=0.4)), ".png") == ()
