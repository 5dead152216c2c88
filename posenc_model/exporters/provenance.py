"""Where a file comes from: written into every export, and read back from it. Imports no Qt.

An export carries everything that determines it: text, settings, what is shown and how, versions,
and the command line that makes it again. :func:`read_state` finds it in a file of any kind that the
program writes, so that a window can be opened where somebody left off.

What does not matter to a file (the threshold of lines, say, to a matrix) stands in it with its
default, so that the command makes the same file: byte by byte, but for PDFs, which hold the time.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import platform
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posenc_model import __version__
from posenc_model.config import POSITIONAL_ENCODING
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters.base import Export
from posenc_model.exporters.embedded import find_provenance
from posenc_model.exporters.files import has_look, only_used, spec_uses
from posenc_model.exporters.look import LOOK_OPTIONS, Look
from posenc_model.exporters.spec import Spec
from posenc_model.options import Value
from posenc_model.request import MAX_TOKENS
from posenc_model.settings import WEIGHTS, Settings
from posenc_model.terminal import plain_value, refuse_foreign
from posenc_model.weight_sources import RANDOM, TRAINED, weight_source

if TYPE_CHECKING:
    from posenc_model.request import RunRequest

PROGRAM = "posenc"
FORMAT = 1
_PACKAGES = ("torch", "numpy", "PySide6-Essentials", "spacy", "nltk")
_OTHERS_PACKAGES = ("transformers", "tokenizers")
# What systems take as one word of a command, with room to spare.
_LONGEST_COMMAND = 100_000
# Longer than any value of an option in our own files.
_LONGEST_VALUE = 20_000


def provenance(export: Export) -> dict[str, Any]:
    """All that is needed to make a file again, and to check it, in the words of JSON."""
    request = export.result.request
    path = Path(export.file_name)
    made: dict[str, Any] = {
        # Found by its first field in any file, and its format told.
        "posenc_export": FORMAT,
        "version": __version__,
        "versions": dict(_versions(request.settings.source.kind == "model")),
        "text": _text(request),
        "tokens": [token.text for token in export.result.tokens],
        "settings": _effective(request.settings),
        "masked": [index + 1 for index in request.masked],
        "export": only_used(path, export.spec).flat(),
    }
    if has_look(path):
        made["look"] = export.look.flat()
    made["command"] = command_line(export)
    return made


def provenance_json(export: Export) -> str:
    """The same as one line of ASCII without ``&``, ``<`` and ``>``: every kind of file can carry it
    as it stands."""
    text = json.dumps(provenance(export), ensure_ascii=True, separators=(", ", ": "))
    for character in "&<>":  # which JSON has in strings only
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@functools.lru_cache(maxsize=2)
def _versions(of_others: bool) -> tuple[tuple[str, str], ...]:
    """Python's and those of the packages that compute, with those that open others' models."""
    found = [("python", platform.python_version())]
    for package in (*_PACKAGES, *(_OTHERS_PACKAGES if of_others else ())):
        try:
            found.append((package, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            continue
    return tuple(found)


def _text(request: RunRequest) -> str:
    # The words are in the file of the weights then.
    return "" if request.settings.source.kind == "attention" else request.text


def _effective(settings: Settings) -> dict[str, Value]:
    """The settings that matter with these weights."""
    source = settings.source
    return {
        name: value
        for name, value in settings.flat().items()
        if name == WEIGHTS.name or source.matters(name)
    }


# --- the command line ---------------------------------------------------------------------------


def command_line(export: Export) -> str:
    """The exact command that makes a file again, for a POSIX shell.

    A text that is too long for one is taken from the file itself.
    """
    request = export.result.request
    path = Path(export.file_name)
    words = [PROGRAM]
    if text := _text(request):
        words += _words("text", text)
    words += [*_setting_words(request), *_spec_words(path, export.spec)]
    if has_look(path):
        words += _look_words(export.look)
    words += _words("export", export.file_name)
    command = shlex.join(words)
    if len(command.encode("utf-8", "replace")) <= _LONGEST_COMMAND:
        return command
    again = [*_words("from", export.file_name), *_words("export", export.file_name), "--force"]
    return shlex.join([PROGRAM, *again])


def _words(name: str, value: Value) -> list[str]:
    """An option and its value; as one word where the value would look like an option."""
    text = plain_value(value)
    return [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]


def _setting_words(request: RunRequest) -> list[str]:
    settings = request.settings
    encoding = POSITIONAL_ENCODING.name
    words: list[str] = []
    defaults = Settings.of({encoding: settings.positional_encoding}).flat()
    for name, value in _effective(settings).items():
        if name not in settings.source.fixed and (name == encoding or value != defaults[name]):
            words += _words(name, value)
    if request.masked:
        words += _words("mask", ",".join(str(index + 1) for index in request.masked))
    return words


def _spec_words(path: Path, spec: Spec) -> list[str]:
    # Always: what is taken where none is named depends on the kind of file.
    always = ("layers", "heads")
    used, flat, defaults = spec_uses(path, spec.view), spec.flat(), Spec().flat()
    words: list[str] = []
    for name, value in flat.items():
        if name in always or (name in used and value != defaults[name]):
            words += _words(name, value)
    return words


def _look_words(look: Look) -> list[str]:
    words = _words("size", look.size)
    defaults = Look().flat()
    for option in LOOK_OPTIONS:
        value = getattr(look, option.name)
        if option.name not in ("width_mm", "height_mm") and value != defaults[option.name]:
            words += _words(option.name, value)
    return words


# --- reading it back ----------------------------------------------------------------------------


@dataclass(frozen=True)
class SavedState:
    """What a file says of how it was made.

    Attributes:
        text: The source text.
        settings: All settings.
        masked: Hidden tokens, from 0.
        spec: What was exported.
        look: How it looked; the default where it was no picture.
    """

    text: str
    settings: Settings
    masked: tuple[int, ...] = ()
    spec: Spec = field(default_factory=Spec)
    look: Look = field(default_factory=Look)


def read_state(path: Path, changed: Mapping[str, Any] | None = None) -> SavedState:
    """Reads how a file was made, whatever kind of file of this program it is.

    Args:
        path: The file.
        changed: Settings that are to have other values than the file says.

    Raises:
        PosencError: It cannot be read, was made by another program, or says what is not allowed.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or device may never end
            raise PosencError(f"“{path}” is not an ordinary file.", "from")
        with path.open("rb") as file:
            found = find_provenance(file)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PosencError(f"“{path}” could not be read: {reason}.", "from") from error
    if found is None:
        raise PosencError(
            f"“{path.name}” does not say how it was made: it is no picture or data file that this "
            "program saved, or another program has saved it again.",
            "from",
        )
    return _state(path, found, changed or {})


