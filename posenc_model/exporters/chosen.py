"""The matrices that files of data hold, head by head, and which of those asked for do not exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError
from posenc_model.exporters.base import Export
from posenc_model.exporters.spec import numbers_text
from posenc_model.matrices import MATRICES, FloatArray, matrix_of, why_missing
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

Array = TypeVar("Array", bound=NDArray[Any])

# Text files with more values than this would have gigabytes.
MOST_TEXT_VALUES = 50_000_000


@dataclass(frozen=True)
class Chosen:
    """One of an export's results, and what of it is asked for; all count from 0.

    Attributes:
        result: The result.
        layers: Its layers.
        heads: Its heads, or ``(MEAN_HEAD,)``.
        tokens: Its tokens, in order.
        kind: Which matrix, a name in ``MATRICES``.
    """

    result: RunResult
    layers: tuple[int, ...]
    heads: tuple[int, ...]
    tokens: tuple[int, ...]
    kind: str

    @property
    def words(self) -> list[str]:
        """The chosen tokens."""
        return [self.result.tokens[index].text for index in self.tokens]

    @property
    def values(self) -> int:
        """How many values all matrices have."""
        return len(self.layers) * len(self.heads) * len(self.tokens) ** 2

    def missing(self, layer: int) -> str | None:
        """Why the heads of a layer have no such matrix, as a sentence; ``None`` where they do."""
        return why_missing(self.result, layer, self.kind)

    def matrix(self, layer: int, head: int) -> FloatArray:
        """The matrix [tokens, tokens] of a head, query by key."""
        return self.part(matrix_of(self.result, layer, head, self.kind))

    def part(self, matrix: Array) -> Array:
        """Of any matrix [n, n], the rows and columns of the chosen tokens."""
        if self.tokens == tuple(range(len(self.result.tokens))):
            return matrix
        return matrix[np.ix_(self.tokens, self.tokens)]  # type: ignore[return-value]

    def heads_of_each_layer(self) -> Iterator[tuple[int, int]]:
        """All chosen layers and heads, heads of a layer side by side."""
        return ((layer, head) for layer in self.layers for head in self.heads)


def chosen(export: Export) -> tuple[Chosen, ...]:
    """What of each of an export's results is asked for, the reference first.

    Raises:
        PosencError: A result has no such layer, head or token, none of its layers has such a
            matrix, or the tokens are not the same with each encoding.
    """
    spec = export.spec
    found = tuple(
        Chosen(
            result,
            spec.chosen_layers(result),
            spec.chosen_heads(result),
            spec.chosen_tokens(result),
            spec.matrix,
        )
        for result in export.results
    )
    reasons = [one.missing(layer) for one in found for layer in one.layers]
    if all(reasons):
        raise PosencError(str(reasons[0]), "matrix")
    for one in found[1:]:
        if one.words != found[0].words:
            raise PosencError(
                f"With {one.result.encoding_title} the text has other tokens than with "
                f"{found[0].result.encoding_title}: export each by itself.",
                "compare",
            )
    return found


def left_out(found: tuple[Chosen, ...], instead: str) -> tuple[str, ...]:
    """Sentences on the layers that have no such matrix.

    Args:
        found: What is exported.
        instead: What becomes of them: ``"Left out"``.
    """
    sentences = []
    for one in found:
        layers = [layer for layer in one.layers if one.missing(layer)]
        if layers:
            where = f"layer {layers[0] + 1}"
            if len(layers) > 1:
                where = f"layers {numbers_text(layers)}"
            sentences.append(
                f"{instead}, because there is no “{MATRICES[one.kind].title}” in {where} of "
                f"{one.result.encoding_title}: {one.missing(layers[0])}"
            )
    return tuple(sentences)


def head_name(head: int) -> str:
    """A head's number, from 1, or ``"mean"``."""
    return "mean" if head == MEAN_HEAD else str(head + 1)


def check_text_size(found: tuple[Chosen, ...], suffix: str) -> None:
    """Refuses what would become a text file of gigabytes.

    Raises:
        PosencError: There are too many values.
    """
    values = sum(one.values for one in found)
    if values > MOST_TEXT_VALUES:
        raise PosencError(
            f"A {suffix} file of {values:,} values would be too large: name fewer layers, heads or "
            f"tokens, so that there are at most {MOST_TEXT_VALUES:,}, or save them as .npz.",
            "export",
        )


def text_of(row: FloatArray, missing: str) -> list[str]:
    """Numbers as text, with the nine significant digits that give back each float32 exactly.

    Args:
        row: The numbers [n].
        missing: What stands for those that are not finite.
    """
    written = ("%.9g " * len(row) % tuple(row.tolist())).split()
    if np.isfinite(row).all():
        return written
    return [text if text.lstrip("-")[0].isdigit() else missing for text in written]
