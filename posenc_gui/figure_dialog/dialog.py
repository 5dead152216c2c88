"""The dialog in which a picture is set up, looked at, saved and copied."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QSizeF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QGuiApplication,
    QHideEvent,
    QImage,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.controller import Controller
from posenc_gui.dialogs.files import ask_replace, ask_save
from posenc_gui.figure_dialog.fields import UP_TO_LARGEST
from posenc_gui.figure_dialog.form import FigureForm
from posenc_gui.figure_dialog.help import FigureHelp
from posenc_gui.figure_dialog.jobs import (
    Compared,
    Preview,
    Saved,
    SaveJob,
    clipboard_image,
    clipboard_svg,
    exporters,
    make_preview,
)
from posenc_gui.figure_dialog.known_font import with_known_font
from posenc_gui.figure_dialog.memory import FigureMemory, without_own_words
from posenc_gui.figure_dialog.presets import PresetRow
from posenc_gui.figure_dialog.preview import PreviewPane
from posenc_gui.plain_label import PlainLabel
from posenc_gui.work import Work
from posenc_model.errors import PosencError
from posenc_model.exporters import Export
from posenc_model.exporters.files import split_files
from posenc_model.exporters.look import MAX_PIXELS, MM_PER_INCH, Look
from posenc_model.exporters.provenance import command_line
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_PREVIEW, _SAVE = "figure preview", "figure save"
_COPY_IMAGE, _COPY_SVG = "figure image", "figure svg"
_PAUSE_MS = 150
_FIRST_SIZE = (1080, 660)
_TOO_MANY = "As PNG or TIFF that is too large: lower the resolution or the size."
_FAINT = f"All weights are small here: with Colours, Range “{UP_TO_LARGEST}” they are seen better."


class FigureDialog(QDialog):
    """Shows what a file would hold, and writes it.

    Args:
        controller: Does the work.
        memory: The user's presets, and the kind of file that was saved last.
        parent: The window whose result is saved.

    Attributes:
        folder: Where the next file goes unless the user says otherwise.
    """

    said = Signal(str)  # a sentence about what was done
    failed = Signal(str)  # a sentence about what was not, while nobody saw the dialog
    folder_changed = Signal(str)
    memory_changed = Signal(object)  # FigureMemory
    # Files written, of how many, while they are and nobody sees the dialog; else 0 and 0.
    saving_unseen = Signal(int, int)

    def __init__(self, controller: Controller, memory: FigureMemory, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save picture")
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.folder = ""
        self._controller = controller
        self._memory = memory
        self._begun: tuple[object, ...] = ()
        self._compared: Compared | None = None
        self._wanted: tuple[Spec, Look] | None = None  # what the preview should show
        self._shown: Preview | None = None
        self._job: SaveJob | None = None
        self._note = self._font_note = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._refresh)
        self._build()
        self._connect()
        room = self.screen().availableGeometry().size()
        self.resize(min(_FIRST_SIZE[0], room.width()), min(_FIRST_SIZE[1], room.height() - 40))

    def _build(self) -> None:
        # Widgets are styled whenever their window becomes another one: the place is made first.
        layout = QVBoxLayout(self)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        layout.addWidget(splitter, 1)
        left, right = QWidget(), QWidget()
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setStretchFactor(0, 1)
        splitter.setCollapsible(0, False)
        splitter.setCollapsible(1, False)
        self.pane = PreviewPane()
        self.size_label = PlainLabel(" ", "hint")
        self.note = PlainLabel(role="hint")
        self.notes = PlainLabel(role="warning")
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pane, 1)
        for label in (self.size_label, self.note, self.notes):
            column.addWidget(label)
        side = QVBoxLayout(right)
        side.setContentsMargins(6, 0, 0, 0)
        self.presets = PresetRow()
        self.presets.set_presets(self._memory.presets)
        self.form = FigureForm(right)
        side.addWidget(self.presets)
        side.addWidget(self.form, 1)
        splitter.setSizes([10_000, 340])

        self.status = PlainLabel()
        self.progress = QProgressBar()
        self.progress.setAccessibleName("Files written")
        self.cancel_button = self._button("Cancel", "Ends it before the next file")
        self.save_button = self._button("&Save…", "Saves as PNG, SVG, PDF or TIFF (Ctrl+S)")
        self.copy_button = self._button("Copy &image", "To the clipboard, at the resolution chosen")
        self.svg_button = self._button("Copy SV&G", "To the clipboard, as vectors")
        self.command_button = self._button(
            "Copy co&mmand", "The command line that makes this file without the window"
        )
        self.close_button = self._button("&Close", "Closes the dialog (Esc); its look is kept")
        buttons = QHBoxLayout()
        self.help = FigureHelp(self)
        buttons.addWidget(self.help.button)
        buttons.addStretch(1)
        self._buttons = (
            self.save_button,
            self.copy_button,
            self.svg_button,
            self.command_button,
            self.close_button,
        )
        for button in self._buttons:
            buttons.addWidget(button)
        line = QHBoxLayout()
        line.addWidget(self.status, 1)
        line.addWidget(self.progress)
        line.addWidget(self.cancel_button)
        layout.addLayout(line)
        layout.addLayout(buttons)
        self._show_saving(False)

    def _order_tabs(self) -> None:
        """Tab goes down the right side, then along the buttons; the form’s rows are made last."""
        last = list(self.form.rows.values())[-1].field.focusProxy()
        assert last is not None
        presets, buttons = self.presets, self._buttons
        above = (presets.box, presets.save_button, presets.delete_button, self.form.tabBar())
        for chain in (above, (last, self.cancel_button, self.help.button, *buttons)):
            for first, second in pairwise(chain):
                self.setTabOrder(first, second)

    @staticmethod
    def _button(text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAutoDefault(False)  # Enter is for the fields
        return button

    def _connect(self) -> None:
        self.form.changed.connect(self._on_edited)
        self.pane.resized.connect(self._on_changed)
        self.presets.chosen.connect(self._on_preset)
        self.presets.presets_changed.connect(self._on_presets_changed)
        self.save_button.clicked.connect(self.save)
        self.copy_button.clicked.connect(self.copy_image)
        self.svg_button.clicked.connect(self.copy_svg)
        self.command_button.clicked.connect(self.copy_command)
        self.close_button.clicked.connect(self.reject)
        self.cancel_button.clicked.connect(self.cancel_saving)
        save = QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self)
        save.activated.connect(self.save_button.click)  # which does nothing while it is off
        controller = self._controller
        controller.task_finished.connect(self._on_task_finished)
        controller.task_failed.connect(self._on_task_failed)
        controller.crashed.connect(self._on_crashed)
        controller.idle.connect(self._on_idle)

    # --- what is shown --------------------------------------------------------------------------

    def begin(
        self, result: RunResult, spec: Spec, look: Look, one: tuple[int, int], note: str = ""
    ) -> None:
        """Opens with a picture of a result; with the same one as before, as it was left.

        Args:
            result: What is saved.
            spec: What of it.
            look: How it looks.
            one: Layer and head, from 0, that “this head” means; the head may be ``MEAN_HEAD``.
            note: What the user should know, as a sentence.
        """
        begun = (spec, one, look.color_map, look.color_range)
        is_same = self._compared is not None and self._compared.result is result
        if not is_same or begun != self._begun:
            self._begun = begun
            self._compared = Compared(result)
            self._shown = None
            self.pane.clear()
            look, self._font_note = with_known_font(look)
            self._order_tabs()
            self.form.begin_look(look)
            self.form.show_spec(spec, result, one)
        self._note = note
        self._show_note()
        if self._job is None:
            self._say("")
        self.open()
        self._pause.start(0)

    def show_result(self, result: RunResult) -> None:
        """Takes a newer result, which a run gave that was under way when the dialog opened."""
        if self.isVisible() and self._compared is not None and self._compared.result is not result:
            self._compared = Compared(result)
            self.form.show_result(result)
            self._pause.start(0)

    @property
    def is_waiting(self) -> bool:
        """Whether what is shown is not yet, or no longer, what is set."""
        return self._pause.isActive() or self._wanted is not None

    def export(self) -> tuple[Spec, Look] | None:
        """What is set now; ``None`` where that is not allowed, which is said beside its field."""
        try:
            found = self.form.spec(), self.form.look()
        except PosencError as error:
            self._show_mistake(error.sentence, error.setting or "")
            return None
        self.form.say("", "")
        return found

    def _show_note(self) -> None:
        self.note.setText(f"{self._note} {self._font_note}".strip())
        self.note.setVisible(bool(self._note or self._font_note))

    @Slot(object)
    def _on_preset(self, values: Mapping[str, Any]) -> None:
        font = values.get("font")
        if font is not None:
            known, self._font_note = with_known_font(Look(font=font))
            values = {**values, "font": known.font}
            self._show_note()
        self.form.show_look(values)

    @Slot()
    def _on_edited(self) -> None:
        if self._job is None:
            self._say("")  # it was about what was set before
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        if self._compared is not None and self.isVisible():
            self._pause.start(_PAUSE_MS)

    @Slot()
    def _refresh(self) -> None:
        """Asks for the preview of what is set now."""
        found = self.export()
        compared = self._compared
        self._wanted = None
        if found is None or compared is None or not self.isVisible():
            self.pane.set_busy(False)
            return
        self.presets.show_look(found[1])
        self._wanted = found
        self.pane.set_busy(True)
        room, ratio = self.pane.area, self.devicePixelRatioF()
        self._controller.run_task(
            _PREVIEW, Work(partial(_labelled_preview, found, compared, room, ratio))
        )

    def _show_preview(self, preview: Preview, look: Look) -> None:
        self._wanted = None
        if preview.image is None:
            self._show_mistake(preview.sentence, preview.setting)
            return
        self._shown = preview
        self.form.say("", "")
        self.form.show_page_height(preview.size.height())
        self.pane.show_image(preview.image, preview.has_light_letters)
        self._set_can_save(True)
        pixels = preview.size * (look.dpi / MM_PER_INCH)
        self.size_label.setText(_size_words(preview, look.dpi))
        notes = preview.notes
        if pixels.width() * pixels.height() > MAX_PIXELS:
            notes = (*notes, _TOO_MANY)
        if preview.is_faint:
            notes = (*notes, _FAINT)
        self.notes.setText(" ".join(notes))
        self.notes.setVisible(bool(notes))

    def _show_mistake(self, sentence: str, setting: str) -> None:
        """Shows a sentence beside its field, or in the picture's place where that is not seen."""
        self._wanted = None
        self._set_can_save(False)
        is_seen = self.form.say(setting, sentence)
        self.pane.show_sentence("" if is_seen else self.form.in_words(setting, sentence))
        self.pane.set_old()
        self.size_label.setText(" ")
        self.notes.hide()

    def _set_can_save(self, can_save: bool) -> None:
        for button in self._buttons[:-1]:
            button.setEnabled(can_save and self._job is None)

    # --- saving ---------------------------------------------------------------------------------

    @Slot()
    def save(self) -> None:
        """Asks where and writes one file, or one for each head."""
        found = self.export()
        compared = self._compared
        if found is None or compared is None or self._job is not None:
            return
        spec, look = found
        kinds = {suffix: kind.title for suffix, kind in exporters().items() if kind.is_picture}
        proposal = str(Path(self.folder) / self._proposed_name(spec))
        is_each = spec.arrange == "files"
        path = ask_save(self, "Save picture", proposal, kinds, asks_to_replace=not is_each)
        if path is None:
            return
        try:
            files = split_files(path, spec, compared.result)
        except PosencError as error:
            self._show_mistake(error.sentence, error.setting or "")
            return
        taken = [one for one, _ in files if one.exists()] if is_each else []
        if taken and not ask_replace(self, *taken):
            return
        self.folder = str(path.parent)
        self.folder_changed.emit(self.folder)
        self._remember(look, path.suffix.lower())
        self._job = SaveJob(compared.result, files, look)
        self._show_saving(True, len(files))
        self._say("Saving…")
        self._controller.run_task(_SAVE, self._job)

    def _proposed_name(self, spec: Spec) -> str:
        """After the picture’s title; without layer and head where each file says its own."""
        title = self._shown.title if self._shown is not None else spec.view
        if spec.arrange == "files":
            title = title.partition(" · layer")[0]
        stem = re.sub(r"\W+", "-", title).strip("-") or spec.view
        kind = exporters().get(self._memory.suffix)
        suffix = self._memory.suffix if kind is not None and kind.is_picture else ".png"
        return f"{stem[:100]}{suffix}"

    def _show_saving(self, is_saving: bool, files: int = 1) -> None:
        is_long = is_saving and files > 1
        self.progress.setRange(0, files)
        self.progress.setValue(0)
        self.progress.setVisible(is_long)
        self.cancel_button.setVisible(is_saving)
        self._tell_window()
        self._set_can_save(not is_saving and self._shown is not None)

    @property
    def job(self) -> SaveJob | None:
        """What is being saved."""
        return self._job

    @Slot()
    def cancel_saving(self) -> None:
        """Ends saving before the next file."""
        if self._job is not None:
            self._job.cancel()

    def _go_on_saving(self, saved: Saved) -> None:
        """Has the next file written, after whatever was asked for meanwhile."""
        assert self._job is not None
        self.progress.setValue(len(saved.paths))
        self._say(f"Saving… {len(saved.paths)} of {saved.total} files")
        self._tell_window()
        self._controller.run_task(_SAVE, self._job)

    def _tell_window(self) -> None:
        job = self._job
        if job is None or job.total == 1 or self.isVisible():
            self.saving_unseen.emit(0, 0)
        else:
            self.saving_unseen.emit(job.done, job.total)

    def _end_saving(self, saved: Saved) -> None:
        self._job = None
        self._show_saving(False)
        if saved.setting:
            self.form.say(saved.setting, saved.sentence)
        if saved.sentence:
            self._fail(saved.text)
            return
        text = " ".join((saved.text, *saved.notes))
        self._say(text, "warning" if saved.notes else "")
        self.said.emit(text)

    # --- copying --------------------------------------------------------------------------------

    @Slot()
    def copy_image(self) -> None:
        """Puts the picture on the clipboard."""
        self._copy(_COPY_IMAGE, clipboard_image)

    @Slot()
    def copy_svg(self) -> None:
        """Puts the picture on the clipboard as SVG."""
        self._copy(_COPY_SVG, clipboard_svg)

    def _copy(self, task: str, function: Callable[..., object]) -> None:
        found = self.export()
        if found is not None and self._compared is not None:
            self._remember(found[1])
            self._say("Copying…")
            self._controller.run_task(task, Work(partial(function, self._compared, *found)))

    @Slot()
    def copy_command(self) -> None:
        """Puts the command line that makes the file on the clipboard."""
        found = self.export()
        if found is not None and self._compared is not None:
            spec, look = found
            name = self._proposed_name(spec)
            export = Export((self._compared.result,), spec, look, name)
            QGuiApplication.clipboard().setText(command_line(export))
            self._say(f"The command line for “{name}” is on the clipboard.")

    # --- what the worker says -------------------------------------------------------------------

    @Slot(str, object)
    def _on_task_finished(self, name: str, given: object) -> None:
        if name == _PREVIEW and isinstance(given, tuple):
            wanted, preview = given
            if self._wanted is not None and wanted is self._wanted:
                self._show_preview(preview, self._wanted[1])
        elif name == _SAVE and isinstance(given, Saved):
            (self._end_saving if given.is_over else self._go_on_saving)(given)
        elif name == _COPY_IMAGE and isinstance(given, QImage):
            QGuiApplication.clipboard().setImage(given)
            self._say_copied(f"The picture is on the clipboard ({_pixels(given)}).")
        elif name == _COPY_SVG and isinstance(given, bytes):
            data = QMimeData()
            data.setData("image/svg+xml", given)
            data.setText(given.decode())
            QGuiApplication.clipboard().setMimeData(data)
            self._say_copied("The picture is on the clipboard as SVG.")

    @Slot(str, str)
    def _on_task_failed(self, name: str, sentence: str) -> None:
        if name == _PREVIEW:
            self._show_mistake(sentence, "")
        elif name == _SAVE:
            self._job = None
            self._show_saving(False)
            self._fail(sentence)
        elif name in (_COPY_IMAGE, _COPY_SVG):
            self._fail(sentence)

    @Slot()
    def _on_crashed(self) -> None:
        """The window says what happened; nothing here waits any longer."""
        self._job = None
        self._show_saving(False)
        if self._wanted is not None:
            self._show_mistake("This picture could not be drawn.", "")

    @Slot()
    def _on_idle(self) -> None:
        """A run that was asked for takes previews away: asks again."""
        if self._wanted is not None and not self._pause.isActive():
            self._pause.start(0)

    def _say_copied(self, sentence: str) -> None:
        self._say(sentence)
        self.said.emit(sentence)

    def _say(self, sentence: str, role: str = "") -> None:
        self.status.set_role(role)
        self.status.setText(sentence)

    def _fail(self, sentence: str) -> None:
        self._say(sentence, "error")
        if not self.isVisible():
            self.failed.emit(sentence)

    # --- memory ---------------------------------------------------------------------------------

    def _remember(self, look: Look, suffix: str = "") -> None:
        suffix = suffix or self._memory.suffix
        # What the user has chosen, and not what somebody else's picture began with.
        look = without_own_words(replace(self._memory.look, **self.form.edited_look(look)))
        memory = replace(self._memory, look=look, suffix=suffix)
        if memory != self._memory:
            self._memory = memory
            self.memory_changed.emit(memory)

    @Slot(object)
    def _on_presets_changed(self, presets: dict[str, Look]) -> None:
        self._memory = replace(self._memory, presets=presets)
        self.memory_changed.emit(self._memory)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tell_window()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._pause.stop()
        self._wanted = None
        self._tell_window()
        if self._compared is not None:
            try:
                self._remember(self.form.look())
            except PosencError:  # what is half typed is nothing to remember
                return


def _labelled_preview(
    wanted: tuple[Spec, Look],
    compared: Compared,
    room: QSizeF,
    ratio: float,
    is_cancelled: Callable[[], bool],
) -> tuple[tuple[Spec, Look], Preview]:
    """A preview with what was asked for, so that an older one is told from it."""
    return wanted, make_preview(compared, *wanted, room, ratio, is_cancelled)


def _pixels(image: QImage) -> str:
    return f"{image.width():,} × {image.height():,} pixels"


def _size_words(preview: Preview, dpi: int) -> str:
    """How large a picture is, in every unit that matters to it."""
    mm = preview.size
    inches, dots = mm * (1 / MM_PER_INCH), mm * (dpi / MM_PER_INCH)
    words = (
        f"{mm.width():.1f} × {mm.height():.1f} mm  ·  "
        f"{inches.width():.2f} × {inches.height():.2f} inches  ·  "
        f"{dots.width():,.0f} × {dots.height():,.0f} pixels at {dpi} dpi"
    )
    return words if preview.files == 1 else f"First of {preview.files:,} files  ·  {words}"
