"""The lines that say what is going on: a notice above the view, and the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from posenc_gui.plain_label import PlainLabel

if TYPE_CHECKING:
    from posenc_model.result import RunResult

# Shorter work is over before a progress bar could be read.
PROGRESS_AFTER_MS = 1000


def result_words(result: RunResult) -> str:
    """How many tokens, how long it took, and which weights are shown."""
    count, unknown = len(result.tokens), sum(result.is_unknown)
    words = [
        f"{count:,} {'token' if count == 1 else 'tokens'}",
        f"{1000 * result.seconds:,.0f} ms",
    ]
    if unknown:
        words.append(f"{unknown:,} unknown")
    sizes = f"{result.num_layers} × {result.num_heads}"
    words.append(f"{result.weights_title}, {result.encoding_title}, {sizes}")
    return " · ".join(words)


class Notice(QWidget):
    """One or more sentences that stay until they no longer hold or are put away."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: tuple[str, ...] = ()
        self.label = PlainLabel()
        close = QPushButton("OK")
        close.setToolTip("Puts this notice away")
        close.clicked.connect(self.put_away)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.label, 1)
        layout.addWidget(close)
        self.hide()

    def show_sentences(self, sentences: tuple[str, ...], role: str = "warning") -> None:
        """Shows the sentences after those that are kept; none at all hides the notice."""
        sentences = (*self._kept, *sentences)
        self.label.set_role(role)
        sign = "⚠ " if sentences else ""
        self.label.setText(sign + " ".join(sentences))
        self.setVisible(bool(sentences))

    def keep(self, sentence: str) -> None:
        """Shows a sentence that only the user puts away, whatever else is shown later."""
        self._kept += (sentence,)
        self.show_sentences(())

    @Slot()
    def put_away(self) -> None:
        """The user has read everything."""
        self._kept = ()
        self.hide()


class RunStatus(QWidget):
    """What the encoder is doing, for the status bar."""

    cancel_asked = Signal()
    became_slow = Signal()  # the run takes so long that what is shown has to be marked as old

    def __init__(self) -> None:
        super().__init__()
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setMaximumWidth(220)
        self.bar.setAccessibleName("Progress")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setToolTip("Ends this run (Esc)")
        self.cancel_button.clicked.connect(self.cancel_asked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 4, 0)
        layout.addWidget(self.label)
        layout.addWidget(self.bar)
        layout.addWidget(self.cancel_button)
        layout.addStretch(1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PROGRESS_AFTER_MS)
        self._timer.timeout.connect(self._on_slow)
        self._set_progress_visible(False)

    def begin(self, sentence: str) -> None:
        """A run begins; how far it is gets shown once it takes a while."""
        self.label.setText(sentence)
        self.bar.setValue(0)
        if not self.bar.isVisible() and not self._timer.isActive():
            self._timer.start()

    def advance(self, share: float) -> None:
        self.bar.setValue(round(100 * share))

    def end(self, sentence: str) -> None:
        """Nothing runs any more."""
        self._timer.stop()
        self._set_progress_visible(False)
        self.label.setText(sentence)

    @Slot()
    def _on_slow(self) -> None:
        self._set_progress_visible(True)
        self.became_slow.emit()

    def _set_progress_visible(self, is_visible: bool) -> None:
        self.bar.setVisible(is_visible)
        self.cancel_button.setVisible(is_visible)
