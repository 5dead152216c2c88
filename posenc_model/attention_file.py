"""Attention that somebody else computed: an NPZ or JSON file of weights and tokens.

``weights`` (or ``attentions``) is [layers, heads, n, n], [heads, n, n] or [n, n], query by key, and
``tokens`` are n strings. JSON holds them as nested lists in one object. Optionally ``title`` is a
string. Weights are shown as they stand; what is odd about them is said in a warning.
"""

from __future__ import annotations

import json
import stat
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError

MAX_BYTES = 2**30  # of the weights in float32
MAX_JSON_BYTES = 64 * 2**20
MAX_TITLE = 200
_MAX_TOKENS_BYTES = 64 * 2**20
_SUM_TOLERANCE = 1e-3  # float16 weights of long rows are that far off

_WEIGHTS = ("weights", "attentions")
_SHAPES = "[layers, heads, n, n], [heads, n, n] or [n, n]"


@dataclass(frozen=True, eq=False)
class AttentionFile:
    """Attention that was read from a file.

    Attributes:
        tokens: The n tokens.
        attentions: The weights [layers, heads, n, n], query by key.
        title: What the file calls itself, or its name.
        warnings: What the user should know, as sentences.
    """

    tokens: tuple[str, ...]
    attentions: NDArray[np.float32]
    title: str
    warnings: tuple[str, ...]


def read_attention_file(path: Path) -> AttentionFile:
    """Reads weights and tokens that somebody else computed.

    Args:
        path: An ``.npz`` or a ``.json`` file; told apart by their content.

    Raises:
        PosencError: It cannot be read or does not hold such weights; the sentence says why.
    """
    try:
        about = path.stat()
        if stat.S_ISDIR(about.st_mode):
            raise _refuse(f"“{path.name or path}” is a folder; choose an .npz or .json file.")
        if not stat.S_ISREG(about.st_mode):  # a pipe or a device may never end
            raise _refuse(f"“{path.name}” is not an ordinary file.")
        with path.open("rb") as file:
            is_zip = file.read(2) == b"PK"
        found = _read_npz(path) if is_zip else _read_json(path, about.st_size)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise _refuse(f"“{path}” could not be read: {reason}.") from error
    name = _name_of_weights(found, path)
    weights = _shaped(found[name], name, path)
    tokens = _tokens(found, weights.shape[-1], path)
    title = found.get("title")
    if isinstance(title, np.ndarray) and title.ndim == 0:
        title = title.item()
    is_title = isinstance(title, str) and title.strip() != ""
    return AttentionFile(
        tokens=tokens,
        attentions=weights,
        title=str(title).strip()[:MAX_TITLE] if is_title else path.stem,
        warnings=_warnings(weights),
    )


def _refuse(sentence: str) -> PosencError:
    return PosencError(sentence, "weights")


def _read_npz(path: Path) -> dict[str, Any]:
    """The arrays of an NPZ file that are needed, looked at before they are unpacked."""
    found: dict[str, Any] = {}
    try:
        with zipfile.ZipFile(path) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's, of headers that Python 2 wrote
            for entry in archive.infolist():
                name = entry.filename.removesuffix(".npy")
                if name in (*_WEIGHTS, "tokens", "key_tokens", "title"):
                    found[name] = _read_npy(archive, entry, path)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise _refuse(f"“{path.name}” is cut off or damaged: {str(error).lower()}.") from error
    except Exception as error:
        # zlib and lzma have errors of their own.
        if isinstance(error, (PosencError, OSError)):
            raise
        raise _refuse(f"“{path.name}” is damaged: {str(error).lower()}.") from error
    return found


def _read_npy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> Any:
    name = entry.filename.removesuffix(".npy")
    is_weights = name in _WEIGHTS
    with archive.open(entry) as file:
        try:
            version = np.lib.format.read_magic(file)
            read_header = (
                np.lib.format.read_array_header_1_0
                if version == (1, 0)
                else np.lib.format.read_array_header_2_0
            )
            shape, _, dtype = read_header(file)
        except ValueError as error:
            raise _refuse(f"“{name}” in “{path.name}” is not an array of NumPy's.") from error
    if dtype.hasobject:
        raise _refuse(
            f"“{name}” in “{path.name}” holds Python objects, which are never loaded; save it as "
            f"{'numbers' if is_weights else 'strings'}."
        )
    if is_weights:
        _check_shape(shape, name, path)
        _check_kind(dtype, name, path)
    # Python's own numbers, which do not overflow.
    size = dtype.itemsize
    for length in shape:
        size *= int(length)
    # float64 takes twice the memory for a moment.
    if size > (2 * MAX_BYTES if is_weights else _MAX_TOKENS_BYTES):
        raise _refuse(f"“{name}” in “{path.name}” is too large: {size / 2**20:,.0f} MB.")
    with archive.open(entry) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _read_json(path: Path, size: int) -> dict[str, Any]:
    if size > MAX_JSON_BYTES:
        raise _refuse(
            f"“{path.name}” has {size / 2**20:,.1f} MB; JSON files up to "
            f"{MAX_JSON_BYTES // 2**20} MB can be opened, NPZ files up to 1 GB."
        )
    with path.open("rb") as file:
        data = file.read(MAX_JSON_BYTES + 1)
    if data[:6] == b"\x93NUMPY":
        raise _refuse(
            f"“{path.name}” is a single array; save weights and tokens together with numpy.savez."
        )
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise _refuse(f"“{path.name}” is neither an NPZ file nor valid JSON.") from error
    if not isinstance(content, dict):
        raise _refuse(
            f"“{path.name}” has to hold a JSON object with “weights” and “tokens”, not a "
            f"{'list' if isinstance(content, list) else 'single value'}."
        )
    for name in _WEIGHTS:
        if name in content:
            content[name] = _array(content[name], name, path)
    return content


