"""Asking for files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from posenc_model.options import TEXT_FILES


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


def ask_save(parent: QWidget, title: str, proposal: str, kinds: dict[str, str]) -> Path | None:
    """Asks where to save; before a file is replaced, the dialog asks about that too.

    Args:
        parent: The window it belongs to.
        title: What is saved.
        proposal: Folder and file name to start with.
        kinds: Title of each allowed kind of file by its suffix. A name without one of these gets
            the suffix that was chosen.
    """
    filters = {f"{title_} (*{suffix})": suffix for suffix, title_ in kinds.items()}
    name, chosen = QFileDialog.getSaveFileName(parent, title, proposal, ";;".join(filters))
    if not name:
        return None
    path = Path(name)
    if path.suffix.lower() in kinds:
        return path
    path = path.with_name(path.name + filters.get(chosen, next(iter(kinds))))
    # The dialog has asked about the name without the suffix only.
    return path if not path.exists() or ask_replace(parent, path) else None


def ask_replace(parent: QWidget, path: Path) -> bool:
    """Asks whether an existing file may be replaced."""
    question = f"“{path.name}” exists already. Replace it?"
    return QMessageBox.question(parent, "Replace?", question) == QMessageBox.StandardButton.Yes
