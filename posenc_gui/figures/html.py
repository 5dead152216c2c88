"""All heads as one page that any browser opens from disk, without network or other files.

``resources/page/heads.html`` is the page; what it shows is put into it here. The matrix of each
head is a PNG of grey levels: 0 for a cell without a value (masked), the others evenly from the
lower end of the head's own scale to the upper. The page says how exact that is.
"""

from __future__ import annotations

import base64
import html
import json
import re
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posenc_gui.figures.colormaps import SIGNED_COLOR_MAP, lookup_table
from posenc_gui.figures.from_result import overview_caption, result_title
from posenc_gui.figures.labels import visible
from posenc_model.errors import PosencError
from posenc_model.exporters import Export, Exporter, Rendered
from posenc_model.exporters.chosen import Chosen, chosen, head_name, left_out
from posenc_model.exporters.look import AUTOMATIC, DARK, TRANSPARENT_DARK, levels_of
from posenc_model.exporters.provenance import provenance_json
from posenc_model.matrices import MATRICES, WEIGHTS
from posenc_model.resources import resource_folder

# What browsers open without trouble: 96 heads of 512 tokens with all grey levels stay below the
# number of bytes, those of 1,024 tokens are the most.
MOST_CELLS, MOST_BYTES = 96 * 1024**2, 30_000_000
# How many values a head's grey levels tell apart, finest first; odd, so that 0 is one of them.
LEVELS = (255, 127, 63)
_HEAD = 1024  # bytes, about, that each head needs besides

_SENTENCES = {
    WEIGHTS: "{who} gives {value} of its attention to {whom}",
    "scores": "The score of {who} for {whom} is {value}",
    "content": "What the words are gives {value} to the score of {who} for {whom}",
    "position": "Where the words stand gives {value} to the score of {who} for {whom}",
    "change": "Position changes the attention of {who} on {whom} by {value}",
}
_UNITS = {WEIGHTS: " %", "change": " percentage points"}


def _render(export: Export) -> Rendered:
    found = chosen(export)
    cells = sum(one.values for one in found)
    if cells > MOST_CELLS:
        raise PosencError(
            f"A page of {cells:,} cells would be too large for a browser: name fewer layers, heads "
            f"or tokens, so that there are at most {MOST_CELLS:,}.",
            "export",
        )
    notes = list(left_out(found, "Left out"))
    heads, levels = _encoded(found, cells)
    if levels != LEVELS[0]:
        notes.append(
            f"With so many cells the page keeps {levels} levels of each head instead of "
            f"{LEVELS[0]}: values are exact to ± {50 / (levels - 1):.1f} % of the head’s largest."
        )
    title = export.look.title if export.look.title != AUTOMATIC else _title(found)
    page = _page(export, found, title, levels)
    page["scales"] = [[scale for scale, _ in of_result] for of_result in heads]
    parts = {
        "title": html.escape(title or "PosEnc"),
        # Nothing in a script ends it, and JSON may write any character like that.
        "provenance": provenance_json(export).replace("<", r"\u003c"),
        "page": json.dumps(page, separators=(",", ":")).replace("<", r"\u003c"),
        "heads": "\n".join(
            f'<script type="text/plain" id="head-{result}-{index}">{picture}</script>'
            for result, of_result in enumerate(heads)
            for index, (_, picture) in enumerate(of_result)
            if picture
        ),
    }
    template = (resource_folder() / "page" / "heads.html").read_text("utf-8")
    # In one go: what is put in may look like a mark.
    text = re.sub(r"<!--(\w+)-->", lambda mark: parts[mark[1]], template)
    return Rendered(text.encode("utf-8", "replace"), tuple(notes))


def _title(found: tuple[Chosen, ...]) -> str:
    first = found[0]
    title = f"Attention {MATRICES[first.kind].title} · {result_title(first.result)}"
    others = ", ".join(one.result.encoding_title for one in found[1:])
    return f"{title}, beside {others}" if others else title


