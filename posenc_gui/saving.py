"""Saving and copying what is shown, outside the GUI thread."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QImage, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from posenc_gui.actions import Actions
from posenc_gui.appearance import Appearance
from posenc_gui.controller import Controller
from posenc_gui.dialogs.files import ask_save
from posenc_gui.figure_dialog.memory import FigureMemory, load_figures, save_figures
from posenc_gui.figure_dialog.progress import SaveProgress, ask_quit
from posenc_gui.figures.from_result import head_title
from posenc_gui.head_choice import HeadChoice
from posenc_gui.views.base import ResultView
from posenc_model.exporters.look import AUTOMATIC, Look, levels_of
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_gui.figure_dialog.dialog import FigureDialog
    from posenc_model.result import RunResult

_DATA, _COPY, _MEMORY, _PREPARE = "save data ", "copy", "figure memory", "figure modules"
_NO_COPY = "“{}” has no picture to copy."
PREPARE_AFTER_MS = 1500
_PREPARE_EVERY_MS = 20


@dataclass(frozen=True, eq=False)
class _Opened:
    """What a saved file showed in a view, until something else is chosen, and how it looked."""

    result: RunResult
    view: ResultView
    spec: Spec | None
    look: Look


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
        figures: The figure dialog; ``None`` before it was first needed.
        progress: How far files are written while the dialog is closed; for the status bar.
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
        self._opened: _Opened | None = None
        self.progress = SaveProgress()
        self.progress.cancel_asked.connect(self._on_cancel)
        self._is_asking = False
        self._font_note = ""  # of what was copied last
        self._parts = self._prepared()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._prepare)
        choice.changed.connect(self._on_spec_chosen)
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
        if result is not None and self.figures is None:
            self._pause.start(PREPARE_AFTER_MS)
        if result is not None and self.figures is not None:
            self.figures.show_result(result)
        self._refresh()

    def set_old(self) -> None:
        """Is told that what is shown belongs to an earlier text or setting."""
        self._is_old = True
        self._refresh()

    def show_opened(self, spec: Spec, look: Look) -> None:
        """Is told that the window now shows what a saved file showed, and how that looked."""
        if self._opened is not None:
            self._opened.view.spec_chosen.disconnect(self._on_spec_chosen)
            self._opened = None
        if self._result is not None and self._view is not None:
            self._view.spec_chosen.connect(self._on_spec_chosen)
            self._opened = _Opened(self._result, self._view, spec, look)

    @Slot()
    def _on_spec_chosen(self) -> None:
        """What the file showed holds until something else is chosen; how it looked stays."""
        if self._opened is not None:
            self._opened = replace(self._opened, spec=None)

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
        opened = self._opened
        if opened is not None and opened.result is self._result:
            look = opened.look
            if opened.view is self._view and opened.spec is not None:
                spec = opened.spec
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
            dialog.saving_unseen.connect(self.progress.show_files)
            self.figures = dialog
        return self.figures

    def _prepared(self) -> Iterator[None]:
        """Makes the dialog in steps that nobody notices: as a whole it would hold the window up."""
        drawing = partial(importlib.import_module, "posenc_gui.figures.exporters")
        self._controller.run_task(_PREPARE, drawing)
        yield
        for name in ("jobs", "fields", "form", "dialog"):
            importlib.import_module(f"posenc_gui.figure_dialog.{name}")
            yield
        dialog = self._dialog()
        yield
        while dialog.form.build_some():
            yield

    @Slot()
    def _prepare(self) -> None:
        if next(self._parts, self) is None:
            self._pause.start(_PREPARE_EVERY_MS)

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
        from posenc_gui.figure_dialog.known_font import with_known_font

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
            # A page is drawn.
            job = SaveJob(self._result, [(path, spec)], with_known_font(shown[1])[0])
            self._controller.run_task(f"{_DATA}{path}", job)

    def copy_picture(self) -> None:
        """Puts the picture of the view that is looked at on the clipboard."""
        from posenc_gui.figure_dialog.jobs import Compared, clipboard_image
        from posenc_gui.figure_dialog.known_font import with_known_font
        from posenc_gui.work import Work

        shown = self._shown()
        if shown is not None and self._result is not None:
            spec, look = shown
            look, self._font_note = with_known_font(look)
            arguments = (Compared(self._result), spec, look)
            work: Callable[..., object] = partial(clipboard_image, *arguments)
            self._controller.run_task(_COPY, Work(work))

    def may_quit(self) -> bool:
        """Asks, where files are still to be written, whether to leave them out."""
        job = self.figures.job if self.figures is not None else None
        if job is None or job.total == 1 or self._is_asking:
            return True
        self._is_asking = True
        is_meant = ask_quit(self._window, job.done, job.total)
        self._is_asking = False
        if is_meant:
            job.cancel()
        return is_meant

    @Slot()
    def _on_cancel(self) -> None:
        if self.figures is not None:
            self.figures.cancel_saving()

    def shut_down(self) -> None:
        """Closes the figure dialog, which then remembers its look."""
        self._pause.stop()
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
            said = ("The picture is on the clipboard.", note, self._font_note)
            self.said.emit(" ".join(filter(None, said)))

    @Slot(str, str)
    def _on_failed(self, name: str, sentence: str) -> None:
        if name.startswith(_DATA) or name == _COPY:
            self.failed.emit(sentence)
