"""The text panel: an editor, samples to choose from, files to open, and the tokens beneath."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.panels.chips import ChipArea, TokenChips
from posenc_gui.panels.guesses import GuessBar
from posenc_gui.plain_label import PlainLabel
from posenc_model.errors import PosencError
from posenc_model.resources import resource_folder
from posenc_model.settings import Settings
from posenc_model.textfiles import read_text_file


def load_samples() -> list[dict[str, str]]:
    """The sample texts in the order they are offered: ``title``, ``note`` and ``text``."""
    folder = resource_folder() / "samples"
    samples: list[dict[str, str]] = json.loads((folder / "samples.json").read_text("utf-8"))
    for sample in samples:
        sample["text"] = (folder / sample["file"]).read_text("utf-8").rstrip("\n")
    return samples


def cut_of(settings: Settings) -> tuple[object, ...]:
    """What decides which tokens a text has."""
    return (settings.nlp_pipeline, settings.batch, settings.sentence)


def dropped_file(data: QMimeData) -> Path | None:
    """The local file that is being dropped, if there is exactly one."""
    urls = data.urls()
    if len(urls) == 1 and urls[0].isLocalFile():
        return Path(urls[0].toLocalFile())
    return None


class TextEditor(QPlainTextEdit):
    """Takes plain text; a file that is dropped is opened, not pasted as an address."""

    file_dropped = Signal(object)  # Path

    def insertFromMimeData(self, source: QMimeData) -> None:
        path = dropped_file(source)
        if path is None:
            super().insertFromMimeData(source)
        else:
            self.file_dropped.emit(path)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return dropped_file(source) is not None or super().canInsertFromMimeData(source)


class TextPanel(QWidget):
    """What is shown to the encoder. ``changed`` says that the text is another now.

    Args:
        text: The text to start with; the first sample where it is ``None``.
    """

    changed = Signal()

    def __init__(self, text: str | None = None) -> None:
        super().__init__()
        self._samples = load_samples()
        heading = QLabel("Text")
        heading.setProperty("role", "heading")
        self.samples = QComboBox()
        self.samples.setAccessibleName("Sample texts")
        self.samples.setToolTip("Replaces the text by a sample; undo brings the old one back.")
        self.samples.setPlaceholderText("Choose a sample…")
        for sample in self._samples:
            self.samples.addItem(sample["title"])
        self.samples.setCurrentIndex(-1)
        self.samples.activated.connect(self._on_sample_chosen)
        self.open_button = QToolButton()
        self.open_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.note = PlainLabel(role="hint")
        self.message = PlainLabel(role="error")
        self.message.hide()
        self.editor = TextEditor()
        self.editor.setPlaceholderText("Type a sentence, or drop a text file here.")
        self.editor.setTabChangesFocus(True)
        self.editor.setAccessibleName("Text")
        self.editor.setPlainText(self._samples[0]["text"] if text is None else text)
        self.editor.textChanged.connect(self._on_text_changed)
        self._masked: set[int] = set()
        self._masked_in: tuple[str, tuple[object, ...]] = ("", ())
        self._chip_area = ChipArea()
        self.guesses = GuessBar()

        head = QHBoxLayout()
        head.addWidget(heading)
        head.addWidget(self.samples)
        head.addWidget(self.open_button)
        head.addWidget(self.note, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.editor, 3)
        layout.addWidget(self.message)
        layout.addWidget(self._chip_area, 2)
        layout.addWidget(self.guesses)
        self.editor.setMinimumHeight(2 * self.editor.fontMetrics().lineSpacing() + 12)
        self.chips.chosen.connect(self._on_chip_chosen)
        self._chip_area.setMinimumHeight(self.editor.fontMetrics().height() + 14)
        self._show_note()

    @property
    def chips(self) -> TokenChips:
        return self._chip_area.chips

    def masked(self, cut_by: tuple[object, ...]) -> tuple[int, ...]:
        """Which tokens, from 0, are hidden; none once the text is another, or cut otherwise."""
        cut = (self.text(), cut_by)
        if cut != self._masked_in:
            self._masked, self._masked_in = set(), cut
        return tuple(sorted(self._masked))

    def hide_words(self, masked: tuple[int, ...], cut_by: tuple[object, ...]) -> None:
        """Hides these tokens of the text as it is now, and no others."""
        self._masked, self._masked_in = set(masked), (self.text(), cut_by)

    @Slot(int)
    def _on_chip_chosen(self, index: int) -> None:
        if not self.guesses.can_guess:
            return
        if self.text() == self._masked_in[0]:  # else the chips are those of an earlier text
            self._masked ^= {index}
            self.changed.emit()

    def text(self) -> str:
        return self.editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Replaces the text; undo brings the old one back."""
        cursor = self.editor.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        if text.endswith("\n"):  # or the end, an empty line, would be all there is to see
            self.editor.moveCursor(QTextCursor.MoveOperation.Start)

    @Slot(object)
    def open_file(self, path: Path) -> None:
        """Replaces the text by that of a file; where it cannot be read, says why and keeps it."""
        try:
            text = read_text_file(path)
        except PosencError as error:
            self.show_message(error.sentence)
            return
        self.set_text(text)

    def show_message(self, sentence: str) -> None:
        """Shows a sentence beneath the editor; an empty one hides it."""
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))

    @Slot(int)
    def _on_sample_chosen(self, index: int) -> None:
        self.set_text(self._samples[index]["text"])

    @Slot()
    def _on_text_changed(self) -> None:
        self.show_message("")
        self._show_note()
        self.changed.emit()

    def _show_note(self) -> None:
        """Says what to look for while the text is a sample, and names it."""
        text = self.text()
        index = next((i for i, s in enumerate(self._samples) if s["text"] == text), -1)
        self.samples.setCurrentIndex(index)
        self.note.setText(self._samples[index]["note"] if index >= 0 else "")
        self.note.setToolTip(self.note.text())
