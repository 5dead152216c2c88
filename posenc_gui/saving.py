"""Saving and copying what is shown, outside the GUI thread."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QImage, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from posenc_gui.actions import Actions
from posenc_gui.controller import Controller
from posenc_gui.dialogs.files import ask_save
from posenc_gui.figures.from_result import head_title
from posenc_gui.views.attention import AttentionView
from posenc_model.exporters import DATA_EXPORTERS, write_whole

_SAVE, _COPY = "save ", "copy"


class Saver(QObject):
    """Asks where, hands the work to the controller and says how it went."""

    said = Signal(str)  # a sentence about what was done
    failed = Signal(str)  # a sentence about what was not
    folder_changed = Signal(str)

    def __init__(
        self, window: QWidget, controller: Controller, view: AttentionView, folder: str
    ) -> None:
        super().__init__(window)
        documents = QStandardPaths.StandardLocation.DocumentsLocation
        self.folder = folder or QStandardPaths.writableLocation(documents)
        if not Path(self.folder).is_dir():
            self.folder = str(Path.home())
        self._window = window
        self._view = view
        self._has_picture = False
        self._controller = controller
        controller.task_finished.connect(self._on_finished)
        controller.task_failed.connect(self._on_failed)

    @staticmethod
    def is_own(name: str) -> bool:
        """Whether a task of the controller's is one of saving or copying."""
        return name.startswith(_SAVE) or name == _COPY

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        keys = QKeySequence.StandardKey
        picture, weights = self.save_picture, self.save_weights
        self._save = actions.add(menu, "&Save picture…", picture, keys.Save, "save")
        self._weights = actions.add(menu, "Save &weights…", weights, "Ctrl+Shift+S", "save")
        self._copy = actions.add(menu, "&Copy picture", self.copy_picture, "Ctrl+Shift+C", "copy")

    def buttons(self) -> list[QToolButton]:
        """Buttons for the menu's actions, once it is filled."""
        buttons = []
        for action in (self._save, self._copy):
            button = QToolButton()
            button.setDefaultAction(action)
            action.setIconText(action.text().replace("&", "").replace(" picture", ""))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            buttons.append(button)
        buttons[0].setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        buttons[0].addAction(self._weights)
        return buttons

    def set_enabled(self, is_enabled: bool) -> None:
        """Whether there is anything to save."""
        self._has_picture = is_enabled
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """What is saved is the matrix: where another view is looked at, nothing can be."""
        for action in (self._save, self._weights, self._copy):
            action.setEnabled(self._has_picture and not self._view.isHidden())

    def save_picture(self) -> None:
        """Asks for a file name and writes the picture."""
        from posenc_gui.figures.exporters import PICTURE_FORMATS

        figure = self._view.figure()
        if figure is None:
            return
        kinds = {suffix: picture.title for suffix, picture in PICTURE_FORMATS.items()}
        path = self._ask("Save picture", figure.title, kinds)
        if path is not None:
            render = PICTURE_FORMATS[path.suffix.lower()].render
            self._controller.run_task(f"{_SAVE}{path}", partial(_write, path, render, figure))

    def save_weights(self) -> None:
        """Asks for a file name and writes the weights."""
        shown = self._view.shown
        if shown is None:
            return
        of_head = (shown.result, shown.layer, shown.head, shown.kind)
        kinds = {suffix: exporter.title for suffix, exporter in DATA_EXPORTERS.items()}
        path = self._ask("Save weights", head_title(*of_head), kinds)
        if path is not None:
            render = DATA_EXPORTERS[path.suffix.lower()].render
            work = partial(_write, path, render, *of_head)
            self._controller.run_task(f"{_SAVE}{path}", work)

    def copy_picture(self) -> None:
        """Puts the picture on the clipboard."""
        from posenc_gui.figures.exporters import figure_image

        figure = self._view.figure()
        if figure is not None:
            self._controller.run_task(_COPY, partial(figure_image, figure))

    def _ask(self, title: str, name: str, kinds: dict[str, str]) -> Path | None:
        stem = re.sub(r"\W+", "-", name).strip("-")
        proposal = str(Path(self.folder) / (stem + next(iter(kinds))))
        path = ask_save(self._window, title, proposal, kinds)
        if path is not None:
            self.folder = str(path.parent)
            self.folder_changed.emit(self.folder)
        return path

    @Slot(str, object)
    def _on_finished(self, name: str, given: object) -> None:
        if name.startswith(_SAVE):
            self.said.emit(f"Saved “{given}”.")
        elif name == _COPY and isinstance(given, QImage):
            QGuiApplication.clipboard().setImage(given)
            self.said.emit("The picture is on the clipboard.")

    @Slot(str, str)
    def _on_failed(self, name: str, sentence: str) -> None:
        if self.is_own(name):
            self.failed.emit(sentence)


def _write(path: Path, render: object, *arguments: object) -> Path:
    assert callable(render)
    write_whole(path, render(*arguments))
    return path
