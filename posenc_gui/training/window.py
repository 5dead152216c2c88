"""The Train window: the only place where its form, its pictures and its runner meet."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.controller import Controller
from posenc_gui.dialogs.bug import BugDialog
from posenc_gui.training import story
from posenc_gui.training.attention import AttentionNow
from posenc_gui.training.controls import Controls
from posenc_gui.training.curves import CurvesView
from posenc_gui.training.form import TrainingForm
from posenc_gui.training.intro import Intro
from posenc_gui.training.lengths import LengthsView
from posenc_gui.training.runner import State, TrainingRunner
from posenc_gui.training.schedule import ScheduleView
from posenc_gui.training.wording import GOOD, listed, time_left, verdict
from posenc_gui.training.worker import Progress, Training
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters import write_whole
from posenc_model.training.lengths import percent, why_hard
from posenc_model.training.settings import TrainingSettings

_INVITATION = "Choose what is to be learned and press “Start”, or press “Tell the story”."
_LEARNED_AFTER_STEPS = 20  # before that, the smoothed accuracy is a guess


class TrainWindow(QWidget):
    """Trains encoders side by side and shows how they learn.

    Args:
        color_map: A name in ``COLOR_MAPS``, for the attention matrices.
        parent: The window it belongs to.
    """

    def __init__(self, color_map: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("Train")
        self.resize(1280, 720)
        self._learned_at: dict[str, int] = {}
        self._is_story = False
        self.runner = TrainingRunner(self)
        self._files: Controller | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(0)  # at once, but once for changes that come together
        self._build_layout(color_map)
        self._connect()
        self.controls.caption.setText(_INVITATION)
        self._on_pause_over()

    def _build_layout(self, color_map: str) -> None:
        # From the outside in: Qt styles widgets anew whenever their window becomes another one.
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        layout.addWidget(split)
        side = QSplitter(Qt.Orientation.Vertical, split)
        self.form = TrainingForm(side)
        self.schedule = ScheduleView(side)
        side.setStretchFactor(0, 1)
        side.setSizes([480, 190])
        side.setChildrenCollapsible(False)
        shown = QWidget(split)
        column = QVBoxLayout(shown)
        column.setContentsMargins(8, 0, 0, 0)
        self.controls = Controls(shown)
        column.addWidget(self.controls)
        self.tabs = QTabWidget(shown)
        self.tabs.setDocumentMode(True)
        column.addWidget(self.tabs, 1)
        self.pages = QStackedWidget(self.tabs)
        self.lengths = LengthsView(self.tabs)
        self.tabs.addTab(self.pages, "L&earning")
        self.tabs.addTab(self.lengths, "Length test")
        self.pages.addWidget(Intro(self.pages))
        learning = QSplitter(Qt.Orientation.Vertical, self.pages)
        self.pages.addWidget(learning)
        self.curves = CurvesView(learning)
        self.attention = AttentionNow(color_map, learning)
        learning.setSizes([240, 300])
        learning.setChildrenCollapsible(False)
        split.setStretchFactor(1, 1)
        split.setSizes([290, 990])
        split.setChildrenCollapsible(False)

    def _connect(self) -> None:
        self._pause.timeout.connect(self._on_pause_over)
        self.form.changed.connect(self._on_form_changed)
        self.form.resume_asked.connect(self.resume)
        controls, runner = self.controls, self.runner
        controls.start_asked.connect(self.start)
        controls.pause_asked.connect(runner.pause)
        controls.go_on_asked.connect(self._on_go_on_asked)
        controls.stop_asked.connect(self._on_stop_asked)
        controls.further_asked.connect(self._on_further_asked)
        controls.test_asked.connect(self._on_test_asked)
        controls.story_asked.connect(self.tell_story)
        runner.state_changed.connect(self._on_state_changed)
        runner.begun.connect(self._on_begun)
        runner.progressed.connect(self._on_progressed)
        runner.attended.connect(self._on_attended)
        runner.test_progressed.connect(self._on_test_progressed)
        runner.tested.connect(self._on_tested)
        runner.failed.connect(self._on_failed)
        runner.crashed.connect(self._on_crashed)
        self.lengths.save_asked.connect(self._on_save_asked)

    @Slot(str)
    def set_color_map(self, color_map: str) -> None:
        """Draws the matrices in other colours."""
        self.attention.set_color_map(color_map)

    # --- what the user asks for -----------------------------------------------------------------

    @Slot()
    def start(self) -> None:
        """Trains with the settings of the form."""
        self._begin(resume=False)

    @Slot()
    def resume(self) -> None:
        """Goes on with the training that the chosen folder holds."""
        saved = self.form.folder.saved
        if saved is not None and saved.settings:
            self.form.show_settings(saved.settings)
        self._begin(resume=True)

    @Slot()
    def tell_story(self) -> None:
        """Trains all encodings on the first task, then runs the length test, with captions."""
        self.form.choose_task(story.STORY_TASK)
        self.form.boxes.choose(list(ENCODINGS))
        self.form.set_folder(None)
        self.tabs.setCurrentWidget(self.pages)
        self._begin(resume=False, is_story=True)

    def _begin(self, *, resume: bool, is_story: bool = False) -> None:
        self._pause.stop()  # or it would clear away what is wrong with this beginning
        self._clear_messages()
        try:
            plan = self.form.plan(resume)
        except PosencError as error:
            self._show_problem(error.sentence, error.setting or "")
            return
        self.schedule.show_settings(plan.settings[0])
        self._is_story = is_story
        if is_story:
            places = self._options(plan.settings[0])["places"]
            self.controls.caption.setText(story.preparing(len(plan.settings), places))
        self.runner.begin(plan)

    @Slot()
    def _on_go_on_asked(self) -> None:
        self._clear_messages()
        self.runner.go_on()

    @Slot()
    def _on_stop_asked(self) -> None:
        self._is_story = False
        self.controls.caption.setText("Stopping after this step…")
        self.runner.stop()

    @Slot(int)
    def _on_further_asked(self, steps: int) -> None:
        self._clear_messages()
        self._is_story = False
        self.runner.train_further(steps)

    @Slot()
    def _on_test_asked(self) -> None:
        self._clear_messages()
        self.runner.test_lengths()

    @Slot()
    def _on_form_changed(self) -> None:
        self._pause.start()

    @Slot()
    def _on_pause_over(self) -> None:
        """Draws the learning rate of the form, and says what is wrong with it."""
        if self.runner.state.is_busy:
            return
        self._clear_messages()
        try:
            settings = self.form.settings()
        except PosencError as error:
            self._show_problem(error.sentence, error.setting or "")
            return
        self.schedule.show_settings(settings[0])
        self.schedule.show_step(None)

    # --- what the runner says -------------------------------------------------------------------

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        training = self.runner.training
        self.controls.show_state(state, can_test=training is not None and _chance(training) > 0)
        is_locked = state.is_busy or state is State.PAUSED
        self.form.set_locked(is_locked)
        if state is State.PREPARING:
            self.controls.show_share(0, "Loading…")
        elif state is State.NOTHING:
            self.controls.show_share(0, "")
        if not self._is_story:
            self.controls.caption.setText(self._caption(state))
        if not is_locked:
            self.form.folder.look()
        if state is State.DONE and self._is_story and not self.lengths.accuracies:
            self.controls.caption.setText(story.TESTING)
            self.runner.test_lengths()

    def _caption(self, state: State) -> str:
        """What is going on, outside the story."""
        if state is State.NOTHING:
            return _INVITATION
        if state is State.PREPARING:
            return "Loading what is needed to learn; a text to learn from takes a moment more."
        if state is State.TRAINING:
            return "Learning. The pictures follow about twice a second."
        if state is State.TESTING:
            return "Asking the encoders about longer sentences…"
        said = {
            State.PAUSED: "Paused. “Continue” goes on.",
            State.STOPPED: "Stopped before the end.",
            State.DONE: "The training is over.",
        }[state]
        found = [f"{n} {percent(c.last)}" for n, c in self.curves.accuracies.items() if c.last]
        return f"{said} Right answers in the last steps: {listed(found)}." if found else said

    @Slot(object)
    def _on_begun(self, training: Training) -> None:
        self._learned_at = {}
        self.curves.begin(training.names, _chance(training) or None)
        self.attention.begin(training.words, training.is_cut)
        self.schedule.show_settings(training.plan.settings[0])
        self.lengths.clear()
        self.pages.setCurrentIndex(1)
        self.tabs.setCurrentWidget(self.pages)
        self.controls.show_problem(" ".join(training.warnings), "warning")

    @Slot(object)
    def _on_progressed(self, progress: Progress) -> None:
        for name, steps in progress.steps.items():
            self.curves.add(name, steps)
        self.curves.draw(progress.planned)
        for name, curve in self.curves.accuracies.items():
            is_learned = curve.last is not None and curve.last >= GOOD
            if is_learned and progress.done >= _LEARNED_AFTER_STEPS:
                self._learned_at.setdefault(name, progress.done)
        self._show_schedule(progress)
        words = f"step {progress.done:,} of {progress.planned:,}"
        left = time_left(progress.seconds_left) if progress.share < 1 else ""
        self.controls.show_share(progress.share, f"{words} · {left}" if left else words)
        if self._is_story and self.runner.state is State.TRAINING:
            self.controls.caption.setText(self._story_caption())

    def _show_schedule(self, progress: Progress) -> None:
        """The learning rate of the training, which may have been given more steps by now."""
        training = self.runner.training
        assert training is not None
        if self.schedule.planned != progress.planned:
            settings = replace(training.plan.settings[0], steps=progress.planned)
            self.schedule.show_settings(settings)
        self.schedule.show_step(progress.done)

    def _story_caption(self) -> str:
        training = self.runner.training
        assert training is not None
        options = self._options(training.plan.settings[0])
        accuracies = {name: curve.last for name, curve in self.curves.accuracies.items()}
        return story.learning(
            accuracies,
            self._learned_at,
            self.attention.attentions,
            options["places"],
            options["kinds"],
        )

    @Slot(object)
    def _on_attended(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self.attention.show_attentions(weights)

    @Slot(float)
    def _on_test_progressed(self, share: float) -> None:
        self.controls.show_share(share, "length test")

    @Slot(object)
    def _on_tested(self, accuracies: dict[str, dict[int, float]]) -> None:
        training = self.runner.training
        assert training is not None
        settings = training.plan.settings[0]
        trained = (settings.min_length, settings.max_length)
        reasons = {one.positional_encoding: why_hard(one) for one in training.plan.settings}
        self.lengths.show_accuracies(accuracies, trained, _chance(training), reasons)
        self.tabs.setCurrentWidget(self.lengths)
        self.controls.show_share(1, "")
        if self._is_story:
            said = verdict(accuracies, settings.max_length)
            self.controls.caption.setText(f"What was measured: {said}")

    @Slot(str, str)
    def _on_failed(self, sentence: str, setting: str) -> None:
        self._is_story = False
        self._show_problem(sentence, setting)

    @Slot(str)
    def _on_crashed(self, details: str) -> None:
        self._is_story = False
        BugDialog(details, self).open()

    def _show_problem(self, sentence: str, setting: str) -> None:
        """Shows a mistake beneath its field; one that has no field beneath the buttons."""
        if not self.form.show_message(setting, sentence):
            self.controls.show_problem(sentence)

    def _clear_messages(self) -> None:
        self.form.clear_messages()
        self.controls.show_problem("")

    @staticmethod
    def _options(settings: TrainingSettings) -> dict[str, int]:
        return {name: int(value) for name, value in settings.task_options}

    # --- files and the end ----------------------------------------------------------------------

    @Slot(object, bytes)
    def _on_save_asked(self, path: Path, content: bytes) -> None:
        if self._files is None:
            self._files = Controller(self)
            self._files.task_finished.connect(self._on_saved)
            self._files.task_failed.connect(self._on_not_saved)
        self._files.run_task(f"save {path}", partial(_write, path, content))

    @Slot(str, object)
    def _on_saved(self, name: str, path: object) -> None:
        self.controls.caption.setText(f"Saved “{path}”.")

    @Slot(str, str)
    def _on_not_saved(self, name: str, sentence: str) -> None:
        self.controls.show_problem(sentence)

    def shut_down(self) -> None:
        """Ends whatever goes on and waits for it; safe at any moment, and more than once."""
        self._end(self.runner.shut_down)

    def closeEvent(self, event: QCloseEvent) -> None:
        # Hidden at once; a step may take a moment. It ends by itself, with a checkpoint.
        self.hide()
        self._end(self.runner.leave)
        event.accept()

    def _end(self, end_runner: object) -> None:
        assert callable(end_runner)
        self._pause.stop()
        self._is_story = False
        end_runner()
        if self._files is not None:
            self._files.shut_down()
            self._files = None
        self._on_state_changed(self.runner.state)  # how it is when the window is opened again


def _chance(training: Training) -> float:
    """The accuracy of guessing on made-up sentences; 0 for a text."""
    options = dict(training.plan.settings[0].task_options)
    return 1 / int(options["kinds"]) if "kinds" in options else 0.0


def _write(path: Path, content: bytes) -> Path:
    write_whole(path, content)
    return path
