"""What of a result is exported: which picture, layers, heads, words. Imports no Qt and no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.matrices import MATRIX, WEIGHTS
from posenc_model.options import Choice, Option
from posenc_model.request import MAX_TOKENS, MEAN_HEAD
from posenc_model.words import PAD_WORD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

MOST_LAYERS, MOST_HEADS = 1000, 1000


@dataclass(frozen=True)
class PictureKind:
    """One of the pictures that can be made of a result.

    Attributes:
        name: Its name everywhere.
        title: What a form shows.
        summary: One plain sentence.
        uses: Which fields of :class:`Spec` matter to it, besides ``view``.
    """

    name: str
    title: str
    summary: str
    uses: frozenset[str]


def _kind(name: str, title: str, summary: str, *uses: str) -> PictureKind:
    return PictureKind(name, title, summary, frozenset(uses))


_ALL = (
    _kind(
        "matrix",
        "Matrix",
        "The matrix of a head, or of several as small pictures side by side.",
        "layers",
        "heads",
        "arrange",
        "matrix",
        "tokens",
    ),
    _kind(
        "overview",
        "All heads",
        "Every head of the chosen layers, small, layers downwards and heads across.",
        "layers",
        "heads",
        "matrix",
        "tokens",
    ),
    _kind(
        "compare",
        "Compare",
        "The same head under several encodings, and what each changes.",
        "layers",
        "heads",
        "arrange",
        "compare",
        "tokens",
    ),
    _kind(
        "why",
        "Why this cell?",
        "The score of one cell taken apart, and the softmax of its row.",
        "layers",
        "heads",
        "arrange",
        "cell",
    ),
    _kind(
        "encoding",
        "Encoding",
        "The encoding itself: waves, vectors or numbers by distance.",
        "layers",
        "heads",
        "arrange",
        "cell",
        "reach",
    ),
    _kind(
        "profile",
        "Profile",
        "How much attention goes how far.",
        "layers",
        "heads",
        "arrange",
        "reach",
    ),
    _kind(
        "lines",
        "Lines",
        "A line from each word that looks to each that is looked at; several heads in one picture.",
        "layers",
        "heads",
        "arrange",
        "tokens",
        "threshold",
    ),
)

PICTURES: dict[str, PictureKind] = {kind.name: kind for kind in _ALL}

VIEW = Option(
    name="view",
    kind="choice",
    default="matrix",
    choices=lambda: tuple(Choice(kind.name, kind.title, kind.summary) for kind in _ALL),
    label="Picture",
    help="Which picture.",
)
ARRANGE = Option(
    name="arrange",
    kind="choice",
    default="grid",
    choices=lambda: (
        Choice("grid", "one picture", "Several heads are small pictures in one file."),
        Choice("files", "a file each", "Each head is a file of its own."),
    ),
    label="Several heads",
    help="Whether several heads are one picture or a file each.",
)
THRESHOLD = Option(
    name="threshold",
    kind="float",
    default=0.05,
    minimum=0.0,
    maximum=1.0,
    label="Hide weights below",
    help="Lines of weaker weights are not drawn.",
)
REACH = Option(
    name="reach",
    kind="int",
    default=30,
    minimum=1,
    maximum=MAX_TOKENS,
    label="Distances",
    help="How far to both sides the picture goes.",
)
TABLE = Option(
    name="table",
    kind="choice",
    default="auto",
    choices=lambda: (
        Choice("auto", "as it fits", "Wide for one head, long for several."),
        Choice("wide", "wide", "A row for each query, a column for each key."),
        Choice("long", "long", "A row for each layer, head, query and key."),
    ),
    label="Table",
    help="How a CSV file is laid out.",
)


@dataclass(frozen=True, kw_only=True)
class Spec:
    """What of a result is exported, checked when it is made. All counts from 0.

    Attributes:
        view: A name in ``PICTURES``; data files do not use it.
        layers: Which layers; ``None``: all.
        heads: Which heads, ``(MEAN_HEAD,)`` for their mean; ``None``: all.
        arrange: ``"grid"`` or ``"files"``: what becomes of several heads.
        matrix: A name in ``MATRICES``.
        tokens: Which tokens are shown, in order; ``None``: all.
        cell: The query and key that are asked about; ``None``: two neighbours in the middle.
        compare: Encodings beside the result's own.
        threshold: Lines of weaker weights are not drawn.
        reach: The largest distance that is shown.
        table: ``"auto"``, ``"wide"`` or ``"long"``.

    Raises:
        PosencError: A value is not allowed.
    """

    view: str = "matrix"
    layers: tuple[int, ...] | None = (0,)
    heads: tuple[int, ...] | None = (0,)
    arrange: str = "grid"
    matrix: str = WEIGHTS
    tokens: tuple[int, ...] | None = None
    cell: tuple[int, int] | None = None
    compare: tuple[str, ...] = ()
    threshold: float = 0.05
    reach: int = 30
    table: str = "auto"

    def __post_init__(self) -> None:
        for option in (VIEW, ARRANGE, MATRIX, THRESHOLD, REACH, TABLE):
            object.__setattr__(self, option.name, option.check(getattr(self, option.name)))
        for name in self.compare:
            if name not in ENCODINGS:
                allowed = ", ".join(ENCODINGS)
                raise PosencError(
                    f"compare has “{name}”, but takes encodings only: {allowed}.", "compare"
                )
        for name in ("layers", "heads", "tokens"):
            if getattr(self, name) == ():
                raise PosencError(f"{name} is empty; name at least one.", name)

    def flat(self) -> dict[str, Any]:
        """All values as ``--`` options take them, by name: text that counts from 1."""
        return {
            "view": self.view,
            "layers": numbers_text(self.layers),
            "heads": numbers_text(self.heads),
            "arrange": self.arrange,
            "matrix": self.matrix,
            "tokens": "" if self.tokens is None else numbers_text(self.tokens),
            "cell": "" if self.cell is None else f"{self.cell[0] + 1},{self.cell[1] + 1}",
            "compare": ",".join(self.compare),
            "threshold": self.threshold,
            "reach": self.reach,
            "table": self.table,
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Spec:
        """The opposite of :meth:`flat`; the defaults for what is not there.

        Raises:
            PosencError: A value or a name is not allowed.
        """
        names = {field.name for field in fields(cls)}
        read: dict[str, Any] = {}
        for name, value in values.items():
            if name not in names:
                raise PosencError(f"There is no “{name}” in what is exported.", name)
            if name in ("layers", "heads"):
                read[name] = parse_numbers(name, str(value))
            elif name == "tokens":
                read[name] = parse_numbers(name, str(value)) if value else None
            elif name == "cell":
                read[name] = parse_cell(str(value)) if value else None
            elif name == "compare":
                read[name] = tuple(one.strip() for one in str(value).split(",") if one.strip())
            else:
                read[name] = value
        return cls(**read)

    def chosen_layers(self, result: RunResult) -> tuple[int, ...]:
        """The layers of a result that are meant.

        Raises:
            PosencError: It has fewer.
        """
        return checked_numbers("layer", self.layers, result.num_layers)

    def chosen_heads(self, result: RunResult) -> tuple[int, ...]:
        """The heads of a result that are meant, or ``(MEAN_HEAD,)``.

        Raises:
            PosencError: It has fewer.
        """
        return checked_numbers("head", self.heads, result.num_heads)

    def chosen_tokens(self, result: RunResult) -> tuple[int, ...]:
        """The tokens of a result that are meant.

        Raises:
            PosencError: It has fewer.
        """
        return checked_numbers("token", self.tokens, len(result.tokens))

    def chosen_cell(self, result: RunResult) -> tuple[int, int]:
        """The query and key that are meant.

        Raises:
            PosencError: There are fewer tokens.
        """
        count = len(result.tokens)
        if self.cell is None:
            words = sum(token.text != PAD_WORD for token in result.tokens)
            return words // 2, max(0, words // 2 - 1)
        checked_numbers("token", self.cell, count)
        return self.cell


def checked_numbers(what: str, chosen: Sequence[int] | None, count: int) -> tuple[int, ...]:
    """The layers, heads or tokens that are meant, of so many.

    Args:
        what: ``"layer"``, ``"head"`` or ``"token"``, for the message.
        chosen: From 0; ``None``: all.
        count: How many there are.

    Raises:
        PosencError: There are fewer.
    """
    if chosen is None:
        return tuple(range(count))
    beyond = [number for number in chosen if number >= count]
    if beyond:
        also = ", or mean" if what == "head" else ""
        allowed = f"from 1 to {count:,}" if count > 1 else "1"
        raise PosencError(f"{what} is {beyond[0] + 1}, but has to be {allowed}{also}.", f"{what}s")
    return tuple(chosen)


def numbers_text(numbers: Sequence[int] | None) -> str:
    """Numbers from 0 as text that counts from 1: ``"1-3,7"``, ``"all"``, ``"mean"``."""
    if numbers is None:
        return "all"
    parts: list[str] = []
    start = 0
    while start < len(numbers):
        if numbers[start] == MEAN_HEAD:
            parts.append("mean")
            start += 1
            continue
        end = start
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        first, last = numbers[start] + 1, numbers[end] + 1
        parts.append(f"{first}" if first == last else f"{first}-{last}")
        start = end + 1
    return ",".join(parts)


def parse_numbers(name: str, text: str) -> tuple[int, ...] | None:
    """Reads ``1-3,7``, ``all`` (``None``) or, for heads, ``mean``; gives numbers from 0.

    Args:
        name: ``"layers"``, ``"heads"`` or ``"tokens"``, for the message.
        text: What was typed.

    Raises:
        PosencError: It is none of these.
    """
    most = {"layers": MOST_LAYERS, "heads": MOST_HEADS}.get(name, MAX_TOKENS)
    words = [word.strip().lower() for word in text.split(",") if word.strip()]
    if words == ["all"]:
        return None
    if name == "heads" and words == ["mean"]:
        return (MEAN_HEAD,)
    numbers: dict[int, None] = {}  # each once, in its order
    try:
        for word in words:
            first, dash, last = word.partition("-")
            low, high = int(first), int(last if dash else first)
            if not 1 <= low <= high <= most:
                raise ValueError
            numbers.update(dict.fromkeys(range(low - 1, high)))
        if not numbers:
            raise ValueError
    except ValueError:
        also = ", mean" if name == "heads" else ""
        raise PosencError(
            f"{name} is “{text}”, but has to be all{also}, or numbers from 1 to "
            f"{most:,}, such as 3 or 1-4,7.",
            name,
        ) from None
    return tuple(numbers)


def parse_cell(text: str) -> tuple[int, int]:
    """Reads ``QUERY,KEY``, two tokens counted from 1; gives them from 0.

    Raises:
        PosencError: It is something else.
    """
    try:
        query, key = (int(word) for word in text.split(","))
        if not (1 <= query <= MAX_TOKENS and 1 <= key <= MAX_TOKENS):
            raise ValueError
    except ValueError:
        raise PosencError(
            f"cell is “{text}”, but has to be two tokens counted from 1, the one that looks and "
            "the one that is looked at, such as 5,2.",
            "cell",
        ) from None
    return query - 1, key - 1
