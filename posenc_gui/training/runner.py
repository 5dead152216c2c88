"""Owns the training's thread: begins, pauses, continues, ends, and never leaves it behind."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QObject, QThread, Signal, Slot

from posenc_gui.training.plan import Plan
from posenc_gui.training.worker import (
    BeginJob,
    ContinueJob,
    Job,
    LengthJob,
    Training,
    TrainingWorker,
)

# How long closing a window may wait for a step to end.
_PATIENCE_MS = 300

# Threads whose last job takes longer than that. A thread that is dropped while it runs aborts the
# program, so they are kept here until they end.
_LEAVING: list[tuple[QThread, TrainingWorker]] = []


class State(Enum):
    """What is going on; the last three are states of a training that can go on."""

    NOTHING = "nothing was begun"
    PREPARING = "libraries and the task are being loaded"
    TRAINING = "steps are being made"
    TESTING = "the length test is going on"
    PAUSED = "paused"
    STOPPED = "stopped before its end"
    DONE = "all planned steps were made"

    @property
    def is_busy(self) -> bool:
        return self in (State.PREPARING, State.TRAINING, State.TESTING)


class TrainingRunner(QObject):
    """Hands jobs to the worker one by one.

    The thread is started with the first job and ended by :meth:`leave` or :meth:`shut_down`; a
    job after that starts another.

    Attributes:
        state: What is going on.
        training: The training that was begun last; ``None`` before the first.
    """

    state_changed = Signal(object)  # State
    begun = Signal(object)  # Training
    progressed = Signal(object)  # Progress
    attended = Signal(object)  # {encoding: weights [layers, heads, n, n]}
    test_progressed = Signal(float)  # share
    tested = Signal(object)  # {encoding: {length: accuracy}}
    failed = Signal(str, str)  # sentence, setting or ""
    crashed = Signal(str)  # traceback
    _handed_over = Signal(object)  # Job, to the worker
    _ended = Signal()  # to the worker: after this, nothing comes

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = State.NOTHING
        self.training: Training | None = None
        self._job: Job | None = None
        self._after = State.NOTHING  # the state once the job has ended before its time
        self._thread: QThread | None = None
        self._worker: TrainingWorker | None = None

    @property
    def has_thread(self) -> bool:
        """Whether a thread of this runner is there."""
        return self._thread is not None

    def begin(self, plan: Plan) -> None:
        """Begins a training in place of the one before."""
        if not self.state.is_busy:
            self.training = None
            self._after = State.STOPPED
            self._hand_over(BeginJob(plan), State.PREPARING)

    def pause(self) -> None:
        """Ends the steps for now."""
        if self.state in (State.PREPARING, State.TRAINING):
            self._halt(State.PAUSED)

    def stop(self) -> None:
        """Ends the training, or the length test; what was learned is kept."""
        if self.state is State.TESTING:
            self._halt(self._after)
        elif self.state.is_busy:
            self._halt(State.STOPPED)
        elif self.state is State.PAUSED:
            self._set_state(State.STOPPED)

    def go_on(self) -> None:
        """Goes on where the training was paused."""
        if self.state is State.PAUSED and self.training is not None:
            self._after = State.STOPPED
            self._hand_over(ContinueJob(self.training), State.TRAINING)

    def train_further(self, steps: int) -> None:
        """Makes ``steps`` more steps after the training's end."""
        if self.state in (State.STOPPED, State.DONE) and self.training is not None:
            self._after = State.STOPPED
            self._hand_over(ContinueJob(self.training, steps), State.TRAINING)

    def test_lengths(self) -> None:
        """Asks what was learned on longer sentences."""
        if not self.state.is_busy and self.training is not None:
            self._after = self.state
            self._hand_over(LengthJob(self.training), State.TESTING)

    def leave(self) -> None:
        """Ends the job and the thread without waiting long; nothing is emitted afterwards."""
        self._end_thread(_PATIENCE_MS)

    def shut_down(self) -> None:
        """Ends the job and waits for the thread; nothing is emitted afterwards."""
        self._end_thread(_PATIENCE_MS)
        for thread, _ in _LEAVING:
            thread.wait()
        _LEAVING.clear()

    def _halt(self, after: State) -> None:
        assert self._job is not None
        self._after = after
        self._job.halted.set()

    def _hand_over(self, job: Job, state: State) -> None:
        if self._thread is None:
            self._start_thread()
        self._job = job
        self._set_state(state)
        self._handed_over.emit(job)

    def _start_thread(self) -> None:
        self._thread = QThread()
        self._thread.setObjectName("posenc-training")
        worker = self._worker = TrainingWorker()
        worker.moveToThread(self._thread)
        self._handed_over.connect(worker.work)
        self._ended.connect(worker.leave)
        worker.begun.connect(self._on_begun)
        worker.progressed.connect(self._on_progressed)
        worker.attended.connect(self._on_attended)
        worker.test_progressed.connect(self._on_test_progressed)
        worker.tested.connect(self._on_tested)
        worker.failed.connect(self._on_failed)
        worker.crashed.connect(self._on_crashed)
        worker.done.connect(self._on_done)
        self._thread.start()

    def _end_thread(self, patience_ms: int) -> None:
        thread, worker, job = self._thread, self._worker, self._job
        if thread is None or worker is None:
            return
        # From here on, whatever still arrives belongs to no job.
        self._thread = self._worker = self._job = None
        if job is not None:
            job.halted.set()
        self._ended.emit()
        self._handed_over.disconnect(worker.work)
        self._ended.disconnect(worker.leave)
        is_over = thread.wait(patience_ms)
        _LEAVING[:] = [pair for pair in _LEAVING if not pair[0].isFinished()]
        if not is_over:
            _LEAVING.append((thread, worker))
            self.training = None  # its session is still being used
        self.state = State.NOTHING if self.training is None else self._rest(job)

    def _rest(self, job: Job | None) -> State:
        """The state that a training is left in when its thread ends."""
        if isinstance(job, LengthJob):
            return self._after
        return State.STOPPED if job is not None else self.state

    def _set_state(self, state: State) -> None:
        self.state = state
        self.state_changed.emit(state)

    @Slot(object, object)
    def _on_begun(self, job: Job, training: Training) -> None:
        if job is self._job:
            self.training = training
            self.begun.emit(training)
            self._set_state(State.TRAINING)

    @Slot(object, object)
    def _on_progressed(self, job: Job, progress: object) -> None:
        if job is self._job:
            self.progressed.emit(progress)

    @Slot(object, object)
    def _on_attended(self, job: Job, weights: object) -> None:
        if job is self._job:
            self.attended.emit(weights)

    @Slot(object, float)
    def _on_test_progressed(self, job: Job, share: float) -> None:
        if job is self._job:
            self.test_progressed.emit(share)

    @Slot(object, object)
    def _on_tested(self, job: Job, accuracies: object) -> None:
        if job is self._job:
            self.tested.emit(accuracies)

    @Slot(object, str, str)
    def _on_failed(self, job: Job, sentence: str, setting: str) -> None:
        if job is self._job:
            if not isinstance(job, LengthJob) and self.training is not None:
                self._after = State.PAUSED  # a disk that is full now can be emptied
            self.failed.emit(sentence, setting)

    @Slot(object, str)
    def _on_crashed(self, job: Job, details: str) -> None:
        if job is self._job:
            self.crashed.emit(details)

    @Slot(object, bool)
    def _on_done(self, job: Job, is_complete: bool) -> None:
        if job is self._job:
            self._job = None
            if self.training is None:
                self._set_state(State.NOTHING)
            else:
                self._set_state(State.DONE if is_complete else self._after)
