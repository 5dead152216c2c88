"""Many texts out of one file: a text a line, a column of a table, or a key of JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from posenc_model.errors import PosencError
from posenc_model.textfiles import read_text_file

MAX_LIST_BYTES = 64 * 2**20
TABLES, JSON_LINES = (".csv", ".tsv"), (".jsonl", ".ndjson")
_USUAL = "text"


@dataclass(frozen=True)
class Line:
    """One text of many.

    Attributes:
        number: Its line in the file, from 1; of a table, its row, from 1 for the header.
        text: The text.
        problem: Why there is none, as a sentence; ``None`` where there is one.
    """

    number: int
    text: str = ""
    problem: str | None = None


def has_columns(path: Path) -> bool:
    """Whether a file of that name has columns or keys to choose from."""
    return path.suffix.lower() in (*TABLES, *JSON_LINES)


def read_lines(path: Path, column: str | None = None) -> list[Line]:
    """Reads all texts of a file; those that are blank are left out.

    Args:
        path: ``.csv`` or ``.tsv`` with a header, ``.jsonl`` or ``.ndjson`` with an object a line,
            or any text file with a text a line.
        column: Which column or key has the texts; ``None``: the only column, or “text”.

    Raises:
        PosencError: The file cannot be read, has no such column, or has no texts at all.
    """
    content = read_text_file(path, MAX_LIST_BYTES)
    kind = path.suffix.lower()
    if kind in TABLES:
        found = _in_table(content, path, column)
    elif kind in JSON_LINES:
        found = _in_json(content, column or _USUAL)
    else:
        found = (Line(number, text) for number, text in enumerate(content.split("\n"), 1))
    lines = [line for line in found if line.text.strip() or line.problem]
    if not lines:
        raise PosencError(f"“{path.name}” has no texts in it.", "input")
    return lines


def _in_table(content: str, path: Path, column: str | None) -> Iterator[Line]:
    header, _, _ = content.partition("\n")
    # Spreadsheets write what their country takes for a comma.
    delimiter = max(",;\t", key=header.count)
    csv.field_size_limit(MAX_LIST_BYTES)
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    try:
        names = next(rows, [])
        place = _column(names, path, column)
        for number, row in enumerate(rows, 2):
            if len(row) > len(names):
                yield Line(
                    number,
                    problem=f"It has {len(row)} columns, but the header {len(names)}; a text with "
                    f"“{delimiter}” in it has to stand in quotation marks.",
                )
            else:
                text = row[place] if place < len(row) else ""
                is_missing = any(row) and not text.strip()  # a row without anything is a blank line
                problem = f"“{names[place]}” is empty." if is_missing else None
                yield Line(number, text, problem)
    except csv.Error as error:
        raise PosencError(f"“{path.name}” is no table: {error}.", "input") from error


def _column(names: list[str], path: Path, column: str | None) -> int:
    names = [name.strip() for name in names]
    wanted = _USUAL if column is None else column.strip()
    if wanted in names:
        return names.index(wanted)
    if column is None and len(names) == 1:
        return 0
    columns = ", ".join(f"“{name[:40]}”" for name in names[:20]) or "none"
    raise PosencError(
        f"“{path.name}” has no column “{wanted}”; give --column one of these: {columns}.", "column"
    )


def _in_json(content: str, key: str) -> Iterator[Line]:
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            yield _json_line(number, line, key)


def _json_line(number: int, line: str, key: str) -> Line:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return Line(number, problem="It is not valid JSON.")
    if not isinstance(found, dict):
        return Line(number, problem=f"It is no object with the key “{key}”.")
    if key not in found:
        keys = ", ".join(f"“{name[:40]}”" for name in list(found)[:20]) or "none"
        return Line(number, problem=f"It has no key “{key}”; there are: {keys}.")
    text = found[key]
    if not isinstance(text, str):
        return Line(number, problem=f"Its “{key}” is no text.")
    # Half a character, which JSON can hold and no file can.
    return Line(number, text.encode("utf-8", "replace").decode())
