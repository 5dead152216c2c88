"""Why a query looks at a key as it does: one cell of a head, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError
from posenc_model.matrices import why_missing
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult


@dataclass(frozen=True, eq=False)
class CellExplanation:
    """One cell of a head: its score in parts, and what the softmax makes of its row.

    Attributes:
        result: What it belongs to.
        layer: From 0.
        head: From 0.
        query: Which token looks.
        key: Which token is looked at.
        parts: The exact parts of the score, by name; empty where there are none.
        score: Their sum, the score before softmax; ``None`` where only weights are known.
        row: The weights [n] of the query on all keys.
        row_without: The weights [n] if only the content part of this layer's scores counted;
            ``None`` where there is no such part.
        reason: Why there is no such part, as a sentence; ``None`` where there is one.
        is_masked: Whether the query may not look at the key.
    """

    result: RunResult
    layer: int
    head: int
    query: int
    key: int
    parts: dict[str, float]
    score: float | None
    row: NDArray[np.float32]
    row_without: NDArray[np.float32] | None
    reason: str | None
    is_masked: bool = False

    @property
    def weight(self) -> float:
        """The weight of the cell."""
        return float(self.row[self.key])

    @property
    def weight_without(self) -> float | None:
        """The weight of the cell without position in this layer; ``None`` if not known."""
        return None if self.row_without is None else float(self.row_without[self.key])

    @property
    def distance(self) -> int:
        """Key minus query, in tokens."""
        return self.key - self.query


def explain_cell(result: RunResult, layer: int, head: int, query: int, key: int) -> CellExplanation:
    """Takes one cell of a head apart.

    >>> from posenc_model import encode
    >>> cell = explain_cell(encode("one two three", num_layers=1), 0, 0, query=2, key=1)
    >>> sorted(cell.parts), cell.distance
    (['content', 'position'], -1)
    >>> abs(sum(cell.parts.values()) - cell.score) < 1e-5
    True

    Args:
        result: Where the head comes from.
        layer: From 0.
        head: From 0.
        query: Which token looks, from 0.
        key: Which token is looked at, from 0.

    Raises:
        PosencError: ``head`` is the mean over heads, whose weights come from no single score.
    """
    if head == MEAN_HEAD:
        raise PosencError(
            "The mean over heads comes from no single score; choose one head to see why.", "head"
        )
    parts: dict[str, float] = {}
    score = None
    reason = why_missing(result, layer, "change")
    if result.has_scores:
        matrices = result.score_parts(layer, head)
        parts = {name: float(part[query, key]) for name, part in matrices.items()}
        scores = result.scores(layer, head)
        score = None if scores is None else float(scores[query, key])
    without = None if reason is not None else result.weights_without_position(layer, head)
    return CellExplanation(
        result=result,
        layer=layer,
        head=head,
        query=query,
        key=key,
        parts=parts,
        score=score,
        row=result.weights(layer, head)[query].copy(),
        row_without=None if without is None else without[query].copy(),
        reason=reason,
        is_masked=result.mask is not None and not bool(result.mask[query, key]),
    )
