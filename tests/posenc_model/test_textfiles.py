"""Text files in whatever encoding they come."""

import errno
import os
from pathlib import Path

import pytest

from posenc_model.errors import PosencError
from posenc_model.textfiles import MAX_BYTES, read_text_file

TEXT = "Größe naïve café\nsecond line"
MIXED = "她们 مرحبا 😀 naïve"


def written(folder: Path, content: bytes) -> Path:
    path = folder / "file.txt"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"]
)
def test_western_text_is_read_in_every_encoding(tmp_path, encoding):
    assert read_text_file(written(tmp_path, TEXT.encode(encoding))) == TEXT


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_script_is_read_in_every_marked_encoding_and_utf_8(tmp_path, encoding):
    assert read_text_file(written(tmp_path, MIXED.encode(encoding))) == MIXED


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("bits", [16, 32])
def test_both_byte_orders_are_read_where_a_mark_says_which(tmp_path, bits, order):
    content = ("\ufeff" + MIXED).encode(f"utf-{bits}-{order}")
    assert read_text_file(written(tmp_path, content)) == MIXED


def test_windows_quotes_are_read(tmp_path):
    assert read_text_file(written(tmp_path, b"\x93quoted\x94 \x80 5")) == "“quoted” € 5"


def test_line_ends_become_newlines(tmp_path):
    assert read_text_file(written(tmp_path, b"a\r\nb\rc\nd")) == "a\nb\nc\nd"


def test_an_empty_file_is_empty_text(tmp_path):
    assert read_text_file(written(tmp_path, b"")) == ""


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"\x7fELF\x02\x01\x01\x00",
        b"text with a \x00 null",
        bytes(range(256)),
        b"\xff\xfe\x00\xd8\x00\x00",  # UTF-16 by its mark, half a pair by its content
    ],
)
def test_what_does_not_hold_text_is_refused(tmp_path, content):
    with pytest.raises(PosencError, match=r"“file.txt” does not hold text") as refusal:
        read_text_file(written(tmp_path, content))
    assert refusal.value.setting == "text"


def test_the_largest_file_is_read_and_a_larger_one_is_refused(tmp_path):
    assert len(read_text_file(written(tmp_path, b"a" * MAX_BYTES))) == MAX_BYTES
    with pytest.raises(PosencError, match=r"“file.txt” has 3.0 MB; text files up to 2 MB"):
        read_text_file(written(tmp_path, b"a" * (3 * 2**20)))


def test_a_folder_and_a_missing_file_are_told_apart(tmp_path):
    with pytest.raises(PosencError, match=f"“{tmp_path.name}” is a folder"):
        read_text_file(tmp_path)
    with pytest.raises(PosencError, match=r"gone.txt” could not be read: no such file"):
        read_text_file(tmp_path / "gone.txt")


def test_a_file_that_may_not_be_read_says_why(tmp_path, monkeypatch):
    path = written(tmp_path, b"secret")

    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PosencError, match=r"file.txt” could not be read: permission denied"):
        read_text_file(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no device files")
def test_a_device_that_never_ends_is_refused():
    with pytest.raises(PosencError, match=r"“/dev/zero” is not an ordinary file"):
        read_text_file(Path("/dev/zero"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PosencError, match="pipe” is not an ordinary file"):
        read_text_file(tmp_path / "pipe")
