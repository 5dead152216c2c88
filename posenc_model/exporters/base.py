"""What an export is, what writes it, and how files are written: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from posenc_model.errors import PosencError
from posenc_model.exporters.look import Look
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_model.result import RunResult


@dataclass(frozen=True, eq=False)
class Export:
    """All that determines the content of a file.

    Attributes:
        results: What is exported; with ``spec.compare``, the same text under those encodings after
            it.
        spec: What of it.
        look: How it looks; data files do not use it.
        file_name: What the file is called, without its folder: it stands in the command line that
            makes it again.
    """

    results: tuple[RunResult, ...]
    spec: Spec
    look: Look
    file_name: str

    @property
    def result(self) -> RunResult:
        """What is exported, or what the others are compared with."""
        return self.results[0]


@dataclass(frozen=True)
class Rendered:
    """The content of a file, and what the user should know of it, as sentences."""

    content: bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exporter:
    """Turns an export into the content of a file.

    Attributes:
        suffix: File name ending, with the dot, in lower case.
        title: What a file dialog shows.
        render: Gives the content.
        is_picture: Whether ``spec.view`` and the look matter.
        takes_all: Whether all layers and heads go into it unless some are named.
    """

    suffix: str
    title: str
    render: Callable[[Export], Rendered]
    is_picture: bool = False
    takes_all: bool = False


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


def check_free(path: Path) -> None:
    """Refuses a name that is taken.

    Raises:
        PosencError: There is such a file.
    """
    if path.exists():
        raise PosencError(
            f"“{path}” exists already; add --force to replace it, or give another name.", "export"
        )


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
