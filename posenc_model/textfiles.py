"""Reading text files that people have, whatever wrote them."""

from __future__ import annotations

import codecs
from pathlib import Path

from posenc_model.errors import PosencError

MAX_BYTES = 2 * 2**20

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text_file(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Reads a text file in UTF-8, UTF-16, UTF-32 or Latin-1 (Windows-1252); line ends become \\n.

    Raises:
        PosencError: There is no such file, it is too large, or it does not hold text.
    """
    try:
        if path.is_dir():
            raise PosencError(f"“{path.name or path}” is a folder, not a text file.", "text")
        if path.exists() and not path.is_file():  # a pipe or device may never end
            raise PosencError(f"“{path}” is not an ordinary file.", "text")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            size = max(len(data), path.stat().st_size)
            raise PosencError(
                f"“{path.name}” has {size / 2**20:.1f} MB; "
                f"text files up to {max_bytes // 2**20} MB can be opened.",
                "text",
            )
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PosencError(f"“{path}” could not be read: {reason}.", "text") from error
    return decode_text(data, path.name)


def expanded(path: Path) -> Path:
    """``path`` with a leading ~ resolved, or as it is where there is no such user."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def decode_text(data: bytes, name: str) -> str:
    """Decodes the content of a text file called ``name``.

    Raises:
        PosencError: It does not hold text.
    """
    encodings = [encoding for mark, encoding in _MARKS if data.startswith(mark)][:1]
    encodings = encodings or [*_unmarked_utf16(data), "utf-8", "cp1252", "latin-1"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not _looks_binary(text):
            return text.replace("\r\n", "\n").replace("\r", "\n")
    raise PosencError(
        f"“{name}” does not hold text that can be read (UTF-8, UTF-16 or Latin-1).", "text"
    )


def _unmarked_utf16(data: bytes) -> list[str]:
    """Which UTF-16 a file without a mark may be in: in western text every other byte is zero."""
    if len(data) < 2 or len(data) % 2:
        return []
    half = len(data) / 2
    if data[1::2].count(0) > 0.6 * half and data[0::2].count(0) < 0.1 * half:
        return ["utf-16-le"]
    if data[0::2].count(0) > 0.6 * half and data[1::2].count(0) < 0.1 * half:
        return ["utf-16-be"]
    return []


def _looks_binary(text: str) -> bool:
    """Whether control characters stand where text has none."""
    return any((c < " " and c not in "\t\n\r\f\v\x1b") or c == "\x7f" for c in text)
