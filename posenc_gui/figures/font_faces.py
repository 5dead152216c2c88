"""Fonts inside an SVG: of each, no more than the glyphs that its texts need."""

from __future__ import annotations

import base64
import functools
import io
import itertools
import string
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from posenc_gui.fonts import FIGURE_FAMILY

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

_BOLD, _REGULAR = "700", "400"
_USUAL = frozenset(string.ascii_letters + string.digits + string.punctuation + " ‘’“”·–−…→←")
_CIRCLE = "\N{DOTTED CIRCLE}"
# The first part of several Khmer vowels, which Unicode does not take apart.
_KHMER_E = "\N{KHMER VOWEL SIGN E}"


def font_face(family: str, path: Path, characters: set[str]) -> str:
    """A rule of CSS with a part of a font.

    Args:
        family: The font's name, as the texts give it.
        path: Its file, which may hold other families as well.
        characters: What is written in it.
    """
    # With all that English is written in: most pictures then share a part that was made before.
    usual = _USUAL if family == FIGURE_FAMILY else frozenset()
    return _made(family, path, frozenset(characters) | usual)


@functools.lru_cache(maxsize=64)
def _made(family: str, path: Path, characters: frozenset[str]) -> str:
    from fontTools import subset

    font = _opened(path, family)
    axes = {axis.axisTag: axis for axis in font["fvar"].axes} if "fvar" in font else {}
    weight = _BOLD if font["OS/2"].usWeightClass >= 600 else _REGULAR
    if "wght" in axes:
        weight = f"{axes['wght'].minValue:g} {axes['wght'].maxValue:g}"
    # Its features are those that programs use unless told otherwise, of every script: Arabic
    # letters still join, and Devanagari forms its conjuncts.
    options = subset.Options(hinting=False, notdef_outline=True, name_IDs=[1, 2])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=sorted(map(ord, characters | _parts(characters))))
    subsetter.subset(font)
    font.flavor = "woff"
    content = io.BytesIO()
    font.save(content)
    data = base64.b64encode(content.getvalue()).decode()
    return (
        f"@font-face{{font-family:'{family}';font-weight:{weight};"
        f"src:url(data:font/woff;base64,{data}) format('woff')}}"
    )


def _parts(characters: frozenset[str]) -> set[str]:
    """What programs may put in place of characters: their parts, and a circle under lone marks."""
    text = "".join(sorted(characters))
    whole = (unicodedata.normalize(form, text) for form in ("NFC", "NFKD"))
    return {*itertools.chain(*whole), _CIRCLE, _KHMER_E}


def _opened(path: Path, family: str) -> TTFont:
    from fontTools.ttLib import TTCollection, TTFont

    content = io.BytesIO(path.read_bytes())
    # As it was made, not as of now: the same texts give the same bytes.
    if path.suffix != ".ttc":
        return TTFont(content, lazy=True, recalcTimestamp=False)
    fonts = TTCollection(content, lazy=True, recalcTimestamp=False).fonts
    return next(font for font in fonts if font["name"].getDebugName(1) == family)