def _array(nested: Any, name: str, path: Path) -> NDArray[Any]:
    """Nested lists as an array, if they are numbers and of one length at each depth."""
    if any(type(one) not in (int, float) for one in _leaves(nested)):
        raise _refuse(f"“{name}” in “{path.name}” holds something that is no number.")
    try:
        return np.array(nested, dtype=np.float64)
    except (ValueError, OverflowError) as error:
        raise _refuse(
            f"The lists in “{name}” of “{path.name}” are of different lengths, or hold numbers "
            f"that are too large; they have to be {_SHAPES}."
        ) from error


def _leaves(nested: Any) -> Iterator[Any]:
    waiting = [nested]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one)
        else:
            yield one


def _name_of_weights(found: dict[str, Any], path: Path) -> str:
    names = [name for name in _WEIGHTS if name in found]
    if not names:
        raise _refuse(
            f"“{path.name}” has no “weights”; it needs “weights” ({_SHAPES}) and “tokens”."
        )
    if len(names) > 1:
        raise _refuse(f"“{path.name}” has both “weights” and “attentions”; give one of them.")
    return names[0]


def _check_shape(shape: tuple[int, ...], name: str, path: Path) -> None:
    shown = " × ".join(str(size) for size in shape) or "a single number"
    allowed = f"“{name}” in “{path.name}” is {shown}; it has to be {_SHAPES}"
    if not 2 <= len(shape) <= 4:
        raise _refuse(f"{allowed}.")
    if shape[-1] != shape[-2]:
        raise _refuse(
            f"{allowed}: as many keys as queries. Attention between two texts cannot be shown."
        )
    if 0 in shape:
        raise _refuse(f"{allowed}, with at least one token, head and layer.")
    numbers = 1
    for size in shape:
        numbers *= int(size)
    if 4 * numbers > MAX_BYTES:
        raise _refuse(
            f"{allowed}, and at most {MAX_BYTES // 2**30} GB in float32, not "
            f"{4 * numbers / 2**30:,.1f} GB."
        )


def _check_kind(dtype: np.dtype[Any], name: str, path: Path) -> None:
    if dtype.kind not in "fiub":
        raise _refuse(f"“{name}” in “{path.name}” is of type {dtype}, but has to be real numbers.")


def _shaped(array: NDArray[Any], name: str, path: Path) -> NDArray[np.float32]:
    """The weights as [layers, heads, n, n], all of them finite."""
    _check_shape(array.shape, name, path)
    _check_kind(array.dtype, name, path)
    with np.errstate(over="ignore"):  # what becomes infinite is refused next
        weights = np.ascontiguousarray(array, dtype=np.float32)
    weights = weights.reshape((1,) * (4 - weights.ndim) + weights.shape)
    finite = np.isfinite(weights)
    wrong = finite.size - np.count_nonzero(finite)
    if wrong:
        first = np.unravel_index(int(np.argmin(finite)), finite.shape)
        layer, head, query, key = (int(i) + 1 for i in first)
        raise _refuse(
            f"“{name}” in “{path.name}” has {wrong:,} values that are not finite, the first in "
            f"layer {layer}, head {head}, query {query}, key {key}."
        )
    return weights


def _tokens(found: dict[str, Any], n: int, path: Path) -> tuple[str, ...]:
    if "tokens" not in found:
        raise _refuse(f"“{path.name}” has no “tokens”; it needs {n} strings, one for each row.")
    tokens = _strings(found["tokens"], "tokens", path)
    if len(tokens) != n:
        raise _refuse(
            f"“{path.name}” has {len(tokens):,} tokens, but weights for {n:,}; there has to be one "
            "token for each row."
        )
    if "key_tokens" in found and _strings(found["key_tokens"], "key_tokens", path) != tokens:
        raise _refuse(
            f"“{path.name}” has other key tokens than tokens; attention between two texts cannot "
            "be shown."
        )
    return tokens


def _strings(value: Any, name: str, path: Path) -> tuple[str, ...]:
    if isinstance(value, np.ndarray):
        if value.ndim != 1 or value.dtype.kind != "U":
            raise _refuse(
                f"“{name}” in “{path.name}” is an array of type {value.dtype} with "
                f"{value.ndim} dimensions, but has to be a list of strings."
            )
        value = value.tolist()
    if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
        raise _refuse(f"“{name}” in “{path.name}” has to be a list of strings.")
    # Lone halves of UTF-16 pairs can be neither shown nor saved.
    return tuple(
        t.encode("utf-8", "replace").decode("utf-8") if _is_broken(t) else t for t in value
    )


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _warnings(weights: NDArray[np.float32]) -> tuple[str, ...]:
    """What is unlike the output of a softmax."""
    sentences = []
    least, most = float(weights.min()), float(weights.max())
    if least < 0 or most > 1 + _SUM_TOLERANCE:
        sentences.append(
            f"The weights go from {least:.4g} to {most:.4g} instead of from 0 to 1; they are shown "
            "as they are."
        )
    off = np.abs(weights.sum(-1, dtype=np.float64) - 1)
    if off.max() > _SUM_TOLERANCE:
        rows = int((off > _SUM_TOLERANCE).sum())
        sentences.append(
            f"{rows:,} of {off.size:,} rows do not sum to 1: the sum is off by up to "
            f"{off.max():.4g}. They are shown as they are."
        )
    return tuple(sentences)
