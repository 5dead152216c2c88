"""Everything that is known of a result as NumPy arrays.

``weights`` and ``scores`` [layers, heads, n, n] are query by key; a ``score_…`` is one of the exact
parts that a score is the sum of, and ``weights_without_position`` the softmax of the content alone.
Scores of masked cells are −inf and their parts not a number, as is all that a layer does not have.
``hidden_states`` [layers + 1, n, D] are the input of the first layer and the output of each,
``mask`` [n, n] says which keys a query may look at. ``layers`` and ``heads`` count from 1; head 0
is the mean over heads. Encodings that are compared with follow as ``rel_weights`` and so on.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError
from posenc_model.exporters.base import Export, Exporter, Rendered
from posenc_model.exporters.chosen import Chosen, chosen
from posenc_model.exporters.provenance import provenance_json
from posenc_model.matrices import WEIGHTS, FloatArray, matrix_of

MOST_BYTES = 2_000_000_000


def _render(export: Export) -> Rendered:
    # Whatever matrix is chosen: all of them go into the file.
    every = replace(export, spec=replace(export.spec, matrix=WEIGHTS))
    found = chosen(every)
    _check_size(found)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in _arrays(export, found):
            # A ZipInfo of a name alone has the same date each time.
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
            del array  # before the next is made: each can have a gigabyte
    notes = [note for one in found for note in _notes(one)]
    return Rendered(out.getvalue(), tuple(notes))


def _arrays(export: Export, found: tuple[Chosen, ...]) -> Iterator[tuple[str, NDArray[Any]]]:
    first = found[0]
    title = f"{first.result.encoding_title}, {first.result.weights_title}"
    yield "provenance", np.array(provenance_json(export))
    yield "title", np.array(title)
    yield "tokens", np.array(first.words)
    yield "layers", np.array([layer + 1 for layer in first.layers])
    yield "heads", np.array([head + 1 for head in first.heads])
    for one in found:
        prefix = "" if one is first else f"{one.result.encoding_title}_"
        for name, make in _matrices(one).items():
            yield f"{prefix}{name}", _stacked(one, make)
        states, mask = one.result.hidden_states, one.result.mask
        if states is not None:
            yield f"{prefix}hidden_states", states[:, list(one.tokens)]
        if mask is not None:
            yield f"{prefix}mask", one.part(mask)


Make = Callable[[int, int], "FloatArray | None"]


def _matrices(one: Chosen) -> dict[str, Make]:
    """What is known of a head, by the name of the array; each takes a layer and a head."""
    result = one.result
    found: dict[str, Make] = {"weights": result.weights}
    if result.has_scores:
        found["scores"] = lambda layer, head: matrix_of(result, layer, head, "scores")
    for layer in one.layers:
        for name in result.part_names(layer):
            found["score_" + re.sub(r"\W+", "_", name)] = partial(_part, one, name)
    head = one.heads[0]
    if any(result.weights_without_position(layer, head) is not None for layer in one.layers):
        found["weights_without_position"] = result.weights_without_position
    return found


def _part(one: Chosen, name: str, layer: int, head: int) -> FloatArray | None:
    part = one.result.score_parts(layer, head).get(name)
    mask = one.result.mask
    return part if part is None or mask is None else np.where(mask, part, np.float32(np.nan))


def _stacked(one: Chosen, make: Make) -> FloatArray:
    """[layers, heads, n, n]; not a number where a layer has no such matrix."""
    n = len(one.tokens)
    stacked = np.full((len(one.layers), len(one.heads), n, n), np.nan, dtype=np.float32)
    places = stacked.reshape(-1, n, n)
    for place, (layer, head) in zip(places, one.heads_of_each_layer(), strict=True):
        matrix = make(layer, head)
        if matrix is not None:
            place[:] = one.part(matrix)
    return stacked


def _check_size(found: tuple[Chosen, ...]) -> None:
    size = 0
    for one in found:
        size += 4 * len(_matrices(one)) * one.values
        states = one.result.hidden_states
        size += 0 if states is None else states.nbytes
    if size > MOST_BYTES:
        raise PosencError(
            f"The .npz file would have {size / 1e9:,.1f} GB, but can have at most "
            f"{MOST_BYTES / 1e9:.0f} GB: name fewer layers, heads or tokens.",
            "export",
        )


def _notes(one: Chosen) -> Iterator[str]:
    """Which arrays are not a number in some layers."""
    reasons = {layer: one.result.split_reason(layer) for layer in one.layers}
    whole = [layer for layer in one.layers if one.result.has_scores and reasons[layer] is None]
    lacking = [layer for layer in one.layers if layer not in whole]
    if whole and lacking:
        yield (
            f"Parts of scores that a layer of {one.result.encoding_title} does not have are NaN: "
            f"{reasons[lacking[0]]}"
        )


NPZ = Exporter(".npz", "All data (NumPy)", _render, takes_all=True)
