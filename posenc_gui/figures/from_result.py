"""Figures made from results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_gui.figures.colormaps import DEFAULT_COLOR_MAP, SIGNED_COLOR_MAP
from posenc_gui.figures.matrix import UNIT_LEVELS, MatrixFigure
from posenc_model.exporters.spec import numbers_text
from posenc_model.matrices import MATRICES, WEIGHTS, matrix_of
from posenc_model.request import MEAN_HEAD
from posenc_model.settings import Settings
from posenc_model.weight_sources import RANDOM, is_text_used

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_SPECIAL_TOKENS = {
    "drop": "special tokens left out",
    "renormalise": "special tokens left out, rescaled",
}
# More of a text is in the file's provenance.
_LONGEST_TEXT = 300


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
    unknown = unknown_tokens(result)
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


def unknown_tokens(result: RunResult) -> frozenset[int]:
    """The tokens whose words are outside the vocabulary, from 0."""
    return frozenset(i for i, is_unknown in enumerate(result.is_unknown) if is_unknown)


def symmetric_levels(matrix: NDArray[np.float32]) -> tuple[float, float]:
    """The ends of a scale that goes as far below 0 as above it."""
    finite = matrix[np.isfinite(matrix)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    # A picture of nothing but 0 still needs a scale.
    return (-largest, largest) if largest > 1e-6 else (-1.0, 1.0)


def head_title(result: RunResult, layer: int, head: int, kind: str = WEIGHTS) -> str:
    """Which encoding, layer and head, counted from 1."""
    which = "mean over heads" if head == MEAN_HEAD else f"head {head + 1}"
    title = f"{result_title(result)} · layer {layer + 1} · {which}{_remarks(result)}"
    return title if kind == WEIGHTS else f"{title} · {MATRICES[kind].title}"


def _remarks(result: RunResult) -> str:
    """What else changes how a picture is read."""
    settings = result.request.settings
    remarks = [
        "look-ahead mask" if settings.attention_mask == "causal" else "",
        "padding shown" if settings.batch and settings.show_padding else "",
        _SPECIAL_TOKENS.get(settings.special_tokens, ""),
    ]
    return "".join(f" · {remark}" for remark in remarks if remark)


def result_title(result: RunResult) -> str:
    """Which encoding, and where the weights come from."""
    return f"{result.encoding_title}, {result.weights_title.partition(',')[0]}"


def caption(result: RunResult, layer: int, head: int, kind: str = WEIGHTS) -> str:
    """What a picture of one head shows, in a sentence."""
    which = "mean" if head == MEAN_HEAD else str(head + 1)
    what = f"Attention {MATRICES[kind].title}, layer {layer + 1}, head {which}"
    return f"{what}; {made_with(result)}"


def made_with(result: RunResult) -> str:
    """The encoder, the settings that are not the usual ones, and the text."""
    request = result.request
    settings = request.settings
    usual = Settings.of({"positional_encoding": settings.positional_encoding}).flat()
    said = {"positional_encoding", "weights", "num_layers", "num_heads", "seed"}
    if settings.weights != RANDOM:
        said.add("width")  # it comes with them
    others = [f"{k}={v}" for k, v in settings.flat().items() if k not in said and usual[k] != v]
    if request.masked:
        others.append("hidden tokens " + ", ".join(str(index + 1) for index in request.masked))
    encoder = f"{result.num_layers} × {result.num_heads} heads, {result.weights_title}"
    words = request.text if is_text_used(settings.weights) else " ".join(_words(result))
    text = " ".join(words.split())
    text = text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
    return "; ".join([f"{result.encoding_title}, {encoder}", *others, f"text: “{text}”"])


def _words(result: RunResult) -> list[str]:
    return [token.text for token in result.tokens[:_LONGEST_TEXT]]


def overview_title(
    result: RunResult, layers: Sequence[int], heads: Sequence[int], kind: str = WEIGHTS
) -> str:
    """Which encoding, layers and heads."""
    which = numbered("layer", layers, result.num_layers), numbered("head", heads, result.num_heads)
    title = f"{result_title(result)} · {which[0]} · {which[1]}{_remarks(result)}"
    return title if kind == WEIGHTS else f"{title} · {MATRICES[kind].title}"


def overview_caption(
    result: RunResult,
    layers: Sequence[int],
    heads: Sequence[int],
    kind: str = WEIGHTS,
    cell: int = 1,
) -> str:
    """What a picture of several heads shows.

    Args:
        result: Whose.
        layers: From 0.
        heads: From 0, or ``MEAN_HEAD``.
        kind: A name in ``MATRICES``.
        cell: How many tokens a cell spans along each axis.
    """
    which = numbered("layer", layers, result.num_layers), numbered("head", heads, result.num_heads)
    reduced = f", each cell the largest of {cell} × {cell}" if cell > 1 else ""
    what = f"Attention {MATRICES[kind].title}, {which[0]}, {which[1]}{reduced}"
    return f"{what}; {made_with(result)}"


def where(result: RunResult, layers: Sequence[int], heads: Sequence[int]) -> str:
    """“layer 3, heads 1–4”."""
    layer = numbered("layer", layers, result.num_layers)
    return f"{layer}, {numbered('head', heads, result.num_heads)}"


def numbered(what: str, numbers: Sequence[int], count: int) -> str:
    """“layer 3”, “layers 1–3, 7”, “all 12 layers”, “mean over heads”."""
    if tuple(numbers) == (MEAN_HEAD,):
        return f"mean over {what}s"
    if len(numbers) == 1:
        return f"{what} {numbers[0] + 1}"
    if len(numbers) == count:
        return f"all {count} {what}s"
    return f"{what}s {numbers_text(numbers).replace('-', '–').replace(',', ', ')}"
