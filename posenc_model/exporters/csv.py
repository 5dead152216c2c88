"""The weights of one head as a table: a row for each query, a column for each key."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from posenc_model.exporters.base import Exporter
from posenc_model.matrices import WEIGHTS, matrix_of

if TYPE_CHECKING:
    from posenc_model.result import RunResult


def render_csv(result: RunResult, layer: int, head: int, kind: str = WEIGHTS) -> bytes:
    """UTF-8 with a mark, so that spreadsheets read every script; weights to nine digits.

    Nine significant digits give back each float32 exactly.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    words = [token.text for token in result.tokens]
    writer.writerow(["query \\ key", *words])
    for word, row in zip(words, matrix_of(result, layer, head, kind).tolist(), strict=True):
        writer.writerow([word, *(f"{weight:.9g}" for weight in row)])
    return out.getvalue().encode("utf-8-sig")


CSV = Exporter(".csv", "Weights as a table (CSV)", render_csv)
