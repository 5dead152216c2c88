"""What a cell says in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from posenc_gui.figures import numbers
from posenc_gui.figures.from_result import unknown_tokens
from posenc_gui.figures.labels import arrow, quoted
from posenc_gui.figures.lines import MOST_LINES, LinesFigure, head_name
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.numbers import distance_words, signed
from posenc_model.matrices import MATRICES, WEIGHTS
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.explain import CellExplanation
    from posenc_model.result import RunResult

POSITION = "position"

_PROVENANCE = {
    "random": "What you see comes from the encoding and from chance, not from what words mean.",
    "trained": "They have learned to guess hidden words of English text.",
    "model": "They are the model’s own.",
    "attention": "They were computed elsewhere and are shown as the file has them.",
}


def percent(weight: float) -> str:
    """A share in words; nothing at all is “none”."""
    return numbers.percent(weight) if weight else "none"


def provenance_sentence(result: RunResult) -> str:
    """Which weights are shown, and what that means for the picture."""
    shown = (
        f"{result.weights_title}, {result.encoding_title}, {result.num_layers} × {result.num_heads}"
    )
    return f"Weights: {shown}. {_PROVENANCE[result.request.settings.source.kind]}"


_SIGNED_SENTENCES = {
    "scores": "The score of {who} for {whom} is {value}",
    "content": "What the words are gives {value} to the score of {who} for {whom}",
    "position": "Where the words stand gives {value} to the score of {who} for {whom}",
}


def cell_sentence(figure: MatrixFigure, query: int, key: int, kind: str = WEIGHTS) -> str:
    """“‘shows’ puts 23 % of its attention on ‘program’”, or what another matrix says."""
    weight = float(figure.matrix[query, key])
    who = quoted(figure.query_words, query, figure.unknown_queries)
    if not math.isfinite(weight):
        return f"{who} may not look at {quoted(figure.key_words, key)}: the cell is masked"
    whom = "itself"
    if query != key or figure.query_words is not figure.key_words:
        whom = quoted(figure.key_words, key, figure.unknown_keys)
    if kind in _SIGNED_SENTENCES:
        return _SIGNED_SENTENCES[kind].format(who=who, whom=whom, value=signed(weight))
    if kind == "change":
        points = f"{abs(100 * weight):.1f} percentage points"
        if weight < 0:
            return f"Position takes {points} from the attention of {who} on {whom}"
        return f"Position adds {points} to the attention of {who} on {whom}"
    return f"{who} puts {percent(weight)} of its attention on {whom}"


def cell_numbers(figure: MatrixFigure, query: int, key: int) -> str:
    """The pair, the exact weight and the distance."""
    weight = float(figure.matrix[query, key])
    name = "weight" if figure.scale_name == MATRICES[WEIGHTS].scale_name else figure.scale_name
    shown = "masked" if not math.isfinite(weight) else f"{name} {weight:.4f}"
    return f"query {query + 1} · key {key + 1} · {shown} · distance {distance_words(key - query)}"


def difference_sentence(figures: Sequence[tuple[str, MatrixFigure]], query: int, key: int) -> str:
    """One cell in several pictures: “‘shows’ gives ‘program’: t5 23 %, abs 9 %.”"""
    figure = figures[0][1]
    who = quoted(figure.query_words, query, figure.unknown_queries)
    whom = "itself" if query == key else quoted(figure.key_words, key, figure.unknown_keys)
    shares = ", ".join(f"{name} {percent(float(f.matrix[query, key]))}" for name, f in figures)
    return f"{who} gives {whom}: {shares}."


def why_sentence(cell: CellExplanation) -> str:
    """What position does to a cell, in plain words."""
    words = [token.text for token in cell.result.tokens]
    unknown = unknown_tokens(cell.result)
    who = quoted(words, cell.query, unknown)
    whom = "itself" if cell.query == cell.key else quoted(words, cell.key, unknown)
    if cell.is_masked:
        return f"{who} may not look at {whom}: the cell is masked, whatever its score."
    given = percent(cell.weight)
    without = cell.weight_without
    if without is None:
        return f"{who} gives {whom} {given} of its attention."
    if len(cell.parts) == 1:
        return (
            f"{who} gives {whom} {given} of its attention. There is no position here: all of it "
            "comes from what the words are."
        )
    if percent(without) == given:
        return f"Position in this layer changes nothing: {who} gives {whom} {given} either way."
    origin = f"their distance, {distance_words(cell.distance)}"
    if POSITION not in cell.parts:
        origin = f"their places, {cell.query + 1} and {cell.key + 1}"
    return (
        f"Without position in this layer, {who} would give {whom} {percent(without)} instead of "
        f"{given}. The difference comes from {origin}."
    )


def pinned_line(cell: CellExplanation) -> str:
    """A cell in one line: who, whom, where, and how much with and without position."""
    words = [token.text for token in cell.result.tokens]
    pair = arrow(quoted(words, cell.query), quoted(words, cell.key))
    line = f"{pair}: {percent(cell.weight)}"
    if cell.weight_without is not None:
        line += f", {percent(cell.weight_without)} without position"
    return f"{line} · {cell.result.encoding_title}, layer {cell.layer + 1}, head {cell.head + 1}"


def lines_sentence(figure: LinesFigure) -> str:
    """“‘shows’ looks most at ‘program’ (23 %, head 3)”, of the marked query or key."""
    of_query = figure.query is not None
    marked = figure.query if of_query else figure.key
    assert marked is not None
    who = quoted(figure.tokens, marked, figure.unknown)
    if not figure.heads:
        return "No head is ticked."
    # The strongest line with each other word.
    weights = figure.weights[:, marked] if of_query else figure.weights[:, :, marked]
    weights = np.where(np.isfinite(weights), weights, 0)
    strongest = weights.max(0)
    others = [int(i) for i in np.argsort(-strongest, kind="stable")[:3] if strongest[i] > 0]
    if not others:
        return f"{who} looks at nothing" if of_query else f"Nothing looks at {who}"
    is_mean = figure.heads == (MEAN_HEAD,)
    parts = []
    for other in others:
        name = "itself" if other == marked else quoted(figure.tokens, other, figure.unknown)
        head = "" if is_mean else f", {head_name(figure.heads[int(weights[:, other].argmax())])}"
        parts.append(f"{name} ({percent(float(strongest[other]))}{head})")
    verb, link = ("looks most at", "then at") if of_query else ("is looked at most by", "then by")
    # Of a long text there may be stronger ones among the words that are not shown.
    among = "Of the words shown, " if figure.elsewhere > 0 else ""
    sentence = f"{among}{who} {verb} {parts[0]}"
    if parts[1:]:
        sentence += f", {link} {' and '.join(parts[1:])}"
    return f"{sentence}, on the mean over heads" if is_mean else sentence


def lines_numbers(figure: LinesFigure) -> str:
    """Which column, and how many of the marked word's lines are drawn."""
    column, index = ("query", figure.query) if figure.query is not None else ("key", figure.key)
    assert index is not None
    drawn = len(figure.lines)
    numbers = f"{column} {index + 1} · {drawn:,} of {figure.count:,} lines shown"
    if figure.hidden:
        numbers += f" · {figure.hidden:,} weaker than {percent_of(figure.threshold)}"
    return numbers


def hidden_sentence(figure: LinesFigure) -> str:
    """How many lines the threshold hides, and how much attention goes along them."""
    if not figure.heads:
        return "No head is ticked: tick one above."
    hidden, count = figure.hidden, figure.count
    if not hidden:
        sentence = "Hides nothing: " + (f"all {count:,} lines are drawn" if count else "no lines")
    elif hidden == count:
        sentence = f"Hides all {count:,} lines: no weight reaches {percent_of(figure.threshold)}"
    else:
        share = percent(figure.hidden_share)
        sentence = f"Hides {hidden:,} of {count:,} lines, together {share} of all attention"
        if len(figure.lines) == MOST_LINES:
            sentence += f"; at most {MOST_LINES:,} are drawn"
    return sentence


def percent_of(threshold: float) -> str:
    """A whole percentage, 0 % too."""
    return f"{100 * threshold:.6g} %"
