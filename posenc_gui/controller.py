"""Owns the worker thread: the newest request wins, every run can be cancelled."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QThread, Signal, Slot

from posenc_gui.work import Work
from posenc_gui.worker import Job, RunJob, TaskJob, Worker
from posenc_model.request import RunRequest


class Controller(QObject):
    """Hands jobs to the worker one by one, and what they give to whoever listens.

    At most one run waits, and one task of each name: a newer one takes the older one's place, for
    Qt would otherwise queue them all. Runs go before tasks.

    Attributes:
        runs_started: How many runs were handed to the worker so far.
    """

    started = Signal(object)  # RunRequest, when its run begins
    finished = Signal(object)  # RunResult of the newest request
    failed = Signal(object, str, str)  # RunRequest, sentence, setting or ""
    progressed = Signal(float)  # share of the newest run
    cancelled = Signal()  # at once; the run itself may take a moment to end
    idle = Signal()  # nothing runs and nothing waits
    task_finished = Signal(str, object)  # name, what it gave
    task_failed = Signal(str, str)  # name, sentence
    crashed = Signal(str)  # traceback
    _handed_over = Signal(object)  # Job, to the worker
    _ended = Signal()  # to the worker: after this, nothing comes

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runs_started = 0
        self._current: Job | None = None
        self._waiting_run: RunJob | None = None
        self._waiting_tasks: dict[str, TaskJob] = {}
        self._newest_id: int | None = None
        self._thread = QThread()
        self._thread.setObjectName("posenc-worker")
        self._worker = Worker()
        self._worker.moveToThread(self._thread)
        self._handed_over.connect(self._worker.work)
        self._ended.connect(self._worker.leave)
        self._worker.finished.connect(self._on_finished)
        self._worker.failed.connect(self._on_failed)
        self._worker.crashed.connect(self._on_crashed)
        self._worker.progressed.connect(self._on_progressed)
        self._worker.done.connect(self._on_done)
        self._thread.start()

    @property
    def is_busy(self) -> bool:
        """Whether a run is going on or waiting."""
        return isinstance(self._current, RunJob) or self._waiting_run is not None

    def submit(self, request: RunRequest) -> None:
        """Asks for a run; a run before it is cancelled."""
        self._cancel_current()
        self._drop_works()
        self._newest_id = request.id
        self._waiting_run = RunJob(request)
        self._hand_over()

    def run_task(self, name: str, work: Callable[[], object]) -> None:
        """Asks for ``work`` to be done outside the GUI thread.

        A :class:`Work` of the same name that is being done gives up, and so does any when a run
        is asked for.
        """
        if isinstance(self._current, TaskJob) and self._current.name == name:
            self._give_up(self._current)
        self._waiting_tasks[name] = TaskJob(name, work)
        self._hand_over()

    def cancel(self) -> None:
        """Ends the current run and drops the waiting one."""
        if self.is_busy:
            self._drop_runs()
            self.cancelled.emit()

    def shut_down(self) -> None:
        """Ends the current run and waits for the thread; nothing is emitted afterwards.

        Waiting tasks are still done, so that no file somebody asked for is missing.
        """
        self._drop_runs()
        self._drop_works()
        for signal in ("finished", "failed", "crashed", "progressed", "done"):
            getattr(self._worker, signal).disconnect()
        for task in self._waiting_tasks.values():
            self._handed_over.emit(task)
        self._waiting_tasks.clear()
        self._ended.emit()  # not quit(), which would overtake what was handed over
        self._thread.wait()

    def _drop_runs(self) -> None:
        self._newest_id = None
        self._waiting_run = None
        self._cancel_current()

    def _cancel_current(self) -> None:
        if isinstance(self._current, RunJob):
            self._current.cancelled.set()

    def _drop_works(self) -> None:
        """Ends what views have asked for; they ask again for the next result."""
        if isinstance(self._current, TaskJob):
            self._give_up(self._current)
        waiting = self._waiting_tasks.items()
        self._waiting_tasks = {n: job for n, job in waiting if not isinstance(job.work, Work)}

    @staticmethod
    def _give_up(job: TaskJob) -> None:
        if isinstance(job.work, Work):
            job.work.cancel()

    def _hand_over(self) -> None:
        if self._current is not None:
            return
        if self._waiting_run is not None:
            run, self._waiting_run = self._waiting_run, None
            self._current = run
            self.runs_started += 1
            self.started.emit(run.request)
            self._handed_over.emit(run)
        elif self._waiting_tasks:
            name = next(iter(self._waiting_tasks))
            self._current = self._waiting_tasks.pop(name)
            self._handed_over.emit(self._current)

    def _is_newest(self, job: Job) -> bool:
        return isinstance(job, RunJob) and job.request.id == self._newest_id

    @Slot(object, object)
    def _on_finished(self, job: Job, given: object) -> None:
        if isinstance(job, TaskJob):
            self.task_finished.emit(job.name, given)
        elif self._is_newest(job):
            self.finished.emit(given)

    @Slot(object, str, str)
    def _on_failed(self, job: Job, sentence: str, setting: str) -> None:
        if isinstance(job, TaskJob):
            self.task_failed.emit(job.name, sentence)
        elif self._is_newest(job):
            self.failed.emit(job.request, sentence, setting)

    @Slot(object, str)
    def _on_crashed(self, job: Job, details: str) -> None:
        self.crashed.emit(details)

    @Slot(object, float)
    def _on_progressed(self, job: Job, share: float) -> None:
        if self._is_newest(job):
            self.progressed.emit(share)

    @Slot(object)
    def _on_done(self, job: Job) -> None:
        self._current = None
        self._hand_over()
        if self._current is None:
            self.idle.emit()
