"""What an exporter is, and how files are written: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from posenc_model.errors import PosencError

if TYPE_CHECKING:
    from posenc_model.result import RunResult


@dataclass(frozen=True)
class Exporter:
    """Turns one head of a result into the content of a file.

    Attributes:
        suffix: File name ending, with the dot, in lower case.
        title: What a file dialog shows.
        render: Takes a result, a layer and a head, both from 0 (the head may be ``MEAN_HEAD``),
            and which matrix of the head is wanted, a name in ``MATRICES``.
    """

    suffix: str
    title: str
    render: Callable[[RunResult, int, int, str], bytes]


def check_target(path: Path) -> None:
    """Refuses, before anything is computed, a target that cannot be written to.

    Raises:
        PosencError: It is a folder, or lies in one that does not exist.
    """
    try:
        if not path.name or path.is_dir():
            raise PosencError(f"“{path}” is a folder; give a file name.", "export")
        if not path.parent.is_dir():
            sentence = f"There is no folder “{path.parent}” to write “{path.name}” to."
            raise PosencError(sentence, "export")
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise _not_written(path, error) from error


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file beside its target and renames it, so that it is there whole or not at all.

    An existing file of that name stays as it is until the new one is complete.

    Raises:
        PosencError: It could not be written; the sentence says why.
    """
    check_target(path)
    try:
        descriptor, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.stem[:40]}-", suffix=".part"
        )
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise _not_written(path, error) from error
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes private files; give this one what an ordinary new file would have.
        part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        part.replace(path)
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from error
    finally:
        part.unlink(missing_ok=True)


def _not_written(path: Path, error: OSError | ValueError) -> PosencError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return PosencError(f"“{path.name}” was not written to “{path.parent}”: {reason}.", "export")


def _umask() -> int:
    # The only way to read it is to set it.
    current = os.umask(0)
    os.umask(current)
    return current
