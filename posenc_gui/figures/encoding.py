"""The encoding itself as a picture: waves, vectors or numbers by distance, or a bag of words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from posenc_gui.figures.bag import BagFigure, bag_words
from posenc_gui.figures.chart import Cells, Chart, Curve, Mark, spans_beyond, steps
from posenc_gui.figures.charts import ChartsFigure
from posenc_gui.figures.figure import Figure
from posenc_gui.figures.from_result import made_with, numbered, result_title
from posenc_gui.figures.grid import GridFigure
from posenc_gui.figures.labels import arrow, quoted
from posenc_gui.figures.lines import head_name
from posenc_gui.figures.numbers import distance_words
from posenc_model.encodings.pictures import (
    NOT_BY_DISTANCE,
    BucketNumbers,
    FloatArray,
    PictureNumbers,
    VectorNumbers,
    WaveNumbers,
    Whole,
    bias_of,
    buckets_by_distance,
    chosen_bias,
    clipped_rows,
    distances_of_bucket,
    position_vectors,
    products_by_distance,
)
from posenc_model.errors import PosencError
from posenc_model.exporters import Export
from posenc_model.exporters.look import levels_of

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_DISTANCE = "distance (key − query)"
_MEANING = "key minus query in tokens"
_ADDED = "adds to the score"
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class _Asked:
    """What the charts of one layer are about."""

    export: Export
    layer: int
    heads: tuple[int, ...]
    query: int
    key: int

    @property
    def result(self) -> RunResult:
        return self.export.result

    @property
    def reach(self) -> int:
        return self.export.spec.reach

    @property
    def distances(self) -> Whole:
        return np.arange(-self.reach, self.reach + 1)

    @property
    def x(self) -> tuple[float, float]:
        return -self.reach - 0.5, self.reach + 0.5

    @property
    def tokens(self) -> list[str]:
        return [token.text for token in self.result.tokens]

    @property
    def pair(self) -> str:
        """“‘a’ → ‘b’, distance +2”."""
        words, distance = self.tokens, distance_words(self.key - self.query)
        pair = arrow(quoted(words, self.query), quoted(words, self.key))
        return f"{pair}, distance {distance}"

    def marks(self) -> tuple[Mark, ...]:
        """The distance of the pair, where it is shown."""
        distance = self.key - self.query
        return (Mark(distance, self.pair),) if abs(distance) <= self.reach else ()

    def curves(self, values: FloatArray) -> list[Curve]:
        """The steps of each chosen head, [heads, distances]."""
        is_one = len(self.heads) == 1
        return [
            Curve(*steps(self.distances, line), "main", head_name(head), None if is_one else head)
            for head, line in zip(self.heads, values, strict=True)
        ]

    def cells(self, values: FloatArray, first: int, largest: float) -> Cells:
        wanted = levels_of(self.export.look.color_range)
        levels = wanted if isinstance(wanted, tuple) else (-largest, largest)
        return Cells(values, first, levels, self.export.look.color_bar)


Columns = list[list[Chart]]


def _wave_charts(asked: _Asked, numbers: WaveNumbers) -> Columns:
    """The waves, how alike two places are by distance, and one place against others."""
    width, base = numbers.width, numbers.base
    last = max(asked.reach, asked.query, asked.key)
    places = np.arange(last + 1)
    values = position_vectors(len(places), width, base).astype(np.float32)
    highest = max(width // 2, 1)
    by_distance = products_by_distance(asked.distances, width, base)
    of_query = products_by_distance(places - asked.query, width, base)
    lowest = min(0.0, float(by_distance.min()), float(of_query.min()))
    waves = Chart(
        "The waves",
        "dimension",
        "place (from 0)",
        (-0.5, width - 0.5),
        (-0.5, last + 0.5),
        cells=asked.cells(values, 0, 1.0),
        marks=tuple(Mark(place, asked.pair, is_across=False) for place in {asked.query, asked.key}),
        is_whole=True,
    )
    products = Chart(
        "How alike two places are, by distance",
        _DISTANCE,
        "pᵢ · pⱼ",
        asked.x,
        (lowest, highest),
        curves=(Curve(asked.distances, by_distance),),
        marks=asked.marks(),
    )
    one = Chart(
        f"Place {asked.query} against places 0 to {last}",
        "place (from 0)",
        f"p{str(asked.query).translate(_LOWERED)} · pⱼ",
        (-0.5, last + 0.5),
        (lowest, highest),
        curves=(Curve(places, of_query),),
        marks=(Mark(asked.key, asked.pair),),
    )
    return [[waves], [products, one]]


def _vector_charts(asked: _Asked, numbers: VectorNumbers) -> Columns:
    """Key and value vectors by distance, and what each distance adds to the scores of the query."""
    rows = clipped_rows(asked.distances, numbers.clip)
    spans = spans_beyond(numbers.clip, asked.reach)
    name = f"shares the vector of distance {numbers.clip} on its side"
    images = []
    for title, table in (("Key vectors aᴷ", numbers.keys), ("Value vectors aⱽ", numbers.values)):
        if table is None:
            continue
        image = Chart(
            title,
            _DISTANCE,
            "dimension",
            asked.x,
            (-0.5, table.shape[1] - 0.5),
            cells=asked.cells(table[rows].T, -asked.reach, max(float(np.abs(table).max()), 1e-6)),
            spans=spans,
            span_name=name,
            marks=asked.marks(),
            is_whole=True,
        )
        images.append(image)
    added = [
        asked.result.added_by_distance(asked.layer, head, asked.query, asked.reach)
        for head in asked.heads
    ]
    known = np.stack([line for line in added if line is not None])
    curves = list(asked.curves(known))
    if len(curves) == 1:
        there = asked.distances + asked.query
        is_word = (there >= 0) & (there < len(asked.tokens))
        line = asked.distances[is_word], known[0][is_word]
        curves.append(Curve(*line, "points", "word of the text"))
    scores = Chart(
        f"Added to the scores of {quoted(asked.tokens, asked.query)}",
        _DISTANCE,
        _ADDED,
        asked.x,
        _range_of(known),
        curves=curves,
        spans=spans,
        span_name=name,
        marks=asked.marks(),
    )
    return [images, [scores]]


def _bucket_charts(asked: _Asked, numbers: BucketNumbers) -> Columns:
    """Which bucket a distance falls into, and what each bucket adds to scores."""
    options = numbers.buckets, numbers.max_distance
    buckets = buckets_by_distance(asked.distances, *options)
    last, _ = distances_of_bucket(10**9, *options)
    spans = spans_beyond(last, asked.reach)
    staircase = Chart(
        "Which bucket a distance falls into",
        _DISTANCE,
        "bucket",
        asked.x,
        (0, max(1, int(buckets.max()))),
        curves=(Curve(*steps(asked.distances, buckets), "plain"),),
        spans=spans,
        span_name="shares the last bucket of its side",
        marks=asked.marks(),
        is_whole=True,
    )
    bias = _bias_chart(asked, "What each bucket adds to scores", numbers.bias[buckets].T)
    bias = replace(bias, spans=spans, span_name=staircase.span_name)
    return [[staircase], [bias]]


def _bias_chart(asked: _Asked, title: str, bias: FloatArray) -> Chart:
    """All heads thin, the chosen ones (or their mean) thick; ``bias`` is [heads, distances]."""
    others = [
        Curve(*steps(asked.distances, line), "many", "all heads" if number == 0 else "")
        for number, line in enumerate(bias)
    ]
    chosen = asked.curves(np.stack([chosen_bias(bias, head) for head in asked.heads]))
    return Chart(
        title,
        _DISTANCE,
        _ADDED,
        asked.x,
        _range_of(bias),
        curves=(*(others if len(chosen) < len(others) else ()), *chosen),
        marks=asked.marks(),
    )


def _others_charts(asked: _Asked) -> Columns:
    """What distance adds to the scores of somebody else's model, where that is known.

    Raises:
        PosencError: It is not.
    """
    if not asked.result.has_scores:
        raise PosencError("The file holds weights only: nothing is known of an encoding.", "view")
    reason = asked.result.split_reason(asked.layer)
    bias = None if reason is not None else bias_of(asked.result, asked.layer).values
    if bias is None:
        raise PosencError(reason or NOT_BY_DISTANCE, "view")
    middle = bias.shape[1] // 2
    reach = min(asked.reach, middle)
    shown = replace(
        asked, export=replace(asked.export, spec=replace(asked.export.spec, reach=reach))
    )
    part = bias[:, middle - reach : middle + reach + 1]
    return [[_bias_chart(shown, "What distance adds to scores", part)]]


def _range_of(values: FloatArray) -> tuple[float, float]:
    """The ends of an axis that has 0 on it."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    return low, max(high, low + 1e-6)


