"""Encodings side by side: a head under each, and what each changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from posenc_gui.figures.colormaps import SIGNED_COLOR_MAP
from posenc_gui.figures.figure import Figure
from posenc_gui.figures.from_result import (
    caption,
    head_title,
    made_with,
    numbered,
    overview_title,
    symmetric_levels,
    unknown_tokens,
)
from posenc_gui.figures.grid import READING_NOTE, GridFigure, each_head
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.matrix_export import (
    chosen_words,
    head_matrix,
    looked,
    scale_of,
    with_one_scale,
)
from posenc_gui.figures.numbers import percent
from posenc_gui.figures.style import Style
from posenc_model.analysis import total_variation
from posenc_model.errors import PosencError
from posenc_model.exporters import Export
from posenc_model.matrices import WEIGHTS

if TYPE_CHECKING:
    from posenc_model.result import RunResult

DIFFERENCE_NAME = "gained or lost"


@dataclass(frozen=True, eq=False)
class NoteFigure:
    """A text in place of a picture.

    Attributes:
        text: What it says.
        title: Nothing stands above it.
        caption: Nothing beneath.
    """

    text: str
    title: str = ""
    caption: str = ""

    def words(self) -> Iterable[str]:
        return (self.text,)

    def height_for(self, width: float, style: Style) -> float:
        return 1.0  # as high as what is beside it

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        painter.setFont(style.font)
        painter.setPen(style.muted)
        box = QRectF(0, 0, size.width(), size.height())
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        needed = QFontMetricsF(style.font).boundingRect(box, int(flags), self.text)
        if needed.height() <= size.height() and needed.width() <= size.width() + 1:
            painter.drawText(box, int(flags), self.text)


def difference_figure(
    reference: RunResult, other: RunResult, layer: int, head: int, name: str
) -> MatrixFigure:
    """Where a head of one result looks more, or less, than the same head of another.

    Args:
        reference: What is subtracted.
        other: What it is subtracted from.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        name: What the picture is called.
    """
    difference = other.weights(layer, head) - reference.weights(layer, head)
    if other.mask is not None:
        difference = np.where(other.mask, difference, np.nan).astype(np.float32)
    return MatrixFigure(
        matrix=difference,
        query_words=tuple(token.text for token in reference.tokens),
        key_words=tuple(token.text for token in other.tokens),
        unknown_queries=unknown_tokens(reference),
        unknown_keys=unknown_tokens(other),
        title=name,
        caption=f"Difference of attention weights: {caption(reference, layer, head)}",
        levels=symmetric_levels(difference),
        color_map=SIGNED_COLOR_MAP,
        scale_name=DIFFERENCE_NAME,
    )


def compare_figure(export: Export) -> Figure:
    """The head of every result, and beneath all but the first the difference from the first.

    Raises:
        PosencError: There is nothing to compare with, or the results do not fit together.
    """
    if len(export.results) < 2:
        raise PosencError(
            "There is no other encoding to compare with; name some, such as abs,rel,t5.", "compare"
        )
    from posenc_model.compare import why_no_difference  # which loads torch

    reference, *others = export.results
    for other in others:
        reason = why_no_difference(reference, other)
        if reason is not None:
            raise PosencError(reason, "compare")
    spec = export.spec
    layers, heads = spec.chosen_layers(reference), spec.chosen_heads(reference)
    made = each_head(export, lambda layer, head, is_one: _of_head(export, layer, head))
    assert isinstance(made, GridFigure)
    names = ", ".join(result.encoding_title for result in export.results)
    which = overview_title(reference, layers, heads).partition(" · ")[2]
    what = f"{numbered('layer', layers, reference.num_layers)}, "
    what += numbered("head", heads, reference.num_heads)
    return replace(
        made,
        note=READING_NOTE * export.look.axis_names,
        columns=made.columns if len(layers) * len(heads) == 1 else 1,
        title=f"{names}, {reference.weights_title.partition(',')[0]} · {which}",
        caption=f"Attention weights under {names}, and their differences from "
        f"{reference.encoding_title}, {what}; {made_with(reference)}",
    )


def _of_head(export: Export, layer: int, head: int) -> GridFigure:
    reference, *others = export.results
    weights = replace(export, spec=replace(export.spec, matrix=WEIGHTS))
    tops = with_one_scale(
        export,
        [
            looked(weights, head_matrix(weights, result, layer, head), is_tile=True)
            for result in export.results
        ],
    )
    differences = _differences(weights, reference, others, layer, head)
    # A percent sign does not go to the next line alone.
    moved_shares = _moved(reference, others, layer, head)
    shares = [percent(share).replace(" ", "\u00a0") for share in moved_shares]
    bars = [scale_of(export, tops[0]), scale_of(export, differences[0])]
    minus = [f"{other.encoding_title} − {reference.encoding_title}" for other in others]
    top_names = [(result.encoding_title,) for result in export.results]
    if len(others) == 1:
        moved = f"{minus[0]}: {shares[0]} of the attention moved"
        return GridFigure(
            [*tops, *differences],
            [*top_names, (moved, f"{minus[0]}: {shares[0]} moved", minus[0])],
            columns=3,
            title=head_title(reference, layer, head),
            scales={0: bars},
        )
    named = zip(others, shares, strict=True)
    moved = ", ".join(f"{other.encoding_title} {share}" for other, share in named)
    return GridFigure(
        [*tops, NoteFigure(f"Attention that moved to other words: {moved}"), *differences],
        [*top_names, ("",), *((name,) for name in minus)],
        columns=len(export.results),
        title=head_title(reference, layer, head),
        scales={0: bars[:1], 1: bars[1:]},
    )


def _differences(
    export: Export, reference: RunResult, others: Sequence[RunResult], layer: int, head: int
) -> list[MatrixFigure]:
    tokens = export.spec.chosen_tokens(reference)
    figures = [
        chosen_words(difference_figure(reference, other, layer, head, ""), tokens)
        for other in others
    ]
    largest = max(figure.levels[1] for figure in figures)
    return [
        replace(
            looked(export, figure, is_tile=True),
            levels=(-largest, largest),
            color_map=SIGNED_COLOR_MAP,
        )
        for figure in figures
    ]


def _moved(reference: RunResult, others: Sequence[RunResult], layer: int, head: int) -> list[float]:
    first = reference.weights(layer, head)
    return [float(total_variation(first, other.weights(layer, head))) for other in others]
