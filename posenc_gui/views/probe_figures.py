"""The pictures of an order probe: before, after and the difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_gui.figures.colormaps import SIGNED_COLOR_MAP
from posenc_gui.figures.from_result import matrix_figure, symmetric_levels
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure

if TYPE_CHECKING:
    from posenc_model.probe import OrderProbe

_OTHER_LENGTH = "No difference by place: {before:,} words before, {after:,} after."
_ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class ProbePictures:
    """What is shown side by side.

    Attributes:
        figures: Before, after and the difference, which may be missing.
        keys: For each figure, what its rows (and columns) are: tokens of the text where pictures
            are matched by word, else places.
        why_no_difference: A sentence where there is none.
        by_word: Whether pictures are matched by word.
    """

    figures: tuple[MatrixFigure, MatrixFigure, MatrixFigure | None]
    keys: tuple[tuple[int, ...], ...]
    why_no_difference: str = ""
    by_word: bool = True

    def same_cells(self, index: int, cell: tuple[int, int]) -> list[tuple[int, int] | None]:
        """For each figure the cell with the same query and key as a cell of figure ``index``.

        ``None`` where a figure has no such words; of copies, the first.
        """
        query, key = (self.keys[index][place] for place in cell)
        return [
            (keys.index(query), keys.index(key)) if query in keys and key in keys else None
            for keys in self.keys
        ]


def probe_pictures(
    probe: OrderProbe, layer: int, head: int, *, by_word: bool, color_map: str, full_scale: bool
) -> ProbePictures:
    """Draws nothing, but says what is to be drawn.

    Args:
        probe: What was measured.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        by_word: Whether the words of the changed text are put back into their order before, copies
            side by side; else they stand as they are.
        color_map: For weights.
        full_scale: Whether the scale is 0–1; else both go up to the largest weight of the two.
    """
    before = matrix_figure(probe.before, layer, head, color_map=color_map)
    after = matrix_figure(probe.after, layer, head, color_map=color_map)
    places = np.argsort(probe.order, kind="stable") if by_word else np.arange(len(probe.order))
    after = _permuted(after, places)
    levels = UNIT_LEVELS
    if not full_scale:
        largest = max(float(np.nanmax(one.matrix)) for one in (before, after))
        levels = (0.0, max(largest, 1e-9))
    before = replace(before, title="Before", levels=levels, is_small=True)
    title = "After, in the order before" if by_word else "After, as it stands"
    after = replace(after, title=title, levels=levels, is_small=True)
    n = len(probe.before.tokens)
    rows = tuple(probe.order[place] for place in places.tolist()) if by_word else tuple(places)
    if by_word:
        kept = probe.kept
        old, new = probe.kept_weights(layer, head)
        labels = [before.query_words[token] for token in kept.tolist()]
        change = new - old
        if probe.before.mask is not None:
            was_masked = ~probe.before.mask[np.ix_(kept, kept)]
            change[was_masked & (new == 0)] = np.nan  # masked after, too
        difference = _difference(change, labels, after)
        return ProbePictures((before, after, difference), (tuple(range(n)), rows, tuple(kept)))
    if len(probe.order) != n:
        reason = _OTHER_LENGTH.format(before=n, after=len(probe.order))
        return ProbePictures(
            (before, after, None), (tuple(range(n)), rows, ()), reason, by_word=False
        )
    labels = [
        old if old == new else f"{old}→{new}"
        for old, new in zip(before.query_words, after.query_words, strict=True)
    ]
    difference = _difference(after.matrix - before.matrix, labels, after)
    return ProbePictures((before, after, difference), (tuple(range(n)), rows, rows), by_word=False)


def _permuted(figure: MatrixFigure, places: NDArray[np.int64]) -> MatrixFigure:
    words = tuple(figure.query_words[place] for place in places.tolist())
    was_unknown = figure.unknown_queries
    unknown = frozenset(i for i, place in enumerate(places.tolist()) if place in was_unknown)
    return replace(
        figure,
        matrix=figure.matrix[np.ix_(places, places)],
        query_words=words,
        key_words=words,
        unknown_queries=unknown,
        unknown_keys=unknown,
    )


def _difference(
    matrix: NDArray[np.floating], labels: list[str], after: MatrixFigure
) -> MatrixFigure:
    if np.nanmax(np.abs(matrix)) < _ROUNDING:
        matrix = 0 * matrix  # or the scale would blow up rounding errors
    matrix = matrix.astype(np.float32)
    return replace(
        after,
        matrix=matrix,
        query_words=tuple(labels),
        key_words=tuple(labels),
        unknown_queries=frozenset(),
        unknown_keys=frozenset(),
        title="After minus before",
        levels=symmetric_levels(matrix),
        color_map=SIGNED_COLOR_MAP,
        scale_name="weight gained or lost",
    )
