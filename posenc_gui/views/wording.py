"""What a cell says in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from posenc_gui.figures.labels import visible
from posenc_gui.figures.matrix import MatrixFigure

_LONGEST_WORD = 60


def percent(weight: float) -> str:
    """A share in words: whole percents from ten on, else one decimal."""
    share = 100 * weight
    if share == 0:
        return "none"
    if share < 0.05:
        return "less than 0.1 %"
    return f"{share:.0f} %" if share >= 9.95 else f"{share:.1f} %"


def quoted(words: Sequence[str], index: int, unknown: frozenset[int] = frozenset()) -> str:
    """A word in quotes; where it occurs several times, with its place."""
    word = words[index]
    shown = visible(word)
    shown = shown if len(shown) <= _LONGEST_WORD else shown[: _LONGEST_WORD - 1] + "…"
    text = f"‘{shown}’" + (" (unknown)" if index in unknown else "")
    return f"{text} (token {index + 1})" if words.count(word) > 1 else text


def cell_sentence(figure: MatrixFigure, query: int, key: int) -> str:
    """“‘shows’ puts 23 % of its attention on ‘program’”."""
    weight = float(figure.matrix[query, key])
    who = quoted(figure.query_words, query, figure.unknown_queries)
    if not math.isfinite(weight):
        return f"{who} may not look at {quoted(figure.key_words, key)}: the cell is masked"
    whom = "itself"
    if query != key or figure.query_words is not figure.key_words:
        whom = quoted(figure.key_words, key, figure.unknown_keys)
    return f"{who} puts {percent(weight)} of its attention on {whom}"


def cell_numbers(figure: MatrixFigure, query: int, key: int) -> str:
    """The pair, the exact weight and the distance."""
    distance = key - query
    weight = float(figure.matrix[query, key])
    shown = "masked" if not math.isfinite(weight) else f"weight {weight:.4f}"
    sign = "+" if distance > 0 else "−" if distance < 0 else ""
    return f"query {query + 1} · key {key + 1} · {shown} · distance {sign}{abs(distance)}"
