"""Saving and copying what is shown, outside the GUI thread."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QImage, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from posenc_gui.actions import Actions
from posenc_gui.appearance import Appearance
from posenc_gui.controller import Controller
from posenc_gui.dialogs.files import ask_save
from posenc_gui.figure_dialog.memory import FigureMemory, load_figures, save_figures
from posenc_gui.figures.from_result import head_title
from posenc_gui.head_choice import HeadChoice
from posenc_gui.views.base import ResultView
from posenc_model.exporters.look import AUTOMATIC, Look, levels_of
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_gui.figure_dialog.dialog import FigureDialog
    from posenc_model.result import RunResult

_DATA, _COPY, _MEMORY = "save data ", "copy", "figure memory"
_NO_COPY = "“{}” has no picture to copy."


class Saver(QObject):
    """What the menus offer: the figure dialog, data files, and a picture for the clipboard.

    Args:
        window: What is saved from.
        controller: Does the work.
        appearance: The colours that pictures begin with.
        choice: The layer and head that are shown.
        file: Where looks of pictures are kept.
        folder: Where files go at first.

    Attributes:
        notice: What was wrong with the file of looks, as a sentence; ``None`` if nothing was.
        figures: The figure dialog; ``None`` before it was first opened.
    """

    said = Signal(str)  # a sentence about what was done
    failed = Signal(str)  # a sentence about what was not
    folder_changed = Signal(str)

    def __init__(
        self,
        window: QWidget,
        controller: Controller,
        appearance: Appearance,
        choice: HeadChoice,
        file: Path,
        folder: str,
    ) -> None:
        super().__init__(window)
        documents = QStandardPaths.StandardLocation.DocumentsLocation
        self.folder = folder or QStandardPaths.writableLocation(documents)
        if not Path(self.folder).is_dir():
            self.folder = str(Path.home())
        self.figures: FigureDialog | None = None
        self._window = window
        self._controller = controller
        self._appearance = appearance
        self._choice = choice
        self._file = file
        self._memory, self.notice = load_figures(file)
        self._view: ResultView | None = None
        self._result: RunResult | None = None
        self._is_old = False
        # What a saved file began with, for as long as the window shows nothing else.
        self._opened: tuple[RunResult, Spec, Spec, Look] | None = None
        controller.task_finished.connect(self._on_finished)
        controller.task_failed.connect(self._on_failed)

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        keys = QKeySequence.StandardKey
        menu.setToolTipsVisible(True)
        self._save = actions.add(menu, "&Save picture…", self.save_picture, keys.Save, "save")
        self._data = actions.add(menu, "Save &data…", self.save_data, "Ctrl+Shift+S", "save")
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
        buttons[0].addAction(self._data)
        return buttons

    # --- what there is to save ------------------------------------------------------------------

    def show_view(self, view: ResultView) -> None:
        """Takes the view that is looked at."""
        self._view = view
        self._refresh()

    def show_result(self, result: RunResult | None) -> None:
        """Takes what the views show; ``None`` where they show nothing."""
        self._result, self._is_old = result, False
        if result is not None and self.figures is not None:
            self.figures.show_result(result)
        self._refresh()

    def set_old(self) -> None:
        """Is told that what is shown belongs to an earlier text or setting."""
        self._is_old = True
        self._refresh()

    def show_opened(self, spec: Spec, look: Look) -> None:
        """Is told that the window now shows what a saved file showed, and how that looked."""
        if self._result is not None and self._view is not None:
            self._opened = (self._result, self._view.spec(), spec, look)

    def _refresh(self) -> None:
        view, is_there = self._view, self._result is not None and not self._is_old
        self._set(self._data, is_there)
        if view is None or view.pictures:
            self._set(self._save, is_there)
            self._set(self._copy, is_there)
        else:
            self._set(self._save, is_there, view.spec_note())
            self._set(self._copy, False, _NO_COPY.format(view.title))

    @staticmethod
    def _set(action: QAction, is_enabled: bool, note: str = "") -> None:
        action.setEnabled(is_enabled)
        name = action.text().replace("&", "")
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(note or f"{name} ({keys})")

    def _shown(self) -> tuple[Spec, Look] | None:
        """What is exported of the window as it is now, and how it looks at first."""
        if self._result is None or self._view is None:
            return None
        spec = self._view.spec()
        color_range = AUTOMATIC if self._appearance.full_scale else "largest"
        look = self._memory.look
        if self._opened is not None and self._opened[0] is self._result:
            _, shown_then, opened, look = self._opened
            spec = opened if spec == shown_then else spec
            if isinstance(levels_of(look.color_range), tuple):  # the window has no such scale
                color_range = look.color_range
        color_map = self._appearance.color_map
        return spec, replace(look, color_map=color_map, color_range=color_range)

    # --- what the user asks for -----------------------------------------------------------------

    def save_picture(self) -> None:
        """Opens the figure dialog with what is shown."""
        shown = self._shown()
        if shown is None or self._result is None or self._view is None:
            return
        dialog = self._dialog()
        dialog.folder = self.folder
        note = self._view.spec_note()
        dialog.begin(self._result, *shown, (self._choice.layer, self._choice.head), note)

    def _dialog(self) -> FigureDialog:
        if self.figures is None:
            from posenc_gui.figure_dialog.dialog import FigureDialog  # needed by those who save

            dialog = FigureDialog(self._controller, self._memory, self._window)
            dialog.said.connect(self.said)
            dialog.failed.connect(self.failed)
            dialog.folder_changed.connect(self._on_folder_changed)
            dialog.memory_changed.connect(self._on_memory_changed)
            self.figures = dialog
        return self.figures

    def save_data(self) -> None:
        """Asks which numbers, then where, and writes them."""
        from posenc_gui.figure_dialog.data import DataDialog
        from posenc_gui.figure_dialog.jobs import exporters

        shown = self._shown()
        if shown is None:
            return
        kinds = {suffix: kind for suffix, kind in exporters().items() if not kind.is_picture}
        one = replace(shown[0], layers=(self._choice.layer,), heads=(self._choice.head,))
        dialog = DataDialog(kinds, one, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.wanted.connect(self._on_data_wanted)
        dialog.open()

    @Slot(str, object)
    def _on_data_wanted(self, suffix: str, spec: Spec) -> None:
        from posenc_gui.figure_dialog.jobs import SaveJob, exporters

        shown = self._shown()
        if self._result is None or shown is None:
            return
        title = head_title(self._result, self._choice.layer, self._choice.head, spec.matrix)
        if spec.heads is None:
            title = title.partition(" · layer")[0]
        stem = re.sub(r"\W+", "-", title).strip("-")
        kinds = {suffix: exporters()[suffix].title}
        proposal = str(Path(self.folder) / f"{stem}{suffix}")
        path = ask_save(self._window, "Save data", proposal, kinds)
        if path is not None:
            self._on_folder_changed(str(path.parent))
            job = SaveJob(self._result, [(path, spec)], shown[1])
            self._controller.run_task(f"{_DATA}{path}", job)

    def copy_picture(self) -> None:
        """Puts the picture of the view that is looked at on the clipboard."""
        from posenc_gui.figure_dialog.jobs import Compared, clipboard_image
        from posenc_gui.work import Work

        shown = self._shown()
        if shown is not None and self._result is not None:
            work: Callable[..., object] = partial(clipboard_image, Compared(self._result), *shown)
            self._controller.run_task(_COPY, Work(work))

    def shut_down(self) -> None:
        """Closes the figure dialog, which then remembers its look."""
        if self.figures is not None:
            self.figures.close()

    # --- what comes of it -----------------------------------------------------------------------

    @Slot(str)
    def _on_folder_changed(self, folder: str) -> None:
        self.folder = folder
        self.folder_changed.emit(folder)

    @Slot(object)
    def _on_memory_changed(self, memory: FigureMemory) -> None:
        self._memory = memory
        self._controller.run_task(_MEMORY, partial(save_figures, self._file, memory))

    @Slot(str, object)
    def _on_finished(self, name: str, given: object) -> None:
        from posenc_gui.figure_dialog.jobs import Saved

        if name.startswith(_DATA) and isinstance(given, Saved):
            if given.sentence:
                self.failed.emit(given.sentence)
            else:
                self.said.emit(" ".join((given.text, *given.notes)))
        elif name == _COPY and isinstance(given, QImage):
            QGuiApplication.clipboard().setImage(given)
            note = "" if self._view is None else self._view.spec_note()
            self.said.emit(f"The picture is on the clipboard. {note}".rstrip())

    @Slot(str, str)
    def _on_failed(self, name: str, sentence: str) -> None:
        if name.startswith(_DATA) or name == _COPY:
            self.failed.emit(sentence)
