"""Attention as lines as it is exported: a picture for each layer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFontMetricsF, QPainter

from posenc_gui.figures.figure import Figure
from posenc_gui.figures.fit import at_least
from posenc_gui.figures.from_result import made_with, numbered, overview_title, where
from posenc_gui.figures.grid import GridFigure
from posenc_gui.figures.lines import (
    LEAST_WIDTH,
    MOST_LINES,
    FloatArray,
    LinesFigure,
    layout_lines,
    legend_height,
    paint_legend,
)
from posenc_gui.figures.numbers import percent
from posenc_gui.figures.style import Style
from posenc_model.errors import PosencError
from posenc_model.exporters import Export
from posenc_model.exporters.look import levels_of

if TYPE_CHECKING:
    from posenc_model.result import RunResult

# A picture keeps all the weights that its lines may come from.
_MOST_WEIGHTS = 2**27


@dataclass(frozen=True, eq=False)
class LayersFigure:
    """The lines of several layers side by side, and a legend for all of them.

    Attributes:
        grid: A picture of lines for each layer.
        legend: The picture whose legend it is.
    """

    grid: GridFigure
    legend: LinesFigure

    @property
    def title(self) -> str:
        return self.grid.title

    @property
    def caption(self) -> str:
        return self.grid.caption

    def words(self) -> Iterable[str]:
        return self.grid.words()

    def height_for(self, width: float, style: Style) -> float:
        legend = legend_height(self.legend, QFontMetricsF(style.font), width)
        return self.grid.height_for(width, style) + legend

    def paint(self, painter: QPainter, size: QSizeF, style: Style) -> None:
        metrics = QFontMetricsF(style.font)
        line = metrics.height()
        wide = max(size.width(), LEAST_WIDTH * line)
        least = 6.0 * line + legend_height(self.legend, metrics, wide)
        with at_least(painter, size, QSizeF(LEAST_WIDTH * line, least)) as room:
            legend = legend_height(self.legend, metrics, room.width())
            painter.save()
            self.grid.paint(painter, QSizeF(room.width(), room.height() - legend), style)
            painter.restore()
            layout = layout_lines(self.legend, room, style.font)
            paint_legend(painter, self.legend, layout, style)


def lines_of(
    result: RunResult,
    rows: Mapping[int, FloatArray],
    tokens: Sequence[int],
    *,
    threshold: float,
    full: float | None = 1.0,
) -> LinesFigure:
    """The picture of some heads of a layer.

    Args:
        result: Whose.
        rows: For each head, from 0, or ``MEAN_HEAD``, the weights [m, n] of the first m queries or
            of all.
        tokens: Which of the m are shown, in order.
        threshold: Weaker weights have no line.
        full: The weight that is drawn thickest; ``None``: the largest.
    """
    shown = np.array(tokens, np.intp)
    beyond = np.setdiff1d(np.arange(len(result.tokens)), shown)
    weights = np.zeros((len(rows), len(shown), len(shown)), np.float32)
    elsewhere = 0.0
    for index, head in enumerate(rows):
        weights[index] = rows[head][np.ix_(shown, shown)]
        if beyond.size:
            elsewhere += float(np.nansum(rows[head][np.ix_(shown, beyond)], dtype=np.float64))
    if full is None:
        full = float(np.nanmax(weights, initial=0.0)) or 1.0
    return LinesFigure(
        weights=weights,
        heads=tuple(rows),
        tokens=tuple(result.tokens[token].text for token in tokens),
        unknown=frozenset(new for new, old in enumerate(tokens) if result.is_unknown[old]),
        threshold=threshold,
        full=full,
        elsewhere=elsewhere,
    )


def hidden_words(figures: Sequence[LinesFigure]) -> str:
    """Which weights of some pictures of equally many words have no line."""
    threshold = f"weights below {100 * figures[0].threshold:.3g} % have no line"
    hidden, count = sum(f.hidden for f in figures), sum(f.count for f in figures)
    share = float(np.mean([figure.hidden_share for figure in figures]))
    if not hidden:
        words = f"{threshold}, which hides none of {count:,}"
    else:
        words = f"{threshold}, which hides {hidden:,} of {count:,}, together {percent(share)} of "
        words += "all attention"
    if any(len(figure.lines) == MOST_LINES for figure in figures):
        words += f"; at most the {MOST_LINES:,} strongest lines of a layer are drawn"
    elsewhere = float(np.mean([figure.elsewhere_share for figure in figures]))
    if elsewhere > 0:
        words += f"; {percent(elsewhere)} of the attention of these words goes to others"
    return words


def lines_figure(export: Export) -> Figure:
    """The lines of all chosen heads of a layer in one picture, or of several layers side by side.

    Raises:
        PosencError: There is no such layer, head or token, or there are too many weights.
    """
    spec, result = export.spec, export.result
    layers, heads = spec.chosen_layers(result), spec.chosen_heads(result)
    tokens = spec.chosen_tokens(result)
    count = len(layers) * len(heads) * len(tokens) ** 2
    if count > _MOST_WEIGHTS:
        raise PosencError(
            f"The lines of {len(tokens):,} words in {len(layers) * len(heads):,} heads come from "
            f"{count:,} weights, more than {_MOST_WEIGHTS:,}; choose fewer words, heads or layers.",
            "tokens",
        )
    wanted = levels_of(export.look.color_range)
    full = wanted[1] if isinstance(wanted, tuple) and wanted[1] > 0 else 1.0
    made = [
        lines_of(
            result,
            {head: result.weights(layer, head) for head in heads},
            tokens,
            threshold=spec.threshold,
            full=None if wanted == "largest" else full,
        )
        for layer in layers
    ]
    full = max(figure.full for figure in made)
    title = overview_title(result, layers, heads)
    which = where(result, layers, heads)
    if len(tokens) < len(result.tokens):
        which += f", {numbered('token', tokens, len(result.tokens))}"
    caption = f"Attention weights as lines, {which}; {hidden_words(made)}; {made_with(result)}"
    look = export.look
    figures = [
        replace(
            figure,
            full=full,
            title=title,
            caption=caption,
            has_legend=look.color_bar,
            has_names=look.axis_names,
        )
        for figure in made
    ]
    if len(layers) == 1:
        return figures[0]
    names = [(f"layer {layer + 1}", f"{layer + 1}") for layer in layers]
    parts = [replace(figure, has_legend=False) for figure in figures]
    return LayersFigure(GridFigure(parts, names, title=title, caption=caption), figures[0])
