"""The command line, read: settings by their names, a text or many, and files to write.

Imports no torch: a mistake is told at once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posenc_model.cli_help import (
    CHOICES,
    LOOKS,
    SPEC_NAMES,
    make_parser,
    settings_options,
)
from posenc_model.config import nearest_divisor
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters import DATA_EXPORTERS
from posenc_model.exporters.files import (
    DRAWN_FILES,
    PAGE,
    Wish,
    has_look,
    is_picture,
    spec_uses,
)
from posenc_model.exporters.look import Look, parse_size
from posenc_model.exporters.names import checked_pattern
from posenc_model.exporters.provenance import SavedState, read_state
from posenc_model.exporters.spec import PICTURES, Spec, checked_numbers
from posenc_model.options import Option
from posenc_model.request import MAX_TOKENS, MEAN_HEAD
from posenc_model.settings import Settings
from posenc_model.terminal import let_any_terminal_print, refuse_foreign
from posenc_model.text_lists import has_columns
from posenc_model.textfiles import decode_text, read_text_file

_JOBS = Option("jobs", "int", 1, "Jobs", "", minimum=1, maximum=256)
_ALL_HEADS = {"layers": "all", "heads": "all"}
_TAKE_ALL = (PAGE, *(suffix for suffix, one in DATA_EXPORTERS.items() if one.takes_all))


@dataclass(frozen=True)
class ManyTexts:
    """A file of texts that are all exported in the same way.

    Attributes:
        path: The file.
        column: Which column or key has the texts; ``None``: the usual one.
        jobs: How many texts are worked on at a time.
    """

    path: Path
    column: str | None = None
    jobs: int = 1


@dataclass(frozen=True)
class Arguments:
    """What the command line asks for.

    Attributes:
        text: The text; ``None`` where the window is wanted, or where there are many.
        given: The settings that were named, by name; the others are left to their defaults.
        settings: All settings.
        masked: Tokens, from 0, to be hidden and guessed.
        wishes: Files to write; with many texts, their names are patterns.
        look: How pictures look.
        force: Whether existing files are replaced.
        many: Many texts.
        state: What a file says that the window is to open with, or that is exported again.
    """

    text: str | None
    given: Mapping[str, object]
    settings: Settings
    masked: tuple[int, ...] = ()
    wishes: tuple[Wish, ...] = ()
    look: Look = field(default_factory=Look)
    force: bool = False
    many: ManyTexts | None = None
    state: SavedState | None = None

    @property
    def draws(self) -> bool:
        """Whether a file needs more than the exporters of data."""
        return any(has_look(wish.path) for wish in self.wishes)


def parse(argv: Sequence[str]) -> Arguments:
    """Reads the command line.

    Raises:
        PosencError: Something on it is not allowed, or would have no effect.
        SystemExit: ``--help`` or ``--version`` was asked for.
    """
    let_any_terminal_print()
    named = {
        name: value
        for name, value in vars(make_parser().parse_args(argv)).items()
        if value is not None
    }
    given = _parsed(named, settings_options())
    state = read_state(Path(named["from"]), given) if "from" in named else None
    if state is None:
        chosen = str(given.get("positional_encoding", Settings().positional_encoding))
        refuse_foreign(given, [chosen], ENCODINGS, "encoding", "positional_encoding")
    settings = Settings.of(given) if state is None else state.settings
    text = _text(named)
    many = _many(named, settings)
    wishes = _wishes(named, state, many is not None)
    look = _look(named, state)
    for wish in wishes:
        _check_sizes(wish.spec, settings)
    _refuse_idle(named, wishes)
    if text is None and many is None:
        if settings.source.kind == "attention" and wishes:
            text = ""  # the words are in the file
        elif state is not None and wishes:
            text = state.text
        elif wishes:
            raise PosencError("--export needs a text: give --text, --text_file or --input.")
        elif "mask" in named:
            raise PosencError("--mask needs a text: give --text or --text_file.")
    masked = () if state is None else state.masked
    return Arguments(
        text=text,
        given=given,
        settings=settings,
        masked=_masked(named["mask"]) if "mask" in named else masked,
        wishes=wishes,
        look=look,
        force="force" in named,
        many=many,
        state=state,
    )


def _parsed(named: Mapping[str, Any], options: Sequence[Option]) -> dict[str, Any]:
    return {o.name: o.parse(named[o.name]) for o in options if o.name in named}


def _text(named: Mapping[str, Any]) -> str | None:
    ways = [f"--{name}" for name in ("text", "text_file", "input") if name in named]
    if len(ways) > 1:
        raise PosencError(f"Give either {ways[0]} or {ways[1]}, not both.")
    if "text_file" in named:
        return read_text_file(Path(named["text_file"]))
    text: str | None = named.get("text")
    if text is not None and any("\ud800" <= character <= "\udfff" for character in text):
        # Bytes in another encoding than the terminal's.
        return decode_text(os.fsencode(text), "--text")
    return text


def _many(named: Mapping[str, Any], settings: Settings) -> ManyTexts | None:
    if "input" not in named:
        for name in ("column", "jobs"):
            if name in named:
                raise PosencError(f"--{name} is for many texts: add --input FILE.", name)
        return None
    path = Path(named["input"])
    if "export" not in named:
        raise PosencError("--input needs files to write: add --export FILE.", "input")
    if "column" in named and not has_columns(path):
        raise PosencError(
            f"--column has no effect with “{path.name}”, which has a text a line; it is for tables "
            "(.csv, .tsv) and JSON lines (.jsonl, .ndjson).",
            "column",
        )
    if settings.source.kind == "attention":
        raise PosencError(
            f"--input has no effect with {settings.source.title}, whose words are in it.", "input"
        )
    return ManyTexts(path, named.get("column"), int(_JOBS.parse(named.get("jobs", "1"))))


def _masked(text: str) -> tuple[int, ...]:
    option = Option("mask", "int", 1, "Mask", "", minimum=1, maximum=MAX_TOKENS)
    numbers = [number for number in text.split(",") if number.strip()]
    return tuple(sorted({int(option.parse(number)) - 1 for number in numbers}))


# --- files --------------------------------------------------------------------------------------


def _wishes(named: Mapping[str, Any], state: SavedState | None, many: bool) -> tuple[Wish, ...]:
    values = {**named, **_parsed(named, CHOICES)}
    values = {name: value for name, value in values.items() if name in SPEC_NAMES}
    if "all_heads" in named:
        if "heads" in named:
            raise PosencError("Give either --heads or --all_heads, not both.", "heads")
        values = {**_ALL_HEADS, **values}
    if "compare" in named:
        values = {"view": "compare", **values}
    Spec.of(values)  # what is wrong with it is said even where nothing is exported
    paths = _paths(named)
    return tuple(
        Wish(checked_pattern(path) if many else path, _spec(path, values, state)) for path in paths
    )


def _spec(path: Path, values: Mapping[str, Any], state: SavedState | None) -> Spec:
    """The values for one file: those that are given, else the saved ones, else its defaults."""
    saved = {} if state is None else state.spec.flat()
    view = values.get("view", saved.get("view"))
    is_overview = is_picture(path) and view == "overview" != saved.get("view")
    if is_overview or (state is None and path.suffix.lower() in _TAKE_ALL):
        saved |= _ALL_HEADS
    return Spec.of({**saved, **values})


def _paths(named: Mapping[str, Any]) -> list[Path]:
    endings = sorted({*DRAWN_FILES, *DATA_EXPORTERS})
    formats = _formats(named.get("format", ""), endings)
    paths: list[Path] = []
    is_used = False
    for typed in named.get("export", []):
        path = Path(typed)
        if not path.name or typed.endswith(("/", os.sep)):
            raise PosencError(f"“{typed}” is a folder; give a file name.", "export")
        if path.suffix.lower() in endings:
            paths.append(path)
        elif formats:
            paths += [path.with_name(path.name + ending) for ending in formats]
            is_used = True
        else:
            raise PosencError(
                f"The file name “{path.name}” has to end in one of {', '.join(endings)}.", "export"
            )
    if formats and not is_used:
        raise PosencError(
            "--format gives endings to file names without one: add --export NAME.", "format"
        )
    return paths


def _formats(text: str, endings: Sequence[str]) -> list[str]:
    words = [word.strip().lower().lstrip(".") for word in text.split(",") if word.strip()]
    for word in words:
        if f".{word}" not in endings:
            allowed = ", ".join(ending[1:] for ending in endings)
            raise PosencError(f"format is “{word}”, but has to be one of {allowed}.", "format")
    return [f".{word}" for word in dict.fromkeys(words)]


def _look(named: Mapping[str, Any], state: SavedState | None) -> Look:
    saved = {} if state is None else state.look.flat()
    size = parse_size(named["size"]) if "size" in named else {}
    return Look.of({**saved, **size, **_parsed(named, LOOKS)})


def _check_sizes(spec: Spec, settings: Settings) -> None:
    """Refuses layers and heads that there are not, as far as that is known before the run."""
    if settings.source.kind not in ("random", "trained"):
        return
    checked_numbers("layer", spec.layers, settings.num_layers)
    if settings.embedding == "random" or settings.source.kind == "trained":
        heads = nearest_divisor(settings.width, settings.num_heads)
        if spec.heads != (MEAN_HEAD,):
            checked_numbers("head", spec.heads, heads)


def _refuse_idle(named: Mapping[str, Any], wishes: Sequence[Wish]) -> None:
    """Says what an option belongs to, where nothing that is asked for heeds it.

    Raises:
        PosencError: There is such an option.
    """
    looks = ("size", *(option.name for option in LOOKS))
    about_files = ("format", "force", "all_heads", *SPEC_NAMES, *looks)
    for name in about_files:
        if name not in named:
            continue
        if not wishes:
            raise PosencError(f"--{name} is about what --export writes: add --export FILE.", name)
        if name in SPEC_NAMES and not any(
            name in spec_uses(wish.path, wish.spec.view) for wish in wishes
        ):
            raise PosencError(_belongs(name, wishes), name)
        if name in looks and not any(has_look(wish.path) for wish in wishes):
            raise PosencError(_for_pictures(name), name)


def _belongs(name: str, wishes: Sequence[Wish]) -> str:
    if name == "table":
        return "--table is about tables: add --export FILE.csv."
    if not any(is_picture(wish.path) for wish in wishes):
        return _for_pictures(name)
    owners = [kind.name for kind in PICTURES.values() if name in kind.uses]
    many = "s" if len(owners) > 1 else ""
    return f"{name} belongs to the picture{many} {', '.join(owners)}; add “--view {owners[0]}”."


def _for_pictures(name: str) -> str:
    return f"--{name} is about pictures: add --export FILE.svg, or another ending of a picture."
