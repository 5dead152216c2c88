"""The fonts that travel with the program, so that every script shows on every machine."""

from __future__ import annotations

import functools
import importlib.util
import os
import unicodedata
from pathlib import Path

from PySide6.QtCore import QLoggingCategory
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication

from posenc_model.errors import PosencError
from posenc_model.resources import resource_folder

FIGURE_FAMILY = "Noto Sans"
# Pictures are laid out in type of this size, then scaled as a whole: type in points has another
# size on each device, and type in pixels has whole numbers only.
FIGURE_PIXELS = 16
INSTALL = 'pip install "posenc[fonts]"'

# What the extra “fonts” brings: many scripts, and all Chinese, Japanese and Korean characters.
_PACKAGES = ("manimgx_fonts", "manimgx_fonts_cjk")
# How Unicode names the characters of these scripts.
_EXTRA_SCRIPTS = {
    "ARMENIAN",
    "BENGALI",
    "CJK",
    "ETHIOPIC",
    "GEORGIAN",
    "GUJARATI",
    "GURMUKHI",
    "HANGUL",
    "KANNADA",
    "KHMER",
    "LAO",
    "MALAYALAM",
    "MYANMAR",
    "ORIYA",
    "SINHALA",
    "TAMIL",
    "TELUGU",
}
# Asked last, in this order, since they have letters and digits too. The first holds the usual
# characters of the second, which comes with the extra.
_LAST = ("Noto Sans CJK SC", "Noto Sans CJK TC", "Noto Emoji", "Noto Sans Symbols")
_REGULAR = 400.0


@functools.lru_cache(maxsize=1)
def load_fonts() -> dict[str, Path]:
    """Adds the shipped fonts, and those of the extra where it is installed, to Qt's, once.

    Returns:
        The families in the order in which pictures ask them for glyphs, and the file of each.
    """
    # Else Qt takes emoji from a colour font of the system's, whatever fonts are asked for; they
    # look different on every machine and stay blank in a PDF.
    os.environ["QT_DISABLE_EMOJI_SEGMENTER"] = "1"
    # Qt complains of every font that lacks a script; a picture's notes say it once.
    QLoggingCategory.setFilterRules("qt.text.font.db.info=false")
    has_fonts = bool(QFontDatabase.families())
    found: dict[str, Path] = {}
    for path in _font_files():
        number = QFontDatabase.addApplicationFont(str(path))
        for family in QFontDatabase.applicationFontFamilies(number):
            if "Bold" not in path.name and ("CJK" not in family or family in _LAST):
                found.setdefault(family, path)
    if not has_fonts:
        QGuiApplication.setFont(QFont(FIGURE_FAMILY, 10))
    first = [FIGURE_FAMILY, *sorted(found.keys() - {FIGURE_FAMILY, *_LAST})]
    return {family: found[family] for family in (*first, *_LAST) if family in found}


def font_file(family: str, *, is_bold: bool) -> Path | None:
    """The file of one of our families; nothing where it is a font of the system's."""
    path = load_fonts().get(family)
    bold = path.with_name(path.name.replace("-Regular", "-Bold")) if path else None
    return bold if is_bold and bold and bold.is_file() else path


def extra_may_help(character: str) -> bool:
    """Whether the extra ``fonts``, where it is not installed, is likely to have a character."""
    is_installed = all(_package_fonts(name) for name in _PACKAGES)
    return not is_installed and unicodedata.name(character, "").split(" ")[0] in _EXTRA_SCRIPTS


def figure_font(family: str) -> QFont:
    """A font for pictures.

    Characters that it lacks are taken from our fonts before any of the system's, so that a
    picture looks the same on every machine.

    Args:
        family: Its name.

    Raises:
        PosencError: There is no such font.
    """
    families = load_fonts()
    if not QFontDatabase.hasFamily(family):
        raise PosencError(
            f"font is “{family}”, but there is no such font on this machine; "
            f"leave it out for {FIGURE_FAMILY}.",
            "font",
        )
    font = QFont(family)
    font.setFamilies([family, *(name for name in families if name != family)])
    font.setPixelSize(FIGURE_PIXELS)
    # Hinted letters have widths of whole pixels, which differ from one resolution to the next and
    # from what the programs do that show a file.
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    # The fonts of the extra have a weight to choose; Chinese is thin unless told.
    font.setVariableAxis(QFont.Tag("wght"), _REGULAR)
    return font


def resized(font: QFont, share: float) -> QFont:
    """The same font, larger or smaller; whether its size is in pixels or in points."""
    other = QFont(font)
    if font.pixelSize() > 0:
        other.setPixelSize(max(1, round(font.pixelSize() * share)))
    else:
        other.setPointSizeF(max(1.0, font.pointSizeF() * share))
    return other


def _font_files() -> list[Path]:
    """The shipped fonts, then those of the extra for what these lack."""
    shipped = sorted((resource_folder() / "fonts").glob("*.[ot]tf"))
    known = {_script(path) for path in shipped} - {"NotoSansCJK"}
    extra = [path for name in _PACKAGES for path in _package_fonts(name)]
    return shipped + [path for path in extra if _script(path) not in known]


def _package_fonts(name: str) -> list[Path]:
    spec = importlib.util.find_spec(name)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return sorted(path for folder in folders for path in Path(folder).glob("*.tt[cf]"))


def _script(path: Path) -> str:
    """``"NotoSansThai"`` for ``NotoSansThai-Regular.ttf`` and ``NotoSansThai[wght].ttf`` alike."""
    return path.name.split("[")[0].split("-")[0]
