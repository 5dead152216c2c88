"""What the figure dialog has done outside the GUI thread: previews, files, clipboard pictures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QImage

from posenc_gui.figures.colormaps import DARK_BELOW
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.exporters import DATA_EXPORTERS, Export, Exporter
from posenc_model.exporters.files import Written, split_files, write_files
from posenc_model.exporters.look import (
    AUTOMATIC,
    DARK,
    MM_PER_INCH,
    TRANSPARENT_DARK,
    UNITS_PER_INCH,
    Look,
)
from posenc_model.exporters.results import compared_encodings, with_compared
from posenc_model.exporters.spec import Spec
from posenc_model.matrices import WEIGHTS
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

IsCancelled = Callable[[], bool]
_ANY_NAME = Path("picture.png")
_OF_WEIGHTS = ("matrix", "overview", "compare")


def exporters() -> dict[str, Exporter]:
    """All kinds of files by suffix."""
    from posenc_gui.figures.exporters import PICTURE_EXPORTERS  # draws, which most starts do not

    return {**DATA_EXPORTERS, **PICTURE_EXPORTERS}


class Compared:
    """The result of a window with those that it is compared with, which are run once.

    Used in the worker thread only.
    """

    def __init__(self, result: RunResult) -> None:
        self.result = result
        self._kept: dict[tuple[str, ...], tuple[RunResult, ...]] = {}

    def results(self, spec: Spec, view: str, is_cancelled: IsCancelled) -> tuple[RunResult, ...]:
        """The result and, where the export shows others too, those after it.

        Raises:
            PosencError: One of them cannot be run on these weights.
            RunCancelled: ``is_cancelled`` said yes.
        """
        names = compared_encodings(self.result, spec, view)
        if names not in self._kept:
            self._kept[names] = with_compared(self.result, spec, view, is_cancelled)
        return self._kept[names]

    def export(self, spec: Spec, look: Look, name: str, is_cancelled: IsCancelled) -> Export:
        """One picture. Raises what :meth:`results` raises."""
        return Export(self.results(spec, spec.view, is_cancelled), spec, look, name)


@dataclass(frozen=True, eq=False)
class Preview:
    """A picture as it would be saved, as large as a pane, or why there is none.

    Attributes:
        image: What is shown; ``None`` where there is none.
        size: Width and height of the page in mm.
        title: What the figure calls itself.
        notes: What the user should know of it, as sentences.
        files: How many files it is the first of.
        has_light_letters: Whether it is made for a dark ground.
        is_faint: Whether all its weights are near the lower end of its colours.
        sentence: Why there is no picture.
        setting: Which field that is about; may be empty.
    """

    image: QImage | None
    size: QSizeF
    title: str = ""
    notes: tuple[str, ...] = ()
    files: int = 1
    has_light_letters: bool = False
    is_faint: bool = False
    sentence: str = ""
    setting: str = ""


def make_preview(
    compared: Compared,
    spec: Spec,
    look: Look,
    area: QSizeF,
    ratio: float,
    is_cancelled: IsCancelled,
) -> Preview:
    """Draws the first picture of an export for an area of a screen.

    Args:
        compared: What is exported.
        spec: What of it.
        look: How it looks.
        area: The room there is, in units of the screen.
        ratio: How many pixels a unit has.
        is_cancelled: Asked between steps.

    Raises:
        RunCancelled: ``is_cancelled`` said yes.
    """
    from posenc_gui.figures.exporters import make_page, page_image
    from posenc_gui.figures.notes import notes_of

    try:
        files = split_files(_ANY_NAME, spec, compared.result)
        name, first = files[0]
        page = make_page(compared.export(first, look, name.name, is_cancelled))
        if is_cancelled():
            raise RunCancelled
        scale = min(area.width() / page.size.width(), area.height() / page.size.height())
        image = page_image(page, UNITS_PER_INCH * scale * ratio)
        image.setDevicePixelRatio(ratio)
        notes = notes_of(page, name.suffix)
        is_faint = look.color_range == AUTOMATIC and _is_faint(compared.result, first)
    except PosencError as error:
        return Preview(None, QSizeF(), sentence=error.sentence, setting=error.setting or "")
    size = page.size * (MM_PER_INCH / UNITS_PER_INCH)
    is_for_dark = look.theme in (DARK, TRANSPARENT_DARK)
    return Preview(image, size, page.figure.title, notes, len(files), is_for_dark, is_faint)


def _is_faint(result: RunResult, spec: Spec) -> bool:
    """Whether most words have no large weight; of a mean, whether they have none in any head."""
    if spec.view not in _OF_WEIGHTS or spec.matrix != WEIGHTS:
        return False
    heads = spec.chosen_heads(result)
    largest = result.overview.maximum[list(spec.chosen_layers(result))]
    shown = largest if heads == (MEAN_HEAD,) else largest[:, list(heads)]
    return float(np.nanmedian(shown.max(axis=-1))) < DARK_BELOW


def clipboard_image(
    compared: Compared, spec: Spec, look: Look, is_cancelled: IsCancelled
) -> QImage:
    """The picture at its full resolution.

    Raises:
        PosencError: It cannot be drawn; the sentence says why.
        RunCancelled: ``is_cancelled`` said yes.
    """
    from posenc_gui.figures.exporters import make_page, page_image

    _, first = split_files(_ANY_NAME, spec, compared.result)[0]
    page = make_page(compared.export(first, look, _ANY_NAME.name, is_cancelled))
    return page_image(page, look.dpi)


def clipboard_svg(compared: Compared, spec: Spec, look: Look, is_cancelled: IsCancelled) -> bytes:
    """The picture as SVG. Raises what :func:`clipboard_image` raises."""
    from posenc_gui.figures.exporters import clipboard_svg as as_svg

    path, first = split_files(_ANY_NAME.with_suffix(".svg"), spec, compared.result)[0]
    return as_svg(compared.export(first, look, path.name, is_cancelled))


@dataclass(frozen=True)
class Saved:
    """What became of files that were to be written, so far.

    Attributes:
        paths: Those that were.
        total: How many were to be.
        notes: What the user should know of them, as sentences.
        sentence: Why the rest was not written; empty where all were, or the user ended it.
        setting: Which field that is about; may be empty.
        is_over: Whether no more are written.
    """

    paths: tuple[Path, ...]
    total: int
    notes: tuple[str, ...] = ()
    sentence: str = ""
    setting: str = ""
    is_over: bool = True

    @property
    def text(self) -> str:
        """What to say of it."""
        done, total = len(self.paths), self.total
        if done == total == 1:
            said = f"Saved “{self.paths[0]}”."
        elif done == total:
            said = f"Saved {total} files to “{self.paths[0].parent}”, “{self.paths[0].name}” first."
        elif not self.sentence:
            said = f"Cancelled: {done} of {total} files were saved."
        elif done:
            said = f"{self.sentence} {done} of {total} files were saved before."
        else:
            said = self.sentence
        return said


class SaveJob:
    """Writes one file each time it is called, so that other work can go between two of them.

    It is not a :class:`~posenc_gui.work.Work`, which is given up when another run is asked for: a
    file that somebody asked for is written, unless they say otherwise.

    Args:
        result: What is exported.
        files: Where to, and what of it; what is there already is replaced.
        look: How it looks.

    Attributes:
        done: How many files are there.
        total: How many are wanted.
    """

    def __init__(self, result: RunResult, files: Sequence[tuple[Path, Spec]], look: Look) -> None:
        self._result, self._files, self._look = result, files, look
        self._cancelled = threading.Event()
        self._written: Iterator[Written] | None = None
        self._paths: list[Path] = []
        self._notes: dict[str, None] = {}
        self.total = len(files)

    @property
    def done(self) -> int:
        return len(self._paths)

    def cancel(self) -> None:
        """Ends it before the next file."""
        self._cancelled.set()

    def __call__(self) -> Saved:
        sentence = setting = ""
        try:
            one = next(self._files_written())
            self._paths.append(one.path)
            self._notes |= dict.fromkeys(one.notes)
            is_over = self.done == self.total
        except RunCancelled:
            is_over = True
        except PosencError as error:
            is_over = True
            sentence, setting = error.sentence, error.setting or ""
        paths, notes = tuple(self._paths), tuple(self._notes)
        return Saved(paths, self.total, notes, sentence, setting, is_over)

    def _files_written(self) -> Iterator[Written]:
        if self._written is None:
            is_cancelled = self._cancelled.is_set
            self._written = write_files(
                self._result,
                self._files,
                self._look,
                exporters(),
                force=True,
                is_cancelled=is_cancelled,
            )
        return self._written
