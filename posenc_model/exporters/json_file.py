"""Matrices as JSON: one object that any language reads, and the program itself where it is weights.

``tokens`` are n strings, ``layers`` and ``heads`` numbers from 1 (or ``"mean"``), ``matrix`` the
name of what is held, and the value of that name [layers, heads, n, n], query by key. What has no
value is null: a masked cell, or the whole matrix of a head that has none. Encodings that are
compared with follow as ``rel_weights`` and so on.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from posenc_model.exporters.base import Export, Exporter, Rendered
from posenc_model.exporters.chosen import Chosen, check_text_size, chosen, left_out, text_of
from posenc_model.exporters.provenance import provenance_json
from posenc_model.request import MEAN_HEAD


def _render(export: Export) -> Rendered:
    found = chosen(export)
    check_text_size(found, ".json")
    first = found[0]
    about = {
        "title": f"{first.result.encoding_title}, {first.result.weights_title}",
        "tokens": first.words,
        "layers": [layer + 1 for layer in first.layers],
        "heads": ["mean" if head == MEAN_HEAD else head + 1 for head in first.heads],
        "matrix": first.kind,
    }
    out = io.BytesIO()
    out.write(f'{{"provenance": {provenance_json(export)}'.encode())
    for name, value in about.items():
        out.write(f",\n{_text(name)}: {_text(value)}".encode())
    for one in found:
        name = first.kind if one is first else f"{one.result.encoding_title}_{first.kind}"
        out.write(f",\n{_text(name)}: [".encode())
        for text in _matrices(one):
            out.write(text.encode())
        out.write(b"]")
    out.write(b"}\n")
    return Rendered(out.getvalue(), left_out(found, "Written as null"))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _matrices(one: Chosen) -> Iterator[str]:
    """The nested lists of all layers and heads, a row of a matrix a line."""
    for layer in one.layers:
        yield "[" if layer == one.layers[0] else ",\n["
        for head in one.heads:
            yield "" if head == one.heads[0] else ",\n"
            if one.missing(layer):
                yield "null"
                continue
            rows = (", ".join(text_of(row, "null")) for row in one.matrix(layer, head))
            yield "[" + ",\n".join(f"[{row}]" for row in rows) + "]"
        yield "]"


JSON = Exporter(".json", "Data (JSON)", _render)
