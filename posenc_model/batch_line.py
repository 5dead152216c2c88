"""One of many texts: what its files are called, and making them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from posenc_model.errors import PosencError, RunCancelled
from posenc_model.exporters import Exporter
from posenc_model.exporters.files import Wish, split_files, write_files
from posenc_model.exporters.look import Look
from posenc_model.exporters.names import FIELDS, filled, slug
from posenc_model.exporters.spec import Spec, numbers_text
from posenc_model.request import RunRequest
from posenc_model.settings import Settings
from posenc_model.text_lists import Line

if TYPE_CHECKING:
    from posenc_model.result import RunResult


@dataclass(frozen=True)
class Task:
    """What is the same for all texts.

    Attributes:
        settings: All settings.
        masked: Hidden tokens, from 0.
        wishes: Files of each text; their names are patterns.
        look: How pictures look.
        force: Whether existing files are replaced.
        stem: What the file of texts is called.
        digits: How many digits line numbers have.
    """

    settings: Settings
    masked: tuple[int, ...]
    wishes: tuple[Wish, ...]
    look: Look
    force: bool
    stem: str
    digits: int

    def values(self, line: Line, spec: Spec) -> dict[str, str]:
        """What stands in the place of a pattern's fields."""
        source = self.settings.source
        is_own = source.kind in ("random", "trained")
        encoding = self.settings.positional_encoding
        if not is_own and source.path is not None:
            encoding = slug(source.path.name)
        values = {
            "number": f"{line.number:0{self.digits}}",
            "encoding": encoding,
            "layer": numbers_text(spec.layers),
            "head": numbers_text(spec.heads),
            "text": slug(line.text),
            "stem": self.stem,
        }
        assert set(values) == set(FIELDS)
        return values

    def name(self, line: Line, wish: Wish) -> Path:
        """What the file of a text is called, where it is one."""
        return filled(wish.path, self.values(line, wish.spec))

    def files(self, line: Line, result: RunResult) -> Iterator[tuple[Path, Spec]]:
        """The files of a text; where a wish is several, its pattern may tell them apart already."""
        for wish in self.wishes:
            parts = split_files(self.name(line, wish), wish.spec, result)
            names = {filled(wish.path, self.values(line, spec)): spec for _, spec in parts}
            yield from names.items() if len(names) == len(parts) else parts


@dataclass(frozen=True)
class Outcome:
    """What became of one text.

    Attributes:
        number: Its line.
        files: How many files were written.
        failure: Why not all were, as a sentence; ``None`` where they were.
        notes: What the user should know, as sentences.
    """

    number: int
    files: int = 0
    failure: str | None = None
    notes: tuple[str, ...] = ()


def export_line(
    task: Task,
    line: Line,
    exporters: Mapping[str, Exporter],
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Runs the encoder on one text and writes its files; a failure is told, not raised.

    Raises:
        RunCancelled: ``is_cancelled`` said yes.
    """
    written = 0
    notes: list[str] = []
    failure = None
    try:
        from posenc_model.run import run

        request = RunRequest(0, line.text, task.settings, masked=task.masked)
        result = run(request, is_cancelled)
        notes += (f"Warning: {warning}" for warning in result.warnings)
        files = list(task.files(line, result))
        for one in write_files(
            result, files, task.look, exporters, force=task.force, is_cancelled=is_cancelled
        ):
            written += 1
            notes += (f"Note: {note}" for note in one.notes)
    except PosencError as error:
        failure = error.sentence
    except RunCancelled:
        raise
    except Exception as error:
        # A bug in one text must not take the others with it.
        told = f": {error}" if str(error) else ""
        failure = f"Something went wrong in the program ({type(error).__name__}{told})."
    return Outcome(line.number, written, failure, tuple(dict.fromkeys(notes)))