def _page(export: Export, found: tuple[Chosen, ...], title: str, levels: int) -> dict[str, Any]:
    """What the page has to know besides the values."""
    first, look = found[0], export.look
    result, kind = first.result, MATRICES[first.kind]
    caption = look.caption
    if caption == AUTOMATIC:
        caption = overview_caption(result, first.layers, first.heads, first.kind)
    color_range = levels_of(look.color_range)
    colors = lookup_table(SIGNED_COLOR_MAP if kind.is_signed else look.color_map)
    return {
        "title": title,
        "caption": caption,
        "about": f"{result.encoding_title}, {result.weights_title} · {result.num_layers} × "
        f"{result.num_heads} heads · {len(result.tokens):,} "
        f"token{'s' if len(result.tokens) > 1 else ''}",
        "words": [visible(word) for word in first.words],
        "numbers": [index + 1 for index in first.tokens],
        "unknown": [new for new, old in enumerate(first.tokens) if result.is_unknown[old]],
        "layers": [layer + 1 for layer in first.layers],
        "heads": [head_name(head) for head in first.heads],
        "encodings": [one.result.encoding_title for one in found],
        "reasons": [[one.missing(layer) for layer in one.layers] for one in found],
        "matrix": kind.title,
        "scale": kind.scale_name,
        "summary": kind.summary,
        "signed": kind.is_signed,
        "sentence": _SENTENCES[first.kind],
        "unit": _UNITS.get(first.kind, ""),
        "levels": levels,
        "colors": colors[:, :3].tobytes().hex(),
        "range": list(color_range) if isinstance(color_range, tuple) else color_range,
        "dark": look.theme in (DARK, TRANSPARENT_DARK),
        "font": look.font,
        "bar": look.color_bar,
        "axes": look.axis_names,
        "labels": look.labels,
        "cells": look.numbers,
        "warnings": list(result.warnings),
    }


# A head's scale, the values of the lowest and the highest level, and its picture in base 64.
_Head = tuple["tuple[float, float] | None", str]


def _encoded(found: tuple[Chosen, ...], cells: int) -> tuple[list[list[_Head]], int]:
    """All heads with as many levels as there is room for, and how many these are."""
    # The finest levels never fit where even those that compress well did not.
    finest = 0 if cells * 4 / 3 < 1.2 * MOST_BYTES else len(LEVELS) - 1
    for levels in LEVELS[finest:]:
        heads = [
            [_head(one, layer, head, levels) for layer, head in one.heads_of_each_layer()]
            for one in found
        ]
        size = sum(len(picture) + _HEAD for of_result in heads for _, picture in of_result)
        if size < MOST_BYTES:
            break
    return heads, levels


def _head(one: Chosen, layer: int, head: int, levels: int) -> _Head:
    if one.missing(layer):
        return None, ""
    matrix = one.matrix(layer, head)
    mask = one.result.mask
    has_value = np.isfinite(matrix)
    if mask is not None:
        has_value = has_value & one.part(mask)
    values = np.where(has_value, matrix, 0.0).astype(np.float64)
    high = float(np.abs(values).max(initial=0.0))
    # Weights that were computed elsewhere may lie below 0 as well.
    low = -high if MATRICES[one.kind].is_signed or values.min(initial=0.0) < 0 else 0.0
    scaled = (values - low) / (high - low or 1.0) * (levels - 1)
    codes = np.where(has_value, np.rint(scaled) + 1, 0).astype(np.uint8)
    return (low, high), base64.b64encode(gray_png(codes)).decode()


def gray_png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG of grey levels [height, width], the same bytes each time and small."""
    height, width = pixels.shape
    above = np.vstack([np.zeros((1, width), np.uint8), pixels[:-1]])
    # Each line begins with how it was filtered: not at all, or as the difference from that above.
    packed = min(
        (
            zlib.compress(np.insert(lines, 0, kind, axis=1).tobytes(), 6)
            for kind, lines in ((0, pixels), (2, pixels - above))
        ),
        key=len,
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


HTML = Exporter(".html", "Page of all heads (HTML)", _render, takes_all=True)
