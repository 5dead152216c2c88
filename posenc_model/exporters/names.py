"""What the files of many texts are called: a pattern with fields such as ``{number}``."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from posenc_model.errors import PosencError

# Field -> what stands in its place.
FIELDS: dict[str, str] = {
    "number": "the number of the text’s line",
    "encoding": "the positional encoding",
    "layer": "the layer",
    "head": "the head",
    "text": "the beginning of the text",
    "stem": "the name of the file of texts",
}
_MOST_CHARACTERS, _MOST_BYTES = 40, 120


def checked_pattern(path: Path) -> Path:
    """A pattern that gives each text a name; ``{number}`` is added where it has no field.

    Raises:
        PosencError: It has a field that there is not.
    """
    try:
        found = list(string.Formatter().parse(str(path)))
    except ValueError:
        raise PosencError(
            f"“{path.name}” has a brace without its other half; write {{{{ or }}}} for one that is "
            f"to stand in the name.",
            "export",
        ) from None
    fields = [(name, form, kind) for _, name, form, kind in found if name is not None]
    for name, form, kind in fields:
        if name not in FIELDS or form or kind:
            typed = name + (f"!{kind}" if kind else "") + (f":{form}" if form else "")
            allowed = ", ".join(f"{{{field}}}" for field in FIELDS)
            raise PosencError(
                f"The file name has the field {{{typed}}}, but takes these only: {allowed}.",
                "export",
            )
    return path if fields else path.with_name(f"{path.stem}-{{number}}{path.suffix}")


def filled(pattern: Path, values: Mapping[str, str]) -> Path:
    """The name that a pattern means for one text.

    Args:
        pattern: One that :func:`checked_pattern` has let through.
        values: By field.
    """
    return Path(str(pattern).format(**values))


def slug(text: str) -> str:
    """The beginning of a text as part of a file name: letters and digits, hyphens between."""
    kept = "".join(
        character if unicodedata.category(character)[0] in "LNM" else "-"
        for character in unicodedata.normalize("NFC", text[: 4 * _MOST_CHARACTERS]).casefold()
    )
    whole = re.sub("-+", "-", kept).strip("-")
    short = whole[:_MOST_CHARACTERS].encode()[:_MOST_BYTES].decode("utf-8", "ignore")
    if len(short) < len(whole) and whole[len(short)] != "-" and "-" in short:
        short = short.rpartition("-")[0]  # no half words
    return short.strip("-") or "text"
