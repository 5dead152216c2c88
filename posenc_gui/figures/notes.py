"""What the user should know of a picture that was written."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtGui import QImage

from posenc_gui.figures.colormaps import DARK_BELOW
from posenc_gui.figures.glyphs import Glyphs
from posenc_gui.figures.grid import GridFigure
from posenc_gui.figures.labels import visible
from posenc_gui.figures.lines import LinesFigure
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure, label_of
from posenc_gui.figures.page import Page
from posenc_gui.figures.text_painter import Line, TextPainter
from posenc_gui.fonts import INSTALL, extra_may_help

_ELLIPSIS = "…"
_MOST_NAMED = 4
# In pictures with more words, to look for what is not written would take longer than it is worth.
_MOST_WORDS = 2500
_DARK = (
    "Most weights here are small, so the picture is dark: a colour range up to the largest value "
    "shows them (“largest”)."
)


def notes_of(page: Page, suffix: str) -> tuple[str, ...]:
    """Sentences about type that was made smaller or cut, and characters that no font has.

    Args:
        page: What was written.
        suffix: The kind of file, with the dot.
    """
    texts = [page.title, page.caption, *page.figure.words()]
    notes = []
    if page.font_size < 0.99 * page.look.font_size:
        notes.append(
            f"Type of {page.look.font_size:g} points does not fit into {page.look.width_mm:g} mm; "
            f"it is {page.font_size:.1f} points large."
        )
    if missing := Glyphs(page.style.font).missing(texts):
        notes.append(_missing_glyphs(missing))
    if isinstance(page.figure, LinesFigure) and not len(page.figure.lines):
        notes.append(f"No weight reaches {page.figure.threshold:g}, so there is no line.")
    if len(texts) <= _MOST_WORDS:
        written = _written(page)
        if shortened := [t for t in written if t.endswith(_ELLIPSIS) and t not in texts]:
            notes.append(_shortened_texts(shortened))
        left_out = _left_out(page.figure, written)
        if left_out:
            notes.append(_left_out_words(left_out))
    return tuple(notes)


def dark_note(page: Page) -> tuple[str, ...]:
    """What helps where hardly anything can be seen; the dialog has words of its own for it."""
    matrices = _matrices(page.figure)
    return (_DARK,) if matrices and all(map(_is_dark, matrices)) else ()


class _Reader(TextPainter):
    """A painter that writes nothing down but the texts."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.texts: dict[str, None] = {}

    def write(self, line: Line) -> None:
        self.texts[line.text] = None


def _written(page: Page) -> dict[str, None]:
    """All that is written on a page, each once."""
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    painter = _Reader(image)
    try:
        page.paint(painter)
    finally:
        painter.end()
    return painter.texts


def _matrices(figure: object) -> list[MatrixFigure]:
    """The matrices in a figure."""
    if isinstance(figure, GridFigure):
        return [matrix for part in figure.figures for matrix in _matrices(part)]
    return [figure] if isinstance(figure, MatrixFigure) else []


def _is_dark(figure: MatrixFigure) -> bool:
    """Whether most rows have no weight that can be seen on a scale up to 1."""
    if figure.levels != UNIT_LEVELS:
        return False
    strongest = np.fmax.reduce(figure.matrix, axis=1)
    return float(np.nanmedian(strongest)) < DARK_BELOW


def _left_out(figure: object, written: Mapping[str, None]) -> int:
    """How many different words stand at no row and column, for want of room."""
    words = {word for matrix in _matrices(figure) for word in matrix.words()}
    if isinstance(figure, LinesFigure):
        words.update(figure.tokens)
    cut = [text[:-1] for text in written if text.endswith(_ELLIPSIS)]
    there = sum(
        visible(word) in written
        or label_of(word, True) in written
        or any(start and visible(word).startswith(start) for start in cut)
        for word in words
    )
    return len(words) - there


def _missing_glyphs(missing: list[str]) -> str:
    is_one = len(missing) == 1
    others = len(missing) - _MOST_NAMED
    named = [_named(character) for character in missing[:_MOST_NAMED]]
    if others > 0:
        named.append("another" if others == 1 else f"{others} others")
    which = " and ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else named[0]
    may_help = any(extra_may_help(character) for character in missing)
    return (
        f"No font on this machine has a glyph for {which}; "
        f"{'it is drawn as a box' if is_one else 'they are drawn as boxes'}. "
        f"Install a font that has {'it' if is_one else 'them'}"
        f"{f', or run “{INSTALL}”' if may_help else ''}."
    )


def _named(character: str) -> str:
    code = f"U+{ord(character):04X}"
    return f"“{character}” ({code})" if character.isprintable() else code


def _shortened_texts(shortened: list[str]) -> str:
    first = shortened[0] if len(shortened[0]) <= 40 else f"{shortened[0][:39].rstrip()}{_ELLIPSIS}"
    what = (
        f"“{first}” is" if len(shortened) == 1 else f"“{first}” and {len(shortened) - 1} more are"
    )
    return f"{what} shortened; a larger picture or smaller type has room for more."


def _left_out_words(count: int) -> str:
    is_one = count == 1
    return (
        f"{count:,} {'word is' if is_one else 'different words are'} not written for want of room; "
        "a larger picture, smaller type or fewer words leave more."
    )
