"""Matrices as a table: wide, a row for each query of one head; or long, a row for each value.

The first line is one cell that says where the file comes from; the names of the columns follow.
Cells that are masked and have no value are empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from posenc_model.errors import PosencError
from posenc_model.exporters.base import Export, Exporter, Rendered
from posenc_model.exporters.chosen import (
    Chosen,
    check_text_size,
    chosen,
    head_name,
    left_out,
    text_of,
)
from posenc_model.exporters.provenance import provenance_json

_LONG_COLUMNS = ("layer", "head", "query", "key", "query token", "key token")


def _render(export: Export) -> Rendered:
    """UTF-8 with a mark, so that spreadsheets read every script."""
    found = chosen(export)
    heads = sum(len(one.layers) * len(one.heads) for one in found)
    if export.spec.table == "wide" and heads > 1:
        raise PosencError(
            f"A wide table has room for one head, but {heads:,} are chosen: name one layer and one "
            "head of one encoding, or make the table long.",
            "table",
        )
    check_text_size(found, ".csv")
    is_long = export.spec.table == "long" or heads > 1
    out = io.BytesIO()
    out.write(b"\xef\xbb\xbf")
    out.write(_line([f"# {provenance_json(export)}"]).encode())
    for text in _long(found) if is_long else _wide(found[0]):
        out.write(text.encode())
    return Rendered(out.getvalue(), left_out(found, "Left out"))


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _wide(one: Chosen) -> Iterator[str]:
    words = one.words
    yield _line(["query \\ key", *words])
    for word, row in zip(words, one.matrix(one.layers[0], one.heads[0]), strict=True):
        yield _line([word, *text_of(row, "")])


def _long(found: tuple[Chosen, ...]) -> Iterator[str]:
    are_several = len(found) > 1
    columns = [*_LONG_COLUMNS, found[0].kind]
    yield _line(["encoding", *columns] if are_several else columns)
    for one in found:
        encoding = _line([one.result.encoding_title]).rstrip("\r\n") + "," if are_several else ""
        # The words in quotes where they need them, once for all heads: there can be millions of
        # lines.
        words = [_line([word]).removesuffix("\r\n") for word in one.words]
        numbers = [str(index + 1) for index in one.tokens]
        for layer, head in one.heads_of_each_layer():
            if one.missing(layer):
                continue
            start = f"{encoding}{layer + 1},{head_name(head)},"
            matrix = one.matrix(layer, head)
            for query, query_word, row in zip(numbers, words, matrix, strict=True):
                yield "".join(
                    f"{start}{query},{key},{query_word},{key_word},{value}\r\n"
                    for key, key_word, value in zip(numbers, words, text_of(row, ""), strict=True)
                )


CSV = Exporter(".csv", "Table (CSV)", _render)