def _state(path: Path, found: dict[str, Any], changed: Mapping[str, Any]) -> SavedState:
    if found["posenc_export"] != FORMAT:
        raise PosencError(
            f"“{path.name}” was saved by another version of the program "
            f"({str(found.get('version'))[:20]}; this is {__version__}), in a way that this one "
            "does not know.",
            "from",
        )
    try:
        return SavedState(
            text=_sound(_of(found["text"], str)),
            settings=_settings(_beside(_of(found["settings"], dict), path), changed),
            masked=tuple(_index(number) for number in _of(found.get("masked", []), list)),
            spec=Spec.of(_short(found.get("export", {}))),
            look=Look.of(_short(found.get("look", {}))),
        )
    except (KeyError, TypeError) as error:
        raise PosencError(
            f"What “{path.name}” says of how it was made is incomplete or damaged.", "from"
        ) from error


def _of(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError
    return value


def _index(number: Any) -> int:
    if not 1 <= _of(number, int) <= MAX_TOKENS:
        raise TypeError
    return int(number) - 1


def _sound(text: str) -> str:
    """A text without halves of characters, which JSON can hold and no file can."""
    return text.encode("utf-8", "replace").decode()


def _short(values: Any) -> dict[str, Any]:
    """Values of options, none of which is long in our own files."""
    for name, value in _of(values, dict).items():
        if len(str(value)) > _LONGEST_VALUE:
            raise PosencError(
                f"{name[:40]} has {len(str(value)):,} characters; that is too long.", "from"
            )
    return {k: _sound(v) if isinstance(v, str) else v for k, v in values.items()}


def _beside(flat: dict[str, Any], path: Path) -> dict[str, Any]:
    """The same settings; weights that are no longer where they were may lie beside the file."""
    weights = str(flat.get(WEIGHTS.name))
    moved = path.parent / Path(weights).name
    if weights in (RANDOM, TRAINED) or Path(weights).exists() or not moved.exists():
        return flat
    return {**flat, WEIGHTS.name: str(moved)}


def _settings(flat: dict[str, Any], changed: Mapping[str, Any]) -> Settings:
    """Settings as they were written, apart from those that are changed.

    Where other weights or another encoding are asked for, what these determine or leave without
    effect is not taken from the file.
    """
    merged = {**flat, **changed}
    encoding = str(POSITIONAL_ENCODING.check(merged.get(POSITIONAL_ENCODING.name, "t5")))
    weights = str(WEIGHTS.check(merged[WEIGHTS.name]))
    source = weight_source(weights, encoding)
    refuse_foreign(changed, [encoding], ENCODINGS, "encoding", POSITIONAL_ENCODING.name)
    foreign = {option.name for info in ENCODINGS.values() for option in info.options}
    foreign -= {option.name for option in ENCODINGS[encoding].options}
    others = {WEIGHTS.name, POSITIONAL_ENCODING.name} & set(changed)
    kept = {
        name: value
        for name, value in flat.items()
        if name == WEIGHTS.name
        or (name not in foreign and source.matters(name) and not (others and name in source.fixed))
    }
    return Settings.of({**kept, **changed})
