"""What the order probe says in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from posenc_gui.figures.labels import quoted
from posenc_gui.views.probe_bars import share_text
from posenc_gui.views.wording import percent

if TYPE_CHECKING:
    from posenc_gui.views.probe_figures import ProbePictures
    from posenc_model.probe import OrderProbe

INVITATION = (
    "Nothing is changed yet. Drag a word to another place, or choose one and press Alt+Left or "
    "Alt+Right."
)
ONLY_PERMUTED = "Without position nothing changes but the order: every word sees the same words."
# Shifts up to here are rounding errors, which add up over the layers.
_ROUNDING = 1e-4
_NAMED = 3


def only_permuted(probe: OrderProbe) -> bool:
    """Whether nothing but the order changed."""
    largest = max(probe.hidden_shift.max(initial=0), probe.weights_shift.max(initial=0))
    return probe.is_permutation and bool(largest < _ROUNDING)


def moved_sentence(probe: OrderProbe, layer: int, token: int) -> str:
    """How far a word is from where it was, after the first layer and the last.

    Args:
        probe: What was measured.
        layer: The chosen layer, from 0.
        token: Which word of the text.
    """
    words = [token.text for token in probe.before.tokens]
    if list(probe.order) == list(range(len(words))):
        return INVITATION
    if only_permuted(probe):
        return ONLY_PERMUTED
    shift = probe.hidden_shift[:, token]
    last = len(shift) - 1
    sentence = f"After layer 1, {quoted(words, token)} is {share_text(shift[1])} away from where "
    sentence += "it was"
    sentence += f"; by layer {last}, {share_text(shift[last])}." if last > 1 else "."
    moved = share_text(probe.weights_shift[layer, token])
    return f"{sentence} In layer {layer + 1}, {moved} of its attention moved to other words."


def matching_note(probe: OrderProbe) -> str:
    """Which words are compared, where the changed text has not each of them once; else ''."""
    if probe.is_permutation:
        return ""
    words = [token.text for token in probe.before.tokens]
    count = np.bincount(probe.order, minlength=len(words))
    missing, copied = np.flatnonzero(count == 0).tolist(), np.flatnonzero(count > 1).tolist()
    changes = []
    if missing:
        changes.append(f"{_list(words, missing)} {'is' if len(missing) == 1 else 'are'} left out")
    if copied:
        verb = "stands" if len(copied) == 1 else "stand"
        changes.append(f"{_list(words, copied)} {verb} there more than once")
    kept = len(probe.kept)
    compared = "the one word" if kept == 1 else f"the {kept:,} words"
    note = f"{' and '.join(changes)}. Compared {'is' if kept == 1 else 'are'} {compared} that both "
    note += "texts have"
    if copied:
        note += ", of copies the first; attention on copies is added up"
    return f"{note}. Such a change moves attention even without position."


def cell_reading(pictures: ProbePictures, cells: Sequence[tuple[int, int] | None]) -> str:
    """What is marked in the pictures: “‘dog’ gives ‘man’: before 23 %, after 9 %.”

    Where they are matched by place, each has words of its own.
    """
    read = []
    for name, figure, cell in zip(("before", "after"), pictures.figures, cells, strict=False):
        assert figure is not None
        if cell is None:
            read.append((name, "", "not there"))
            continue
        who = quoted(figure.query_words, cell[0])
        whom = "itself" if cell[0] == cell[1] else quoted(figure.key_words, cell[1])
        read.append((name, f"{who} gives {whom}", _share(float(figure.matrix[cell]))))
    if pictures.by_word:
        what = next((pair for _, pair, _ in read if pair), "")
        return f"{what}: {', '.join(f'{name} {share}' for name, _, share in read)}."
    told = "; ".join(
        f"{name}, {pair} {share}" if pair else f"{name}, {share}" for name, pair, share in read
    )
    return f"{told[0].upper()}{told[1:]}."


def _share(weight: float) -> str:
    return percent(weight) if math.isfinite(weight) else "masked"


def _list(words: Sequence[str], tokens: Sequence[int]) -> str:
    named = [quoted(words, token) for token in tokens[:_NAMED]]
    if len(tokens) > _NAMED:
        named.append(f"{len(tokens) - _NAMED:,} more")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
