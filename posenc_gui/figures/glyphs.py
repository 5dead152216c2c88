"""Which font draws each character of a picture, and which characters no font has."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from PySide6.QtGui import QFont, QRawFont, QTextLayout

# Categories of what belongs to the character before it: marks, selectors of forms, joiners.
_ATTACHED = {"Mn", "Mc", "Me", "Cf"}
_JOINER = "\u200d"
_IN_COLOR = "\ufe0f"
_PICTURES = range(0x1F000, 0x20000)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
# Categories of characters that leave no ink.
_INKLESS = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}


class Glyphs:
    """Where the glyphs of a font come from: its families are asked in order."""

    def __init__(self, font: QFont) -> None:
        self._family = font.family()
        self._fonts = {family: _raw_font(family) for family in font.families()}
        self._found: dict[str, str] = {}

    def pieces(self, text: str) -> list[tuple[str, str]]:
        """A text cut where the family changes.

        Returns:
            (family, piece); the family is empty where none has the glyphs.
        """
        found: list[tuple[str, str]] = []
        for cluster in _clusters(text):
            follows = cluster.isspace() and found and _keeps_spaces(found[-1][1])
            found.append((found[-1][0] if follows else self._family_of(cluster), cluster))
        return [
            (family, "".join(cluster for _, cluster in group))
            for family, group in groupby(found, key=lambda item: item[0])
        ]

    def missing(self, texts: Iterable[str]) -> list[str]:
        """The characters that no font on this machine has a glyph for, each once, in order."""
        characters = dict.fromkeys(character for text in texts for character in text)
        return [
            character
            for character in characters
            if not _is_inkless(character)
            and not self._family_of(character)
            and not _is_drawn(character, self._family)
        ]

    def _family_of(self, cluster: str) -> str:
        """The first family with all glyphs of a cluster, or else with its first; or nothing."""
        if cluster not in self._found:
            able = (
                family
                for part in (cluster, cluster[0])
                for family, font in self._fonts.items()
                if all(font.supportsCharacter(ord(character)) for character in part)
            )
            self._found[cluster] = next(able, "")
        return self._found[cluster]


def is_complex(text: str) -> bool:
    """Whether a text may have more or fewer glyphs than characters."""
    return any(
        unicodedata.category(character).startswith("M")
        or unicodedata.bidirectional(character) == "AL"
        or character == _JOINER
        or ord(character) in _PICTURES
        for character in text
    )


def _raw_font(family: str) -> QRawFont:
    font = QFont(family)
    font.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
    return QRawFont.fromFont(font)


def _clusters(text: str) -> Iterator[str]:
    """The characters, with the marks, skin tones and joined emoji that belong to each."""
    cluster = ""
    for character in text:
        belongs = (
            unicodedata.category(character) in _ATTACHED
            or cluster.endswith(_JOINER)
            or ord(character) in _SKIN_TONES
        )
        if cluster and not belongs:
            yield cluster
            cluster = ""
        cluster += character
    if cluster:
        yield cluster


def _keeps_spaces(cluster: str) -> bool:
    """Whether a space after a letter is of its font, so that a text in its script is one piece.

    Those of fonts with wide characters and emoji are wider than the spaces that Qt takes.
    """
    is_wide = unicodedata.east_asian_width(cluster[0]) in "WF" or _IN_COLOR in cluster
    return cluster[0].isalpha() and not is_wide


def _is_inkless(character: str) -> bool:
    is_selector = any(ord(character) in selectors for selectors in _VARIATION_SELECTORS)
    return is_selector or unicodedata.category(character) in _INKLESS


def _is_drawn(character: str, family: str) -> bool:
    """Whether Qt finds a glyph in any font of the system."""
    layout = QTextLayout(character, QFont(family))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    # Where no font has the script, Qt draws boxes with what is no font and has no tables.
    return all(
        not run.rawFont().fontTable("head").isEmpty() and 0 not in run.glyphIndexes()
        for run in layout.glyphRuns()
    )
