"""What the pictures of encodings say in plain words."""

from __future__ import annotations

from posenc_gui.figures.numbers import distance_words
from posenc_gui.views.wording import percent


def waves_sentence(alike_next: float, alike_ten: float, base: float) -> str:
    """How alike places are.

    Args:
        alike_next: p_i · p_{i+1} as a share of p_i · p_i.
        alike_ten: The same, ten places apart.
        base: Of the waves.
    """
    return (
        f"Each place has its own pattern of waves: neighbours are alike to {percent(alike_next)}, "
        f"places 10 apart to {percent_signed(alike_ten)} (base {base:,.10g})."
    )


def percent_signed(share: float) -> str:
    """A share that may be negative."""
    return percent(share) if share >= 0 else f"−{percent(-share)}"


def vectors_sentence(clip: int, *, is_what_if: bool = False) -> str:
    """Which distances have a vector of their own, and which share one."""
    start = f"With clip distance {clip}, words" if is_what_if else "Words"
    if clip == 1:
        return f"{start} on one side all share one vector: 1 and 25 places away look the same."
    return (
        f"{start} {clip} or more places away share one vector on each side: {clip} and {clip + 24} "
        "places look the same."
    )


def bucket_sentence(distance: int, first: int, last: int | None) -> str:
    """Which distances share a number with ``distance``.

    Args:
        distance: Key minus query.
        first: The smallest number of places away.
        last: The largest, or ``None`` where there is none.
    """
    if distance == 0:
        return "A word and itself have a number of their own."
    side = "to the left" if distance < 0 else "to the right"
    if last is None:
        return (
            f"All words {first} or more places {side} share one number: this head cannot tell "
            "them apart."
        )
    if first == last:
        places = "place" if first == 1 else "places"
        return f"Words {first} {places} {side} have a number of their own."
    return (
        f"Words {first} to {last} places {side} share one number: this head cannot tell them apart."
    )


def bucket_line(distance: int, bucket: int, first: int, last: int | None) -> str:
    """A distance, its bucket and the distances in it, as numbers."""
    sign = -1 if distance < 0 else 1
    if last is None:
        shared = f"{distance_words(sign * first)} and beyond"
    elif first == last:
        return f"distance {distance_words(distance)} · bucket {bucket}"
    else:
        low, high = sorted((sign * first, sign * last))
        shared = f"{distance_words(low)} … {distance_words(high)}"
    return f"distance {distance_words(distance)} · bucket {bucket} · distances {shared}"
