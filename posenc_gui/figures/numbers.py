"""Numbers as pictures and sentences write them."""

from __future__ import annotations


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign, also where it is positive."""
    return f"{value:+.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """A share: whole percents from ten on, else one decimal; never “0 %” for what is not 0."""
    hundredths = 100 * share
    if hundredths < 0.05:
        return "less than 0.1 %"
    return f"{hundredths:.0f} %" if hundredths >= 9.95 else f"{hundredths:.1f} %"


def distance_words(distance: int) -> str:
    """A distance with its sign: −1, 0, +3."""
    return f"{distance:+d}".replace("-", "−") if distance else "0"
