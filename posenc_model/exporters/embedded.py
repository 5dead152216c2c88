"""Finds in a file of any kind what it says of how it was made."""

from __future__ import annotations

import html
import itertools
import json
import mmap
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

KEYWORD = "posenc"  # of PNG's text chunk

# More than any text that can be run, and what is said of it, takes.
_LARGEST = 64 * 2**20
# Our own files have far fewer parts; those made to keep a reader busy may have more.
_MOST_PARTS = 1_000_000
_MOST_STARTS = 20
# Where it stands in files that hold words of the user's before it, in which no “<” is as it is.
_SLOTS = (b"<metadata>", b'<script type="application/json" id="provenance">')
_FIELDS = {"posenc_export", "text", "settings"}
# As it stands, in a table, and where it is the text of a page.
_START = re.compile(
    rb'\{\s{0,40}("|""|&quot;|&#34;)posenc_export\1\s{0,9}:|'
    # Strings of NumPy's have four bytes a character.
    rb'\{\0\0\0"\0\0\0p\0\0\0o\0\0\0s\0\0\0e\0\0\0n\0\0\0c\0\0\0_\0\0\0e\0\0\0x\0\0\0p'
)


def find_provenance(file: BinaryIO) -> dict[str, Any] | None:
    """What a file of any kind says of itself, if anything."""
    if not file.seek(0, 2):
        return None
    content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = content[:16].lstrip(b"\xef\xbb\xbf \r\n\t")
    parts: Iterator[bytes | mmap.mmap] = iter((content,))
    if start.startswith(b"PK"):
        parts = itertools.chain(_in_zip(file), parts)
    elif start.startswith(b"\x89PNG"):
        parts = _in_png(content)
    elif start.startswith(b"%PDF"):
        parts = _in_pdf(content)
    elif start.startswith(b"<"):
        parts = (content[place:] for slot in _SLOTS if (place := content.find(slot)) >= 0)
    return next(itertools.chain.from_iterable(map(_objects, parts)), None)


def _objects(content: bytes | mmap.mmap) -> Iterator[dict[str, Any]]:
    """The objects that begin as a provenance does."""
    for found in itertools.islice(_START.finditer(content), _MOST_STARTS):
        raw = content[found.start() : found.start() + _LARGEST]
        if found[1] is None:
            raw = raw.replace(b"\0", b"")
        text = raw.decode("utf-8", "replace")
        if found[1] == b'""':
            text = text.replace('""', '"')
        elif found[1] != b'"':
            text = html.unescape(text)
        try:
            candidate, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(candidate, dict) and set(candidate) >= _FIELDS:  # not what a text says
            yield candidate


def _in_zip(file: BinaryIO) -> Iterator[bytes]:
    """The text in an NPZ file, no more of it than any has."""
    try:
        with zipfile.ZipFile(file) as archive, archive.open("provenance.npy") as packed:
            yield packed.read(_LARGEST)
    except Exception:  # zip, zlib and lzma have many names for damage
        return


def _in_png(content: mmap.mmap) -> Iterator[bytes]:
    """The compressed text chunks (PNG specification, 11.3.3.3)."""
    place = 8
    for _ in range(_MOST_PARTS):
        length = int.from_bytes(content[place : place + 4], "big")
        kind = content[place + 4 : place + 8]
        if len(kind) < 4:
            return
        keyword = f"{KEYWORD}\0\0".encode()  # the second zero: by deflate
        begin = place + 8 + len(keyword)
        if kind == b"zTXt" and content[place + 8 : begin] == keyword:
            yield _inflated(content[begin : min(place + 8 + length, begin + _LARGEST)])
        place += length + 12


def _in_pdf(content: mmap.mmap) -> Iterator[bytes]:
    """The compressed streams that begin as a provenance does: one is the attached file."""
    for count, found in enumerate(re.finditer(rb"stream\r?\n(?=\x78)", content)):
        if count >= _MOST_PARTS:
            return
        begin = found.end()
        if _START.match(_inflated(content[begin : begin + 4096], 100)):
            yield _inflated(content[begin : begin + _LARGEST])


def _inflated(content: bytes, most: int = _LARGEST) -> bytes:
    """What a compressed stream begins with; nothing where it is none."""
    try:
        return zlib.decompressobj().decompress(content, most)
    except zlib.error:
        return b""
