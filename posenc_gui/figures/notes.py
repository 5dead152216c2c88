"""What the user should know of a picture that was written."""

from __future__ import annotations

from PySide6.QtGui import QImage

from posenc_gui.figures.glyphs import Glyphs
from posenc_gui.figures.page import Page
from posenc_gui.figures.text_painter import Line, TextPainter
from posenc_gui.fonts import INSTALL, extra_may_help

_ELLIPSIS = "…"
_MOST_NAMED = 4
# In pictures with more words, to look for shortened ones would take longer than it is worth.
_MOST_WORDS = 200


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
    if len(texts) <= _MOST_WORDS and (shortened := _shortened(page, set(texts))):
        notes.append(_shortened_texts(shortened))
    return tuple(notes)


class _Reader(TextPainter):
    """A painter that writes nothing down but the texts."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.texts: dict[str, None] = {}

    def write(self, line: Line) -> None:
        self.texts[line.text] = None


def _shortened(page: Page, texts: set[str]) -> list[str]:
    """What is written with an ellipsis that is not part of it, each once."""
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    painter = _Reader(image)
    try:
        page.paint(painter)
    finally:
        painter.end()
    return [text for text in painter.texts if text.endswith(_ELLIPSIS) and text not in texts]


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
