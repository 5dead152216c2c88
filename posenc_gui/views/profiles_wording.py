"""The measures of a head in plain words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.analysis import HeadProfile
    from posenc_model.result import RunResult

MISSING = "–"
_NOT_KNOWN = "It is not known here how much depends on position."
# Only then are the scores split but of no use: the softmax was over other tokens, too.
_LEFT_OUT = (
    "How much depends on position is not known while special tokens are left out: the softmax was "
    "over them, too."
)


def share_text(share: float) -> str:
    """A share in short: whole percents from ten on, else one decimal."""
    percents = 100 * share
    if 0 < percents < 0.05:
        return "<\N{NO-BREAK SPACE}0.1\N{NO-BREAK SPACE}%"
    shown = f"{percents:.0f}" if abs(percents) >= 9.95 else f"{percents:.1f}"
    return f"{shown}\N{NO-BREAK SPACE}%".replace("-", "−")


def words_at_once(bits: float) -> str:
    """How many equally strong weights have this entropy: 2 to its power."""
    count = 2.0**bits
    return f"{count:.1f}" if count < 99.95 else f"{count:,.0f}"


def _distance(words: float) -> str:
    return f"{words:.1f}" if words < 99.95 else f"{words:,.0f}"


@dataclass(frozen=True)
class MeasureWords:
    """How a measure is written.

    Attributes:
        name: Its name in ``MEASURES``.
        header: Its column, in two lines.
        order: The order in which the strongest head comes first.
        tip: What it is, with its formula and source.
        text: Writes a value.
    """

    name: str
    header: str
    order: str
    tip: str
    text: Callable[[float], str]

    def shown(self, value: float) -> str:
        """A value, or a dash where there is none."""
        return self.text(value) if math.isfinite(value) else MISSING


_ALL = (
    MeasureWords(
        "entropy",
        "Words\nat once",
        "looks at most words",
        "At about how many words it looks at once: 1 where each word looks at a single one, all "
        "of them where it looks at all alike.\n"
        "2 to the power of the mean entropy of the rows, −Σ w · log₂ w (Shannon 1948).",
        words_at_once,
    ),
    MeasureWords(
        "mean_distance",
        "Mean\ndistance",
        "looks farthest",
        "How many words away it looks on average.\n"
        "Σ w · |key − query|, the mean over the words (Vig and Belinkov 2019, arXiv:1906.04284, "
        "section 4.2).",
        _distance,
    ),
    MeasureWords(
        "diagonal_share",
        "On word\nitself",
        "on itself",
        "How much of its attention a word gives to itself on average.\n"
        "The mean of the weights on the matrix’s diagonal.",
        share_text,
    ),
    MeasureWords(
        "previous",
        "On word\nbefore",
        "on the word before",
        "How much of its attention a word gives to the word before it on average.\n"
        "The mean of the weights one left of the diagonal; the first word has none before it.",
        share_text,
    ),
    MeasureWords(
        "next",
        "On word\nafter",
        "on the word after",
        "How much of its attention a word gives to the word after it on average.\n"
        "The mean of the weights one right of the diagonal; the last word has none after it.",
        share_text,
    ),
    MeasureWords(
        "position_dependence",
        "Depends\non position",
        "depends on position",
        "How much of its attention would be on other words without position in this layer.\n"
        "½ Σ |w − w without position|, the mean over the words (total variation distance).",
        share_text,
    ),
)

MEASURE_WORDS: dict[str, MeasureWords] = {words.name: words for words in _ALL}


def missing_reason(result: RunResult, layer: int) -> str:
    """Why it is not known how much of a layer depends on position, as a sentence."""
    reason = result.split_reason(layer)
    if reason is not None:
        return reason
    return _LEFT_OUT if result.request.settings.special_tokens != "show" else _NOT_KNOWN


def head_name(layer: int, head: int) -> str:
    """Which head, counted from 1."""
    which = "mean over heads" if head == MEAN_HEAD else f"head {head + 1}"
    return f"Layer {layer + 1}, {which}"


def head_sentences(profile: HeadProfile) -> str:
    """A head's numbers, a line each."""
    values = profile.values
    lines = []
    if math.isfinite(values["entropy"]):
        count = words_at_once(values["entropy"])
        words = "word" if count == "1.0" else "words"
        away = _distance(values["mean_distance"])
        lines.append(
            f"Looks at about {count} {words} at once, {away} "
            f"{'word' if away == '1.0' else 'words'} away on average."
        )
    lines.append(_on_itself(values))
    moved = values["position_dependence"]
    if not math.isfinite(moved):
        lines.append(missing_reason(profile.result, profile.layer))
    elif moved < 5e-5:
        lines.append("Position in this layer changes nothing.")
    else:
        lines.append(f"Position in this layer moves {share_text(moved)} of its attention.")
    return "\n".join(lines)


def _on_itself(values: Mapping[str, float]) -> str:
    line = f"{share_text(values['diagonal_share'])} on the word itself"
    if not math.isfinite(values["previous"]):
        return f"{line}."
    before, after = share_text(values["previous"]), share_text(values["next"])
    return f"{line}, {before} on the one before, {after} on the one after."


def distance_sentence(profile: HeadProfile, distance: int) -> str:
    """“3 words to the left: 12 % on average over 17 pairs.”"""
    index = distance + len(profile.means) // 2
    count = int(profile.pairs[index])
    words = "1 word" if abs(distance) == 1 else f"{abs(distance):,} words"
    where = f"{words} to the {'left' if distance < 0 else 'right'}" if distance else "On itself"
    share = share_text(float(profile.means[index]))
    line = f"{where}: {share} on average over {count:,} {'pairs' if distance else 'words'}"
    if count == 1:
        line = f"{where}: {share}, a single {'pair' if distance else 'word'}"
    if profile.means_without is None:
        return f"{line}."
    return f"{line}; without position {share_text(float(profile.means_without[index]))}."