def encoding_figure(export: Export) -> Figure:
    """What the encoding of a result is, a picture for each layer that has one of its own.

    Raises:
        PosencError: There is no such layer, head or token, or nothing is known of the encoding.
    """
    spec, result = export.spec, export.result
    layers, heads = spec.chosen_layers(result), spec.chosen_heads(result)
    query, key = spec.chosen_cell(result)
    words = [token.text for token in result.tokens]
    if result.encoding_name == "none":
        few = bag_words(words)
        one, other = " ".join(few), " ".join(reversed(few))
        what = f"Without position ‘{one}’ and ‘{other}’ are the same to the encoder: a bag of words"
        return BagFigure(few, result_title(result), f"{what}; {made_with(result)}")
    numbers = result.picture_numbers(layers[0])
    places = [numbered("head", heads, result.num_heads)]
    if isinstance(numbers, WaveNumbers):
        places = []
        what = (
            f"Position vectors of {numbers.width:,} dimensions, base {numbers.base:,.10g}, which "
            "are added to the words, and their products by distance"
        )
    elif isinstance(numbers, BucketNumbers):
        what = f"The bucket of each distance, {_MEANING}, and what it adds to scores"
    else:
        places.insert(0, numbered("layer", layers, result.num_layers))
        what = f"What each distance, {_MEANING}, adds to scores"
        if isinstance(numbers, VectorNumbers):
            what = f"Vectors by distance, {_MEANING}, and what they add to the scores of token "
            what += str(query + 1)
    if isinstance(numbers, WaveNumbers | BucketNumbers):
        layers = layers[:1]  # they are the same for all
    title = " · ".join([result_title(result), *places])
    caption = f"{', '.join([what, *places])}; {made_with(result)}"

    def make(layer: int) -> ChartsFigure:
        columns = _charts(_Asked(export, layer, heads, query, key), result.picture_numbers(layer))
        return ChartsFigure(columns, (words[query], words[key]), title, caption)

    if len(layers) == 1:
        return make(layers[0])
    names = [(f"layer {layer + 1}", f"{layer + 1}") for layer in layers]
    return GridFigure([make(layer) for layer in layers], names, title=title, caption=caption)


def _charts(asked: _Asked, numbers: PictureNumbers | None) -> Columns:
    if isinstance(numbers, WaveNumbers):
        return _wave_charts(asked, numbers)
    if isinstance(numbers, VectorNumbers):
        return _vector_charts(asked, numbers)
    if isinstance(numbers, BucketNumbers):
        return _bucket_charts(asked, numbers)
    return _others_charts(asked)
