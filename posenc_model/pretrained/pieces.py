"""How a model's tokens are written for people.

* A piece that goes on with the word of the piece before it begins with ``·``: BERT's ``##ing`` is
  ``·ing``. A piece that begins a word has no sign: neither GPT-2's ``Ġ`` nor SentencePiece's ``▁``.
* Bytes are decoded (``âĢĻ`` is ``’``); those that are no whole character stay as ``<0xF0>``.
* A piece that is nothing but white space is ``␣``, ``↵`` or ``⇥``, one sign for each character.
* Special and added tokens stand as the vocabulary has them: ``[CLS]``, ``</s>``, ``<mask>``.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from posenc_model.tokenizers import Token

CONTINUED = "·"
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_BLANKS = str.maketrans({" ": "␣", "\n": "↵", "\r": "↵", "\t": "⇥", "\u2581": "␣"})
_BREAKS = str.maketrans({"\n": "↵", "\r": "↵", "\t": "⇥"})


@dataclass(frozen=True)
class Marks:
    """The signs that a tokenizer's vocabulary is written with.

    Attributes:
        is_bytes: Whether each character stands for a byte, as in GPT-2 and RoBERTa.
        prefix: What a continued piece begins with, as ``##``; empty if nothing.
        suffix: What the last piece of a word ends with, as ``</w>``; empty if nothing.
    """

    is_bytes: bool
    prefix: str
    suffix: str


def marks_of(backend: Any) -> Marks:
    """Reads the signs from a ``tokenizers.Tokenizer``."""
    steps = _steps(backend.decoder) + _steps(backend.pre_tokenizer)
    kinds = {step.get("type") for step in steps}
    prefixes = [str(s.get("prefix", "##")) for s in steps if s.get("type") == "WordPiece"]
    suffixes = [str(s.get("suffix", "</w>")) for s in steps if s.get("type") == "BPEDecoder"]
    return Marks(
        is_bytes="ByteLevel" in kinds,
        prefix=prefixes[0] if prefixes else "",
        suffix=suffixes[0] if suffixes else "",
    )


def _steps(part: Any) -> list[dict[str, Any]]:
    """A decoder or pre-tokenizer as the list of its steps, from its own description."""
    if part is None:
        return []
    try:
        described = json.loads(part.__getstate__())
    except Exception:  # one written in Python has no description
        return []
    inner = described.get("decoders") or described.get("pretokenizers")
    return list(inner) if inner else [described]


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for halves of UTF-16 pairs, which no tokenizer takes."""
    return _LONE_SURROGATES.sub("\ufffd", text)


def shown_tokens(
    text: str,
    pieces: Sequence[str],
    offsets: Sequence[tuple[int, int]],
    words: Sequence[int | None],
    is_literal: Sequence[bool],
    is_special: Sequence[bool],
    marks: Marks,
) -> tuple[Token, ...]:
    """The tokens as a person reads them, with their places in the text.

    Args:
        text: What was cut.
        pieces: The tokens as the vocabulary has them.
        offsets: Start and end of each in the text.
        words: To which word each belongs, numbered by the tokenizer.
        is_literal: Which are shown as they are, because they are no pieces of text.
        is_special: Which were added, and so have no place in the text.
        marks: The vocabulary's signs.
    """
    shown: list[Token] = []
    end_before, word_before = 0, None
    for piece, (start, end), word, literal, special in zip(
        pieces, offsets, words, is_literal, is_special, strict=True
    ):
        if special:
            shown.append(Token(piece, end_before, end_before))
            word_before = None
            continue
        while start < end and text[start].isspace() and not text[start:end].isspace():
            start += 1
        is_continued = word is not None and word == word_before and not literal
        plain = piece if literal else _plain(piece, is_continued, marks)
        shown.append(Token(plain, start, end))
        # After a blank that stands alone a word begins, though the tokenizer counts them as one.
        end_before, word_before = end, None if literal or _is_blank(plain) else word
    return tuple(shown)


def _is_blank(plain: str) -> bool:
    return all(character in "␣↵⇥" for character in plain)


def _plain(piece: str, is_continued: bool, marks: Marks) -> str:
    if marks.prefix and is_continued:
        piece = piece.removeprefix(marks.prefix)
    if marks.suffix:
        piece = piece.removesuffix(marks.suffix)
    if marks.is_bytes:
        piece = _decoded(piece)
    if not piece.strip(" \n\r\t\u2581"):
        return piece.translate(_BLANKS)
    if piece[0] in " \u2581":
        piece, is_continued = piece[1:], False
    piece = piece.replace("\u2581", " ").translate(_BREAKS)
    return f"{CONTINUED}{piece}" if is_continued else piece


def _decoded(piece: str) -> str:
    """The characters behind a piece of bytes; the piece itself if it is none."""
    table = _byte_of()
    if any(character not in table for character in piece):
        return piece
    raw = bytes(table[character] for character in piece)
    # surrogateescape gives byte b that is no character as U+DC00 + b.
    return "".join(
        f"<0x{ord(c) - 0xDC00:02X}>" if 0xDC80 <= ord(c) <= 0xDCFF else c
        for c in raw.decode("utf-8", "surrogateescape")
    )


@functools.lru_cache(maxsize=1)
def _byte_of() -> dict[str, int]:
    """GPT-2's table: printable Latin-1 stands for itself, the other bytes from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    table = {chr(byte): byte for byte in printable}
    table.update({chr(0x100 + i): byte for i, byte in enumerate(others)})
    return table
