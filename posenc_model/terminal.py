"""What all commands share: how options are read and explained, and what a terminal is shown."""

from __future__ import annotations

import argparse
import io
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Mapping
from typing import Any, NoReturn, Protocol

from posenc_model.errors import PosencError
from posenc_model.options import Option


class Summed(Protocol):
    """An entry of a registry that says in a sentence what it is."""

    @property
    def summary(self) -> str: ...


class Named(Summed, Protocol):
    """An entry of a registry, as far as the command line explains it."""

    @property
    def options(self) -> tuple[Option, ...]: ...


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        # A value that begins with a negative number is no option: --color_range -1,1.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        raise PosencError(f"{message[:1].upper()}{message[1:].rstrip('.')}; see --help.")


def add_option(group: argparse._ArgumentGroup, option: Option, default: str | None = None) -> None:
    """Adds an option as it is declared.

    Args:
        group: Where ``--help`` shows it.
        option: Its name, values and prose.
        default: What is said of its default; the option's own if ``None``.
    """
    values = option.kind.upper() if option.kind in ("int", "float") else "VALUE"
    words = option.help.rstrip(".")
    if option.kind == "bool":
        values = "true|false"
    elif option.kind == "choice":
        words += ": " + ", ".join(choice.value for choice in option.choices())
        words += ", or a file" if option.open_ended else ""
    if default is None:
        default = plain_value(option.default)
    if default:
        words += f" ({default})"
    add(group, option.name, values, words.replace("%", "%%"))


def plain_value(value: object) -> str:
    """How a value is typed: ``true``, ``700``, ``0.003``."""
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def add(
    group: argparse._ArgumentGroup,
    name: str,
    metavar: str,
    words: str,
    *,
    also: tuple[str, ...] = (),
    repeatable: bool = False,
) -> None:
    """Adds ``--some_name``, which may be written ``--some-name`` as well.

    Args:
        group: Where ``--help`` shows it.
        name: Its name.
        metavar: What stands for its value.
        words: What it does.
        also: Other names for the same.
        repeatable: Whether all its values are kept, as a list.
    """
    action = group.add_argument(
        *_spellings(name, *also),
        dest=name,
        metavar=metavar,
        action="append" if repeatable else "store",
        help=words,
    )
    action.option_strings = action.option_strings[:1]  # --help shows the first only


def add_flag(group: argparse._ArgumentGroup, name: str, words: str) -> None:
    """Adds ``--some_name`` that has no value, and is ``None`` where it is not there."""
    action = group.add_argument(
        *_spellings(name), dest=name, action="store_const", const=True, help=words
    )
    action.option_strings = action.option_strings[:1]


def _spellings(*names: str) -> tuple[str, ...]:
    both = [(f"--{name}", f"--{name.replace('_', '-')}") for name in names]
    return tuple(dict.fromkeys(one for pair in both for one in pair))


def summaries(title: str, registry: Mapping[str, Summed]) -> str:
    """A registry's entries in a plain sentence each, for the end of ``--help``."""
    longest = max(5, *(len(name) for name in registry))
    lines = [f"{title}:"]
    for name, info in registry.items():
        lines += textwrap.wrap(
            f"{name:{longest}} {info.summary}",
            78,
            initial_indent="  ",
            subsequent_indent=" " * (longest + 3),
        )
    return "\n".join(lines)


def refuse_foreign(
    given: Collection[str],
    chosen: Collection[str],
    registry: Mapping[str, Named],
    kind: str,
    setting: str,
) -> None:
    """Says what an option belongs to, where it belongs to none of what was chosen.

    Args:
        given: Names of options.
        chosen: Names in ``registry``.
        registry: What has options of its own: encodings, say.
        kind: What an entry of it is called: ``"encoding"``.
        setting: The option that chooses one: ``"positional_encoding"``.

    Raises:
        PosencError: There is such an option.
    """
    for name in given:
        owners = [key for key, info in registry.items() if name in {o.name for o in info.options}]
        if owners and not set(owners) & set(chosen):
            many = "s" if len(owners) > 1 else ""
            raise PosencError(
                f"{name} belongs to the {kind}{many} {', '.join(owners)}; "
                f"add “--{setting} {owners[0]}”.",
                name,
            )


def let_any_terminal_print() -> None:
    """Has characters that the terminal's encoding lacks written as escapes, not raised."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """A text from anywhere, with whatever could steer a terminal written as escapes."""
    joiners = "\u200c\u200d"  # which emoji and some scripts are written with
    return "".join(
        c if c.isprintable() or c in joiners else c.encode("unicode_escape").decode() for c in text
    )


def print_error(text: str, end: str = "\n") -> None:
    """Prints to where it does not mix with results."""
    if sys.stderr is not None:  # it is where the program was started without one
        print(text, end=end, file=sys.stderr, flush=True)


def is_watched() -> bool:
    """Whether somebody sees a line change in place."""
    return sys.stderr is not None and sys.stderr.isatty()


def show_line(text: str) -> None:
    """Replaces what the terminal's last line shows, as far as it fits."""
    if is_watched():
        width = shutil.get_terminal_size().columns - 1  # a full line would wrap
        print_error(f"\r{text[:width]:{width}}\r{text[:width]}", end="")


def clear_line() -> None:
    """Empties the line that :func:`show_line` wrote."""
    show_line("")
