"""What is remembered of pictures between two starts: the last look, and looks with a name."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from posenc_model.errors import PosencError
from posenc_model.exporters import write_whole
from posenc_model.exporters.look import AUTOMATIC, LOOK_OPTIONS, Look

VERSION = 1
MOST_PRESETS, LONGEST_NAME = 100, 80

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FigureMemory:
    """The look that was used last, and the user's presets.

    Attributes:
        look: Without a title or caption of the user's own.
        presets: Looks by the names that the user gave them, likewise.
        suffix: The kind of file that was saved last.
    """

    look: Look = field(default_factory=Look)
    presets: Mapping[str, Look] = field(default_factory=dict)
    suffix: str = ".png"


def clean_name(name: str) -> str:
    """A preset's name on one line, without halves of characters, which nothing can draw."""
    whole = name.encode("utf-8", "ignore").decode()
    return " ".join(whole.split())[:LONGEST_NAME].strip()


def without_own_words(look: Look) -> Look:
    """A look for other pictures, too: what was written over one would be wrong over the next."""
    return replace(
        look,
        title=look.title if look.title in ("", AUTOMATIC) else AUTOMATIC,
        caption=look.caption if look.caption in ("", AUTOMATIC) else "",
    )


def load_figures(path: Path) -> tuple[FigureMemory, str | None]:
    """Reads the file; what is wrong in it falls back to its default.

    A file that cannot be read at all is set aside under another name.

    Returns:
        What was remembered, and a notice for the user if anything was wrong.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("version") != VERSION:
            raise ValueError("not a file of this version")
    except FileNotFoundError:
        return FigureMemory(), None
    except (OSError, ValueError, RecursionError) as error:
        log.warning("Looks of pictures in %s could not be read: %s", path, error)
        return FigureMemory(), _set_aside(path)
    wrong: list[str] = []
    look = _good_look(data.get("look", {}), wrong, "the last look")
    presets: dict[str, Look] = {}
    stored = data.get("presets", {})
    for name, values in stored.items() if isinstance(stored, dict) else ():
        if (cleaned := clean_name(name)) and len(presets) < MOST_PRESETS:
            presets[cleaned] = _good_look(values, wrong, f"“{cleaned}”")
    if not isinstance(stored, dict):
        wrong.append("presets")
    suffix = data.get("suffix", ".png")
    if not isinstance(suffix, str):
        wrong.append("kind of file")
        suffix = ".png"
    notice = None
    if wrong:
        named = ", ".join(wrong[:5]) + (" and more" if len(wrong) > 5 else "")
        notice = f"Saved looks of pictures could not be used in full; as at first are: {named}."
    return FigureMemory(look, presets, suffix), notice


def save_figures(path: Path, memory: FigureMemory) -> None:
    """Writes the file, whole or not at all; a failure is logged, for nobody can act on it."""
    content = {
        "version": VERSION,
        "look": memory.look.flat(),
        "presets": {name: look.flat() for name, look in memory.presets.items()},
        "suffix": memory.suffix,
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, ensure_ascii=False, indent=1)
        write_whole(path, text.encode("utf-8", "surrogatepass"))
    except (OSError, PosencError) as error:
        log.warning("Looks of pictures were not saved: %s", error)


def _good_look(values: Any, wrong: list[str], name: str) -> Look:
    """A look with every value that can be used."""
    if not isinstance(values, dict):
        wrong.append(name)
        return Look()
    good: dict[str, Any] = {}
    for option in LOOK_OPTIONS:
        if option.name not in values:
            continue
        try:
            Look.of({option.name: values[option.name]})
            good[option.name] = values[option.name]
        except PosencError:
            wrong.append(f"{option.label} of {name}")
    return without_own_words(Look.of(good))


def _set_aside(path: Path) -> str:
    aside = path.with_name(path.name + ".broken")
    try:
        path.replace(aside)
    except OSError:
        return f"The looks of pictures in “{path}” could not be read; they are as at first."
    return f"The looks of pictures could not be read; the file was set aside as “{aside}”."
