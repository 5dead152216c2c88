"""The files that an export becomes: what matters to each kind, what they are called, writing them.

Imports no torch, so that whatever is wrong with a name is said before anything is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from posenc_model.errors import PosencError, RunCancelled
from posenc_model.exporters.base import Export, Exporter, check_free, check_target, write_whole
from posenc_model.exporters.look import Look
from posenc_model.exporters.results import compared_encodings, with_compared
from posenc_model.exporters.spec import PICTURES, Spec
from posenc_model.request import MEAN_HEAD

if TYPE_CHECKING:
    from posenc_model.result import RunResult

# What ``posenc_gui`` draws; the endings have to be known without it.
PICTURE_FILES = (".png", ".svg", ".pdf", ".tiff")
PAGE = ".html"
DRAWN_FILES = (*PICTURE_FILES, PAGE)
# What else than ``_ALWAYS`` matters to a data file; a page is there to choose heads in.
_ALWAYS = frozenset({"layers", "heads", "tokens", "compare"})
_DATA_USES: dict[str, frozenset[str]] = {
    ".csv": frozenset({"matrix", "table", "arrange"}),
    ".json": frozenset({"matrix", "arrange"}),
    ".npz": frozenset({"arrange"}),  # all matrices are in it
    PAGE: frozenset({"matrix"}),
}


@dataclass(frozen=True)
class Wish:
    """A file that is asked for; several, where each head becomes a file of its own.

    Attributes:
        path: Its name.
        spec: What it shows.
    """

    path: Path
    spec: Spec

    def known_files(self) -> list[Path]:
        """The names it will have, as far as they are known without a result."""
        if not _splits(self.path, self.spec):
            return [self.path]
        layers, heads = self.spec.layers, self.spec.heads
        if layers is None or heads is None:
            return []
        return [path for path, _ in _split(self.path, self.spec, layers, heads)]


@dataclass(frozen=True)
class Written:
    """A file that was written, and what the user should know of it, as sentences."""

    path: Path
    notes: tuple[str, ...] = ()


def is_picture(path: Path) -> bool:
    """Whether a file of that name is drawn: ``spec.view`` and the look matter to it."""
    return path.suffix.lower() in PICTURE_FILES


def has_look(path: Path) -> bool:
    """Whether a :class:`Look` matters to a file of that name."""
    return path.suffix.lower() in DRAWN_FILES


def spec_uses(path: Path, view: str) -> frozenset[str]:
    """The fields of a :class:`Spec` that matter to a file of that name."""
    if is_picture(path):
        return PICTURES[view].uses | {"view"}
    return _ALWAYS | _DATA_USES.get(path.suffix.lower(), frozenset())


def only_used(path: Path, spec: Spec) -> Spec:
    """A spec without what does not matter to a file of that name."""
    used = spec_uses(path, spec.view)
    return Spec(**{f.name: getattr(spec, f.name) for f in fields(spec) if f.name in used})


def split_files(path: Path, spec: Spec, result: RunResult) -> list[tuple[Path, Spec]]:
    """The files that are meant: one, or one for each head: ``out-layer1-head3.svg``.

    Args:
        path: The name of the one file.
        spec: What is exported.
        result: Which says how many layers and heads there are.

    Raises:
        PosencError: The result has no such layer or head.
    """
    if not _splits(path, spec):
        return [(path, spec)]
    return _split(path, spec, spec.chosen_layers(result), spec.chosen_heads(result))


def _splits(path: Path, spec: Spec) -> bool:
    return spec.arrange == "files" and "arrange" in spec_uses(path, spec.view)


def _split(
    path: Path, spec: Spec, layers: Sequence[int], heads: Sequence[int]
) -> list[tuple[Path, Spec]]:
    if len(layers) * len(heads) == 1:
        return [(path, replace(spec, layers=tuple(layers), heads=tuple(heads), arrange="grid"))]
    return [
        (
            path.with_name(f"{path.stem}-layer{layer + 1}-{_head_name(head)}{path.suffix}"),
            replace(spec, layers=(layer,), heads=(head,), arrange="grid"),
        )
        for layer in layers
        for head in heads
    ]


def _head_name(head: int) -> str:
    return "mean" if head == MEAN_HEAD else f"head{head + 1}"


def check_all_free(paths: Iterable[Path], *, force: bool) -> None:
    """Refuses names that no file can have, that are taken, or that two files would share.

    Args:
        paths: The files that are to be written.
        force: Whether existing files may be replaced.

    Raises:
        PosencError: There is such a name.
    """
    seen: set[Path] = set()
    for path in paths:
        check_target(path)
        if path in seen:
            raise PosencError(f"“{path}” would be written twice; give each file its own name.")
        seen.add(path)
        if not force:
            check_free(path)


def write_files(
    result: RunResult,
    files: Sequence[tuple[Path, Spec]],
    look: Look,
    exporters: Mapping[str, Exporter],
    *,
    force: bool = False,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Written]:
    """Makes and writes files one after the other, once all their names are known to be free.

    Args:
        result: What is exported.
        files: As :func:`split_files` gives them.
        look: How pictures look.
        exporters: By suffix.
        force: Whether existing files are replaced.
        is_cancelled: Asked between two files and while encodings are compared.

    Raises:
        PosencError: Something the user can put right.
        RunCancelled: ``is_cancelled`` said yes.
    """
    check_all_free((path for path, _ in files), force=force)
    compared: dict[tuple[str, ...], tuple[RunResult, ...]] = {}
    for path, spec in files:
        if is_cancelled():
            raise RunCancelled
        exporter = exporters[path.suffix.lower()]
        view = spec.view if exporter.is_picture else ""
        names = compared_encodings(result, spec, view)
        if names not in compared:
            compared[names] = with_compared(result, spec, view, is_cancelled)
        rendered = exporter.render(Export(compared[names], spec, look, path.name))
        write_whole(path, rendered.content)
        yield Written(path, rendered.notes)
