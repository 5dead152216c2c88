"""Files are written whole or not at all."""

import errno
import os
import tempfile
from pathlib import Path

import pytest

from posenc_model.errors import PosencError
from posenc_model.exporters import write_whole


@pytest.fixture
def target(tmp_path) -> Path:
    """An existing file that must survive."""
    path = tmp_path / "weights.csv"
    path.write_bytes(b"old")
    return path


def assert_untouched(target: Path) -> None:
    assert target.read_bytes() == b"old"
    assert list(target.parent.iterdir()) == [target]  # nothing half-written beside it


def failing(code: int):
    def fail(*args, **kwargs):
        raise OSError(code, os.strerror(code))

    return fail


def test_a_new_file_and_an_existing_one_are_written(tmp_path, target):
    write_whole(target, b"new")
    write_whole(tmp_path / "other.csv", b"other")
    assert target.read_bytes() == b"new"
    assert {path.name for path in tmp_path.iterdir()} == {"weights.csv", "other.csv"}
    assert (tmp_path / "other.csv").read_bytes() == b"other"


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_permissions_are_those_of_any_new_file_or_of_the_old_one(tmp_path, target):
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    write_whole(tmp_path / "new.csv", b"")
    assert (tmp_path / "new.csv").stat().st_mode == ordinary.stat().st_mode
    target.chmod(0o640)
    write_whole(target, b"")
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_full_disk_leaves_the_old_file_as_it_was(monkeypatch, target):
    monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
    with pytest.raises(PosencError, match="no space left on device") as refusal:
        write_whole(target, b"new")
    assert "“weights.csv” was not written" in refusal.value.sentence
    assert refusal.value.setting == "export"
    assert_untouched(target)


def test_a_disk_that_fills_up_while_writing_leaves_nothing(monkeypatch, target):
    class FullFile:
        def __init__(self, descriptor, mode):
            self._descriptor = descriptor

        def __enter__(self):
            return self

        def __exit__(self, *args):
            os.close(self._descriptor)

        write = staticmethod(failing(errno.ENOSPC))

    monkeypatch.setattr(os, "fdopen", FullFile)
    with pytest.raises(PosencError, match="no space left on device"):
        write_whole(target, b"new")
    assert_untouched(target)


def test_a_read_only_folder_is_told(monkeypatch, target):
    # Simulated, because tests may be run by root, who may write anywhere.
    monkeypatch.setattr(tempfile, "mkstemp", failing(errno.EACCES))
    with pytest.raises(PosencError, match="permission denied"):
        write_whole(target, b"new")
    assert_untouched(target)


def test_a_folder_that_may_not_be_looked_into_is_told(monkeypatch, target):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_dir", failing(errno.EACCES))
        with pytest.raises(PosencError, match="permission denied"):
            write_whole(target, b"new")
    assert_untouched(target)


def test_a_file_that_cannot_be_replaced_stays(monkeypatch, target):
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", failing(errno.EPERM))
        with pytest.raises(PosencError, match="operation not permitted"):
            write_whole(target, b"new")
    assert_untouched(target)


def test_a_bug_while_writing_leaves_nothing_either(target):
    with pytest.raises(TypeError):
        write_whole(target, "not bytes")
    assert_untouched(target)


def test_a_folder_and_a_missing_folder_are_told_apart(tmp_path):
    with pytest.raises(PosencError, match="is a folder; give a file name"):
        write_whole(tmp_path, b"")
    with pytest.raises(PosencError, match=r"There is no folder .* to write “a.csv” to"):
        write_whole(tmp_path / "missing" / "a.csv", b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a" * 300 + ".csv", "a\0b.csv"])
def test_names_that_no_file_can_have_are_refused(tmp_path, name):
    with pytest.raises(PosencError):
        write_whole(tmp_path / name, b"")
    assert list(tmp_path.iterdir()) == []
