"""Asking for files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from posenc_model.options import TEXT_FILES

_NO_QUESTION = QFileDialog.Option.DontConfirmOverwrite


def ask_open(parent: QWidget, title: str, folder: str, file_kinds: str = TEXT_FILES) -> Path | None:
    """Asks for a file to open; ``None`` if the user thinks better of it.

    Args:
        parent: The window it belongs to.
        title: What is opened.
        folder: Where to start.
        file_kinds: Name and patterns of the files that are offered first.
    """
    name, _ = QFileDialog.getOpenFileName(parent, title, folder, f"{file_kinds};;All files (*)")
    return Path(name) if name else None


def ask_folder(parent: QWidget, title: str, folder: str) -> Path | None:
    """Asks for an existing folder; ``None`` if the user thinks better of it."""
    name = QFileDialog.getExistingDirectory(parent, title, folder)
    return Path(name) if name else None


def ask_save(
    parent: QWidget,
    title: str,
    proposal: str,
    kinds: dict[str, str],
    *,
    asks_to_replace: bool = True,
) -> Path | None:
    """Asks where to save; before a file is replaced, the dialog asks about that too.

    Args:
        parent: The window it belongs to.
        title: What is saved.
        proposal: Folder and file name to start with.
        kinds: Title of each allowed kind of file by its suffix. A name without one of these gets
            the suffix that was chosen.
        asks_to_replace: Off where the name is not that of a file, but what several begin with.
    """
    filters = {f"{title_} (*{suffix})": suffix for suffix, title_ in kinds.items()}
    name, chosen = QFileDialog.getSaveFileName(
        parent,
        title,
        proposal,
        ";;".join(filters),
        next((kind for kind, suffix in filters.items() if proposal.endswith(suffix)), ""),
        QFileDialog.Option(0) if asks_to_replace else _NO_QUESTION,
    )
    if not name:
        return None
    path = Path(name)
    if path.suffix.lower() in kinds:
        return path
    path = path.with_name(path.name + filters.get(chosen, next(iter(kinds))))
    # The dialog has asked about the name without the suffix only.
    is_free = not asks_to_replace or not path.exists()
    return path if is_free or ask_replace(parent, path) else None


def ask_replace(parent: QWidget, *paths: Path) -> bool:
    """Asks whether existing files may be replaced."""
    question = f"“{paths[0].name}” exists already. Replace it?"
    if len(paths) > 1:
        more = f"“{paths[0].name}” and {len(paths) - 1} other files exist already."
        question = f"{more} Replace them?"
    return QMessageBox.question(parent, "Replace?", question) == QMessageBox.StandardButton.Yes
