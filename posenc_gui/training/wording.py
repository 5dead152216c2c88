"""What the Train window says, in plain words computed from numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from posenc_model.encodings import ENCODINGS
from posenc_model.training.lengths import percent

# From this accuracy on, a task counts as learned and an answer at a longer length as held.
GOOD = 0.9
EXPLAINED = (
    "Each line shows how often an encoder is right on sentences of a given length. The shaded part "
    "is what it was trained on; the dashed line is guessing."
)


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])


def time_left(seconds: float | None) -> str:
    """How long it still takes, in words; empty where nobody knows."""
    if seconds is None:
        return ""
    if seconds < 8:
        return "a few seconds left"
    if seconds < 90:
        return f"about {5 * round(seconds / 5)} seconds left"
    if seconds < 90 * 60:
        return f"about {round(seconds / 60)} minutes left"
    if seconds < 36 * 3600:
        return f"about {round(seconds / 3600)} hours left"
    return f"about {round(seconds / 86400)} days left"


def measured(
    accuracies: Mapping[str, Mapping[int, float]],
    longest: int,
    chance: float,
    reasons: Mapping[str, str] | None = None,
) -> list[str]:
    """What a length test gave, a sentence for each encoding.

    Args:
        accuracies: For each encoding the accuracy at each length.
        longest: The longest sentence it was trained on.
        chance: The accuracy of guessing.
        reasons: Why an encoding finds the task hard, where that is known.
    """
    said = []
    for name, found in accuracies.items():
        sentence = _measured(name, dict(found), longest, chance)
        reason = (reasons or {}).get(name, "")
        is_bad = bool(found) and found[_base(found, longest)] < GOOD
        said.append(f"{sentence} {reason}" if reason and is_bad else sentence)
    return said


def _measured(name: str, found: dict[int, float], longest: int, chance: float) -> str:
    lengths = sorted(found)
    if not lengths:
        return f"{name} was not tested."
    base = _base(found, longest)
    if found[base] < GOOD:
        summary = ENCODINGS[name].summary.rstrip(".")
        return (
            f"{name} ({summary[0].lower()}{summary[1:]}) has not learned the task: "
            f"{percent(found[base])} at {base} words, where guessing gives {percent(chance)}."
        )
    longer = [length for length in lengths if length > base]
    if not longer:
        return f"{name} answers {percent(found[base])} at {base} words."
    held = _held(found, base)
    lost = [length for length in longer if length > held]
    start = f"{name} answers {percent(found[held])} at {held} words"
    if held > longest:
        start += f", {_times(held / longest)} the longest sentence it saw"
    if not lost:
        return f"{start}."
    falls = f"{percent(found[lost[0]])} at {lost[0]}"
    if len(lost) > 1:
        falls += f" and {percent(found[lost[-1]])} at {lost[-1]}"
    return f"{start}, but {falls}."


def verdict(accuracies: Mapping[str, Mapping[int, float]], longest: int) -> str:
    """Which encodings hold on at the longest tested length, and which do not, in one sentence."""
    holding: list[str] = []
    losing: list[str] = []
    missing: list[str] = []
    far = max(length for found in accuracies.values() for length in found)
    for name, found in accuracies.items():
        base = _base(found, longest)
        if found[base] < GOOD:
            missing.append(name)
        else:
            (holding if _held(found, base) == far else losing).append(name)
    said = []
    if holding:
        said.append(f"{listed(holding)} can still do it at {far} words")
    if losing:
        said.append(f"{listed(losing)} learned it, but cannot do it at {far} words")
    if missing:
        said.append(f"{listed(missing)} did not learn it")
    return f"{'; '.join(said)}."


def _base(found: Mapping[int, float], longest: int) -> int:
    """The longest tested length that was trained on, or else the shortest tested."""
    return max((length for length in found if length <= longest), default=min(found))


def _held(found: Mapping[int, float], base: int) -> int:
    """The length up to which the task is still done."""
    held = base
    for length in sorted(length for length in found if length > base):
        if found[length] < GOOD:
            break
        held = length
    return held


def _times(factor: float) -> str:
    if abs(factor - 2) < 0.05:
        return "twice"
    return f"{factor:.1f}".removesuffix(".0") + " times"
