"""What happens outside the GUI thread: one object, one slot."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal, Slot

from posenc_model.errors import PosencError, RunCancelled
from posenc_model.loading import load_libraries, load_pretrained_libraries
from posenc_model.request import RunRequest


@dataclass(frozen=True, eq=False)
class RunJob:
    """A request to run the encoder."""

    request: RunRequest
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, eq=False)
class TaskJob:
    """Something else that takes longer than the GUI thread may: a file to write, say.

    Attributes:
        name: What it is; of two waiting tasks of one name the newer takes the older one's place.
        work: Does it, without touching a widget, and gives what it made.
    """

    name: str
    work: Callable[[], object]


Job = RunJob | TaskJob


class Worker(QObject):
    """Does one job at a time in its own thread.

    Signals carry the job they belong to. ``done`` comes last, after every job, whatever happened.
    """

    finished = Signal(object, object)  # Job, what it gave
    failed = Signal(object, str, str)  # Job, sentence, setting or ""
    crashed = Signal(object, str)  # Job, traceback
    progressed = Signal(object, float)  # RunJob, share
    done = Signal(object)  # Job

    @Slot(object)
    def work(self, job: Job) -> None:
        """Does ``job``; never raises, so that the window never waits for ever."""
        try:
            if isinstance(job, TaskJob):
                self.finished.emit(job, job.work())
            else:
                self._run(job)
        except RunCancelled:
            pass
        except PosencError as error:
            self.failed.emit(job, error.sentence, error.setting or "")
        except MemoryError:
            self.failed.emit(job, "There is not enough memory for this text and these sizes.", "")
        except Exception:
            self.crashed.emit(job, traceback.format_exc())
        finally:
            self.done.emit(job)

    @Slot()
    def leave(self) -> None:
        """Ends the thread, after all jobs that were handed over before."""
        self.thread().quit()

    def _run(self, job: RunJob) -> None:
        load_libraries(job.request.settings.nlp_pipeline)
        if job.request.settings.source.kind == "model":
            load_pretrained_libraries()
        # Here and not above: this imports torch, which takes seconds.
        from posenc_model.run import run

        last_shown = 0.0

        def on_progress(share: float) -> None:
            nonlocal last_shown
            if share - last_shown >= 0.01:
                last_shown = share
                self.progressed.emit(job, share)

        if not job.cancelled.is_set():
            self.finished.emit(job, run(job.request, job.cancelled.is_set, on_progress))
