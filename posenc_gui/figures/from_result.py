"""Figures made from results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_gui.figures.colormaps import DEFAULT_COLOR_MAP
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult


def matrix_figure(
    result: RunResult,
    layer: int,
    head: int,
    *,
    matrix: NDArray[np.float32] | None = None,
    levels: tuple[float, float] = UNIT_LEVELS,
    color_map: str = DEFAULT_COLOR_MAP,
) -> MatrixFigure:
    """The picture of one head's weights.

    Args:
        result: Where they come from; the caption describes its request.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        matrix: The weights [n, n], where they are at hand already.
        levels: Ends of the colour scale.
        color_map: A name in ``COLOR_MAPS``.
    """
    words = tuple(token.text for token in result.tokens)
    unknown = frozenset(i for i, is_unknown in enumerate(result.is_unknown) if is_unknown)
    return MatrixFigure(
        matrix=result.weights(layer, head) if matrix is None else matrix,
        query_words=words,
        key_words=words,
        unknown_queries=unknown,
        unknown_keys=unknown,
        title=head_title(result, layer, head),
        caption=caption(result, layer, head),
        levels=levels,
        color_map=color_map,
    )


def head_title(result: RunResult, layer: int, head: int) -> str:
    """Which encoding, layer and head, counted from 1."""
    which = "mean over heads" if head == MEAN_HEAD else f"head {head + 1}"
    return f"{result.config.positional_encoding} · layer {layer + 1} · {which}"


def caption(result: RunResult, layer: int, head: int) -> str:
    """All that is needed to make the picture again."""
    which = "mean" if head == MEAN_HEAD else str(head + 1)
    settings = ", ".join(f"{k}={v}" for k, v in result.request.settings.flat().items())
    return (
        f"Attention weights, layer {layer + 1}, head {which}; {settings}; "
        f"text: {result.request.text}"
    )
