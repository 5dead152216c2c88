"""Figures made from results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_gui.figures.colormaps import DEFAULT_COLOR_MAP, SIGNED_COLOR_MAP
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure
from posenc_model.matrices import MATRICES, WEIGHTS, matrix_of
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult


def matrix_figure(
    result: RunResult,
    layer: int,
    head: int,
    kind: str = WEIGHTS,
    *,
    matrix: NDArray[np.float32] | None = None,
    levels: tuple[float, float] = UNIT_LEVELS,
    color_map: str = DEFAULT_COLOR_MAP,
) -> MatrixFigure:
    """The picture of one of a head's matrices.

    Args:
        result: Where they come from; the caption describes its request.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        kind: Which matrix, a name in ``MATRICES``.
        matrix: The matrix [n, n], where it is at hand already.
        levels: Ends of the colour scale of weights; signed matrices have one of their own, as far
            to both sides of 0.
        color_map: A name in ``COLOR_MAPS``, for weights; signed matrices have one of their own.
    """
    matrix = matrix_of(result, layer, head, kind) if matrix is None else matrix
    if MATRICES[kind].is_signed:
        levels, color_map = symmetric_levels(matrix), SIGNED_COLOR_MAP
    if result.mask is not None:
        matrix = np.where(result.mask, matrix, np.nan).astype(np.float32)
    words = tuple(token.text for token in result.tokens)
    unknown = frozenset(i for i, is_unknown in enumerate(result.is_unknown) if is_unknown)
    return MatrixFigure(
        matrix=matrix,
        query_words=words,
        key_words=words,
        unknown_queries=unknown,
        unknown_keys=unknown,
        title=head_title(result, layer, head, kind),
        caption=caption(result, layer, head, kind),
        levels=levels,
        color_map=color_map,
        scale_name=MATRICES[kind].scale_name,
    )


def symmetric_levels(matrix: NDArray[np.float32]) -> tuple[float, float]:
    """The ends of a scale that goes as far below 0 as above it."""
    finite = matrix[np.isfinite(matrix)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    # A picture of nothing but 0 still needs a scale.
    return (-largest, largest) if largest > 1e-6 else (-1.0, 1.0)


def head_title(result: RunResult, layer: int, head: int, kind: str = WEIGHTS) -> str:
    """Which encoding, layer and head, counted from 1."""
    which = "mean over heads" if head == MEAN_HEAD else f"head {head + 1}"
    weights = result.weights_title.partition(",")[0]  # the seed stands in the caption
    title = f"{result.encoding_title}, {weights} · layer {layer + 1} · {which}"
    if result.request.settings.attention_mask == "causal":
        title += " · look-ahead mask"
    return title if kind == WEIGHTS else f"{title} · {MATRICES[kind].title}"


def caption(result: RunResult, layer: int, head: int, kind: str = WEIGHTS) -> str:
    """All that is needed to make the picture again."""
    which = "mean" if head == MEAN_HEAD else str(head + 1)
    hidden = ", ".join(str(index + 1) for index in result.request.masked)
    hidden = f"; hidden tokens: {hidden}" if hidden else ""
    settings = ", ".join(f"{k}={v}" for k, v in result.request.settings.flat().items())
    return (
        f"Attention {MATRICES[kind].title}, layer {layer + 1}, head {which}; {settings}; "
        f"text: {result.request.text}{hidden}"
    )
