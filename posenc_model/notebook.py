"""How a result shows itself in a notebook: an HTML fragment with an SVG, without Qt."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_TOKENS = 48
_CELL, _LETTER = 18, 7


def result_html(weights: NDArray[np.float32], words: Sequence[str], title: str) -> str:
    """A heat map of ``weights`` [n, n]: the deeper the blue, the larger the weight, from 0 to 1.

    Of more than 48 tokens the first 48 are shown, and it is said.
    """
    shown = min(len(words), MAX_TOKENS)
    note = "" if shown == len(words) else f" (the first {shown} of {len(words):,} tokens)"
    margin = 12 + _LETTER * min(18, max(len(word) for word in words[:shown]))
    size = margin + shown * _CELL + 4
    parts = [
        f"<div><b>{html.escape(title)}</b>{note}; rows look, columns are looked at</div>",
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" '
        'font-family="sans-serif" font-size="12">',
    ]
    for i, word in enumerate(words[:shown]):
        label = html.escape(word if len(word) <= 18 else word[:17] + "…")
        middle = margin + (i + 0.5) * _CELL
        parts.append(
            f'<text x="{margin - 4}" y="{middle + 4}" text-anchor="end" fill="currentColor">'
            f"{label}</text>"
            f'<text transform="translate({middle + 4} {margin - 4}) rotate(-90)" '
            f'fill="currentColor">{label}</text>'
        )
        for j, weight in enumerate(weights[i, :shown].tolist()):
            tip = html.escape(f"{word} → {words[j]}: {weight:.4f}")
            parts.append(
                f'<rect x="{margin + j * _CELL}" y="{margin + i * _CELL}" width="{_CELL}" '
                f'height="{_CELL}" fill="#1f5fae" fill-opacity="{weight:.3f}" '
                f'stroke="#8884" stroke-width="0.5"><title>{tip}</title></rect>'
            )
    return "".join([*parts, "</svg>"])
