"""Options declared once, as data: forms, the command line and validation are built from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from posenc_model.errors import PosencError

Value = bool | int | float | str
Kind = Literal["int", "float", "bool", "choice", "text"]

# How file dialogs write a kind of file.
TEXT_FILES = "Text files (*.txt *.md *.csv *.text)"

TRUE_WORDS = ("true", "yes", "on", "1")
FALSE_WORDS = ("false", "no", "off", "0")


@dataclass(frozen=True)
class Choice:
    """One allowed value of a ``choice`` option.

    Attributes:
        value: What is stored and typed on the command line.
        title: What a form shows.
        summary: One plain sentence on what it does.
        missing: Why it cannot be used on this machine and what to install; ``None`` if it can.
    """

    value: str
    title: str
    summary: str = ""
    missing: str | None = None


def _no_choices() -> tuple[Choice, ...]:
    return ()


@dataclass(frozen=True)
class Option:
    """A named value with its type, default, limits and prose.

    Attributes:
        name: Name in Python, in files and on the command line.
        kind: ``int``, ``float``, ``bool``, ``choice`` or ``text``.
        default: The value when nobody says otherwise.
        label: What a form shows beside the field.
        help: One plain sentence.
        minimum: Smallest allowed number, inclusive.
        maximum: Largest allowed number, inclusive.
        choices: Gives the allowed values of a ``choice`` option. A function, because what is
            installed can change while the program runs.
        open_ended: A ``choice`` option that also takes other text (a file path, say).
        file_kinds: Which files an open-ended option takes, for a file dialog.
        needs: Another option and the value it has to have for this one to matter.
    """

    name: str
    kind: Kind
    default: Value
    label: str
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: Callable[[], tuple[Choice, ...]] = _no_choices
    open_ended: bool = False
    file_kinds: str = TEXT_FILES
    needs: tuple[str, Value] | None = None

    def check(self, value: Any) -> Value:
        """Returns ``value`` in the option's own type.

        Raises:
            PosencError: The value has another type or lies outside the limits.
        """
        if self.kind == "bool":
            if isinstance(value, bool):
                return value
            raise self._error(value, "true or false")
        if self.kind == "int":
            if isinstance(value, int) and not isinstance(value, bool) and self._in_limits(value):
                return value
            raise self._error(value, f"a whole number {self._limits()}")
        if self.kind == "float":
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            # The limits first: a whole number may be too large to become a float.
            if is_number and self._in_limits(value) and math.isfinite(value):
                return float(value)
            raise self._error(value, f"a number {self._limits()}")
        if not isinstance(value, str):
            raise self._error(value, "text")
        if self.kind == "choice" and not self.open_ended:
            allowed = [choice.value for choice in self.choices()]
            if value not in allowed:
                raise self._error(value, f"one of {', '.join(allowed)}")
        if self.open_ended and (not value.strip() or "\0" in value):
            allowed = [choice.value for choice in self.choices()]
            raise self._error(value, f"one of {', '.join(allowed)}, or a file")
        return value

    def parse(self, text: str) -> Value:
        """Reads the option from text, as on the command line.

        Raises:
            PosencError: The text is not a value of this option.
        """
        if self.kind == "bool":
            word = text.strip().lower()
            if word in TRUE_WORDS or word in FALSE_WORDS:
                return word in TRUE_WORDS
            raise self._error(text, "true or false (also yes/no, on/off, 1/0)")
        if self.kind in ("int", "float"):
            try:
                return self.check(int(text) if self.kind == "int" else float(text))
            except ValueError:
                wanted = "a whole number" if self.kind == "int" else "a number"
                raise self._error(text, f"{wanted} {self._limits()}") from None
        return self.check(text)

    def _in_limits(self, value: float) -> bool:
        return (self.minimum is None or value >= self.minimum) and (
            self.maximum is None or value <= self.maximum
        )

    def _limits(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f"from {_plain(self.minimum)} to {_plain(self.maximum)}"
        if self.minimum is not None:
            return f"of at least {_plain(self.minimum)}"
        return "of any size"

    def _error(self, value: Any, allowed: str) -> PosencError:
        if isinstance(value, str):
            shown = f"“{value if len(value) <= 60 else value[:59] + '…'}”"
        elif isinstance(value, int) and abs(value) >= 10**60:
            shown = "a number of more than 60 digits"  # Python refuses to write out the longest
        else:
            shown = str(value)
        return PosencError(f"{self.name} is {shown}, but has to be {allowed}.", self.name)


def _plain(number: float) -> str:
    """A limit written out: 2,147,483,647 rather than 2.14748e+09."""
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def check_all(options: tuple[Option, ...], values: Mapping[str, Any]) -> dict[str, Value]:
    """Returns a checked value for each of ``options``, the default where none is given.

    Raises:
        PosencError: A value is wrong, or a name is not among the options.
    """
    known = {option.name for option in options}
    for name in values:
        if name not in known:
            allowed = ", ".join(sorted(known)) or "none"
            raise PosencError(f"There is no option “{name}” here; allowed: {allowed}.", name)
    return {o.name: o.check(values.get(o.name, o.default)) for o in options}
