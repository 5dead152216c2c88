"""The buttons that steer a training, and how far it is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.plain_label import PlainLabel
from posenc_gui.training.runner import State

_GO_ON = "&Continue"
_PAUSE = "&Pause"


class Controls(QWidget):
    """Buttons, a progress bar and a line of words.

    Attributes:
        further_box: How many steps “Train further” makes.
    """

    start_asked = Signal()
    pause_asked = Signal()
    go_on_asked = Signal()
    stop_asked = Signal()
    further_asked = Signal(int)
    test_asked = Signal()
    story_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_paused = False
        button = self._button
        self.start_button = button("&Start", "Trains with these settings", self.start_asked.emit)
        self.start_button.setDefault(True)
        pause_tip = "Waits, and goes on where it was; meanwhile the length test can be run"
        self.pause_button = button(_PAUSE, pause_tip, self._on_pause)
        stop_tip = "Ends the training; what was learned so far is kept"
        self.stop_button = button("S&top", stop_tip, self.stop_asked.emit)
        self.further_button = button(
            "Train f&urther", "Makes more steps, from where the training ended", self._on_further
        )
        self.further_box = QSpinBox()
        self.further_box.setRange(1, 1_000_000)
        self.further_box.setValue(300)
        self.further_box.setSuffix(" steps")
        self.further_box.setAccessibleName("Steps to train further")
        self.further_box.setToolTip("How many steps “Train further” makes")
        test_tip = (
            "Asks what was learned on sentences of 20, 40, 80 and 160 words, once a training is "
            "paused or over; not for texts, which have their own lengths"
        )
        self.test_button = button("&Length test", test_tip, self.test_asked.emit)
        self.story_button = button(
            "Tell the stor&y",
            "Trains all encodings on the first task and runs the length test, by itself; "
            "takes one or two minutes",
            self.story_asked.emit,
        )
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        for widget in (
            self.start_button,
            self.pause_button,
            self.stop_button,
            self.further_button,
            self.further_box,
            self.test_button,
        ):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        buttons.addWidget(self.story_button)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(12)
        self.bar.setAccessibleName("Progress")
        self.words = QLabel()
        line = QHBoxLayout()
        line.addWidget(self.bar, 1)
        line.addWidget(self.words)
        self.caption = PlainLabel()
        font = self.caption.font()
        font.setPointSizeF(font.pointSizeF() * 1.1)
        self.caption.setFont(font)
        self.problem = PlainLabel(role="error")
        self.problem.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(buttons)
        layout.addLayout(line)
        layout.addWidget(self.caption)
        layout.addWidget(self.problem)
        self.show_state(State.NOTHING, can_test=False)

    def show_state(self, state: State, *, can_test: bool) -> None:
        """Enables what makes sense now.

        Args:
            state: What is going on.
            can_test: Whether the training's sentences can have any length.
        """
        self._is_paused = state is State.PAUSED
        is_over = state in (State.STOPPED, State.DONE)
        self.start_button.setEnabled(is_over or state is State.NOTHING)
        can_pause = state in (State.PREPARING, State.TRAINING)
        self.pause_button.setEnabled(self._is_paused or can_pause)
        self.pause_button.setText(_GO_ON if self._is_paused else _PAUSE)
        self.stop_button.setEnabled(state.is_busy or self._is_paused)
        self.further_button.setEnabled(is_over)
        self.further_box.setEnabled(is_over)
        self.test_button.setEnabled(can_test and (is_over or self._is_paused))
        self.story_button.setEnabled(is_over or state is State.NOTHING)
        self.bar.setRange(0, 0 if state is State.PREPARING else 1000)

    def show_share(self, share: float, words: str) -> None:
        """Shows how far the work is, and a few words about it."""
        self.bar.setValue(round(1000 * share))
        self.words.setText(words)

    def show_problem(self, sentence: str, role: str = "error") -> None:
        """Shows what went wrong, or a ``warning``; an empty sentence hides it."""
        self.problem.set_role(role)
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    @staticmethod
    def _button(title: str, tip: str, slot: Callable[[], object]) -> QPushButton:
        button = QPushButton(title)
        button.setToolTip(tip)
        button.clicked.connect(slot)
        return button

    def _on_pause(self) -> None:
        (self.go_on_asked if self._is_paused else self.pause_asked).emit()

    def _on_further(self) -> None:
        self.further_asked.emit(self.further_box.value())
