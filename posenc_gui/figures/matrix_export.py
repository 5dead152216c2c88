"""Matrices of heads as they are exported: one, or several as one picture."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_gui.figures.figure import Figure
from posenc_gui.figures.from_result import matrix_figure, symmetric_levels
from posenc_gui.figures.grid import READING_NOTE, GridFigure, each_head
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure
from posenc_model.exporters import Export
from posenc_model.exporters.look import levels_of
from posenc_model.matrices import MATRICES, matrix_of

if TYPE_CHECKING:
    from posenc_model.result import RunResult


def matrix_picture(export: Export) -> Figure:
    """The matrix of one head, or those of several as one picture with one scale."""
    result = export.result

    def make(layer: int, head: int, is_one_of_many: bool) -> MatrixFigure:
        return looked(export, head_matrix(export, result, layer, head), is_tile=is_one_of_many)

    made = each_head(export, make)
    if isinstance(made, GridFigure):
        figures = with_one_scale(export, [f for f in made.figures if isinstance(f, MatrixFigure)])
        return replace(
            made,
            figures=figures,
            scales={0: [scale_of(export, figures[0])]},
            note=READING_NOTE * export.look.axis_names,
        )
    return made


def scale_of(export: Export, tile: MatrixFigure) -> MatrixFigure:
    """The figure whose colour bar stands beside tiles."""
    return replace(tile, is_tile=False, is_small=not export.look.axis_names)


def head_matrix(export: Export, result: RunResult, layer: int, head: int) -> MatrixFigure:
    """The matrix that an export asks for, of any of its results, with the chosen words only."""
    kind = export.spec.matrix
    matrix = matrix_of(result, layer, head, kind)
    figure = matrix_figure(result, layer, head, kind, matrix=matrix)
    return chosen_words(figure, export.spec.chosen_tokens(result))


def chosen_words(figure: MatrixFigure, tokens: tuple[int, ...]) -> MatrixFigure:
    """The rows and columns of some tokens."""
    if tokens == tuple(range(len(figure.query_words))):
        return figure
    places = np.array(tokens)
    unknown = frozenset(new for new, old in enumerate(tokens) if old in figure.unknown_queries)
    words = tuple(figure.query_words[old] for old in tokens)
    matrix: NDArray[np.float32] = figure.matrix[np.ix_(places, places)]
    levels = figure.levels if figure.levels == UNIT_LEVELS else symmetric_levels(matrix)
    return replace(
        figure,
        matrix=matrix,
        query_words=words,
        key_words=words,
        unknown_queries=unknown,
        unknown_keys=unknown,
        levels=levels,
    )


def looked(export: Export, figure: MatrixFigure, *, is_tile: bool = False) -> MatrixFigure:
    """The figure in the look that an export asks for."""
    look = export.look
    is_signed = MATRICES[export.spec.matrix].is_signed
    return replace(
        figure,
        levels=_levels(look.color_range, figure.levels, [figure]),
        color_map=figure.color_map if is_signed else look.color_map,
        is_small=not look.axis_names,
        is_tile=is_tile,
        color_bar=look.color_bar,
        labels=look.labels,
        numbers=look.numbers,
    )


def with_one_scale(export: Export, figures: list[MatrixFigure]) -> list[MatrixFigure]:
    """The same figures with colours that can be compared."""
    low = min(figure.levels[0] for figure in figures)
    high = max(figure.levels[1] for figure in figures)
    levels = _levels(export.look.color_range, (low, high), figures)
    return [replace(figure, levels=levels) for figure in figures]


def _levels(
    color_range: str, automatic: tuple[float, float], figures: list[MatrixFigure]
) -> tuple[float, float]:
    wanted = levels_of(color_range)
    if isinstance(wanted, tuple):
        return wanted
    if wanted == "largest" and automatic[0] == 0.0:
        largest = max(float(np.nanmax(figure.matrix, initial=0.0)) for figure in figures)
        return 0.0, max(largest, 1e-9)
    return automatic
