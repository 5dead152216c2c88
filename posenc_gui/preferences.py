"""What the program remembers between two starts: a versioned JSON file read into a dataclass."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from posenc_gui.figures.colormaps import COLOR_MAPS, DEFAULT_COLOR_MAP
from posenc_gui.theme import SYSTEM, THEMES
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters import write_whole
from posenc_model.options import Option
from posenc_model.settings import SETTINGS

VERSION = 1

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Preferences:
    """The last text, all settings, and how things are shown.

    Attributes:
        text: The text in the editor; ``None`` before the first use.
        settings: Values of :data:`~posenc_model.settings.SETTINGS` by name; may lack some.
        encoding_options: For each encoding the values of its own parameters, by name.
        theme: A name in ``THEMES``.
        color_map: A name in ``COLOR_MAPS``.
        full_scale: Whether the colour scale is 0–1, not up to the largest weight.
        last_folder: Where a file was last opened or saved.
        tour_offered: Whether the guided tour has been offered, which happens once.
    """

    text: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    encoding_options: dict[str, dict[str, Any]] = field(default_factory=dict)
    theme: str = SYSTEM
    color_map: str = DEFAULT_COLOR_MAP
    full_scale: bool = True
    last_folder: str = ""
    tour_offered: bool = False


_TITLES = {
    "text": "Text",
    "theme": "Theme",
    "color_map": "Colour map",
    "full_scale": "Colour scale",
    "last_folder": "Last folder",
    "tour_offered": "Guided tour",
}

_CHECKS: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: value is None or isinstance(value, str),
    "theme": lambda value: isinstance(value, str) and value in THEMES,
    "color_map": lambda value: isinstance(value, str) and value in COLOR_MAPS,
    "full_scale": lambda value: isinstance(value, bool),
    "last_folder": lambda value: isinstance(value, str),
    "tour_offered": lambda value: isinstance(value, bool),
}


def load_preferences(path: Path) -> tuple[Preferences, str | None]:
    """Reads the file; what is wrong in it falls back to its default.

    A file that cannot be read at all is set aside under another name.

    Returns:
        The preferences, and a notice for the user if anything was wrong.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("version") != VERSION:
            raise ValueError("not a preferences file of this version")
    except FileNotFoundError:
        return Preferences(), None
    except (OSError, ValueError, RecursionError) as error:
        log.warning("Preferences in %s could not be read: %s", path, error)
        return Preferences(), _set_aside(path)
    wrong: list[str] = []
    good: dict[str, Any] = {}
    for name, is_good in _CHECKS.items():
        if name in data:
            if is_good(data[name]):
                good[name] = data[name]
            else:
                wrong.append(_TITLES[name])
    good["settings"] = _good_values(SETTINGS, data.get("settings"), wrong)
    stored = data.get("encoding_options")
    good["encoding_options"] = {
        name: _good_values(
            info.options, stored.get(name) if isinstance(stored, dict) else {}, wrong
        )
        for name, info in ENCODINGS.items()
    }
    for name, info in ENCODINGS.items():
        options = {o.name: o.default for o in info.options} | good["encoding_options"][name]
        try:
            info.check(options)
        except PosencError as error:
            labels = {option.name: option.label for option in info.options}
            wrong.append(labels.get(error.setting or "", name))
            good["encoding_options"][name] = {}
    notice = None
    if wrong:
        notice = f"These saved settings could not be used and are as at first: {', '.join(wrong)}."
    return replace(Preferences(), **good), notice


def save_preferences(path: Path, preferences: Preferences) -> None:
    """Writes the file, whole or not at all; a failure is logged, for nobody can act on it."""
    content = json.dumps({"version": VERSION, **asdict(preferences)}, ensure_ascii=False, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content.encode("utf-8", "surrogatepass"))
    except (OSError, PosencError) as error:
        log.warning("Preferences were not saved: %s", error)


def _good_values(options: tuple[Option, ...], values: Any, wrong: list[str]) -> dict[str, Any]:
    if values is None:
        return {}
    if not isinstance(values, dict):
        wrong.extend(option.label for option in options)
        return {}
    good: dict[str, Any] = {}
    for option in options:
        if option.name in values:
            try:
                good[option.name] = option.check(values[option.name])
            except PosencError:
                wrong.append(option.label)
    return good


def _set_aside(path: Path) -> str:
    aside = path.with_name(path.name + ".broken")
    try:
        path.replace(aside)
    except OSError:
        return f"The saved settings in “{path}” could not be read; the program starts afresh."
    return (
        "The saved settings could not be read, so the program starts afresh. "
        f"They were set aside as “{aside}”."
    )
