"""What happens outside the GUI thread: learning, and the length test."""

from __future__ import annotations

import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from posenc_gui.training.plan import Plan
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.loading import load_libraries
from posenc_model.training.lengths import LENGTHS, accuracy_at, refuse_texts
from posenc_model.training.tasks import LetterTask, Task

if TYPE_CHECKING:
    from posenc_model.training.session import Session
    from posenc_model.training.trainer import Step

PROGRESS_SECONDS = 0.1
ATTENTION_SECONDS = 0.5
# The weights of a long sentence would fill the memory, and nobody could read its words.
EXAMPLE_WORDS = 40


@dataclass(frozen=True, eq=False)
class Training:
    """A training that was begun. Only the worker touches its session while a job goes on.

    Attributes:
        plan: What was asked for.
        session: The encoders and their curves.
        example: The sentence whose attention is watched [1, n].
        words: Its words.
        is_cut: Whether it is the beginning of a longer one.
        warnings: What the user should be told, as sentences.
    """

    plan: Plan
    session: Session
    example: NDArray[np.int64]
    words: tuple[str, ...]
    is_cut: bool
    warnings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The encodings, in order."""
        return tuple(settings.positional_encoding for settings in self.plan.settings)


@dataclass(frozen=True, eq=False)
class BeginJob:
    """A training to begin."""

    plan: Plan
    halted: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, eq=False)
class ContinueJob:
    """A training to go on with, by ``more_steps`` steps from where it is; 0: as planned."""

    training: Training
    more_steps: int = 0
    halted: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, eq=False)
class LengthJob:
    """A length test of what was learned so far."""

    training: Training
    halted: threading.Event = field(default_factory=threading.Event)


Job = BeginJob | ContinueJob | LengthJob


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a training is.

    Attributes:
        steps: For each encoding what its steps since the last progress gave.
        done: How many steps the furthest encoder has made.
        planned: How many it is to make.
        share: How much of all is done, from 0 to 1.
        seconds_left: An estimate; ``None`` where nobody knows yet.
    """

    steps: dict[str, tuple[Step, ...]]
    done: int
    planned: int
    share: float
    seconds_left: float | None


class TrainingWorker(QObject):
    """Does one job at a time in its own thread.

    Signals carry the job they belong to. ``done`` comes last, after every job, whatever happened.
    A job ends early once its ``halted`` is set, with a checkpoint where there is a folder; a later
    job goes on exactly there.
    """

    begun = Signal(object, object)  # BeginJob, Training
    progressed = Signal(object, object)  # Job, Progress
    attended = Signal(object, object)  # Job, {encoding: weights [layers, heads, n, n]}
    test_progressed = Signal(object, float)  # LengthJob, share
    tested = Signal(object, object)  # LengthJob, {encoding: {length: accuracy}}
    failed = Signal(object, str, str)  # Job, sentence, setting or ""
    crashed = Signal(object, str)  # Job, traceback
    done = Signal(object, bool)  # Job, whether all planned steps were made

    @Slot(object)
    def work(self, job: Job) -> None:
        """Does ``job``; never raises, so that the window never waits for ever."""
        is_complete = False
        try:
            if isinstance(job, LengthJob):
                self.tested.emit(job, self._test(job))
            else:
                training = self._begin(job) if isinstance(job, BeginJob) else job.training
                if isinstance(job, ContinueJob) and job.more_steps:
                    training.session.train_further(job.more_steps)
                # Here and not above: this imports torch, which takes seconds.
                from posenc_model.training.threads import few_threads

                with few_threads(training.plan.settings[0]):
                    is_complete = self._train(job, training)
        except RunCancelled:
            pass
        except PosencError as error:
            self.failed.emit(job, error.sentence, error.setting or "")
        except MemoryError:
            self.failed.emit(job, "There is not enough memory for this training.", "")
        except Exception:
            self.crashed.emit(job, traceback.format_exc())
        finally:
            self.done.emit(job, is_complete)

    @Slot()
    def leave(self) -> None:
        """Ends the thread, after all jobs that were handed over before."""
        self.thread().quit()

    def _begin(self, job: BeginJob) -> Training:
        # Masked words are cut out of a text by spaCy; the other tasks need no tokenizer.
        is_text = job.plan.settings[0].task == "masked"
        load_libraries("spacy" if is_text else "whitespace")
        # Here and not above: this imports torch, which takes seconds.
        from posenc_model.training.session import Session

        def check() -> None:
            if job.halted.is_set():
                raise RunCancelled

        check()
        session = Session(job.plan.settings, job.plan.folder, job.plan.resume, check=check)
        example = session.task.example().words
        shown = example[:, :EXAMPLE_WORDS]
        training = Training(
            plan=job.plan,
            session=session,
            example=shown,
            words=tuple(session.task.words[index] for index in shown[0]),
            is_cut=shown.shape != example.shape,
            warnings=session.runs[0].trainer.learner.config.warnings,
        )
        self.begun.emit(job, training)
        return training

    def _train(self, job: Job, training: Training) -> bool:
        """Makes steps until all are made or the job is halted; tells about them now and then."""
        session = training.session
        new: dict[str, list[Step]] = {run.name: [] for run in session.runs}
        if isinstance(job, BeginJob):
            for run in session.runs:  # what an earlier sitting has made
                new[run.name].extend(run.curve)
        self._tell(job, session, new)
        self._show_attention(job, training)
        told = attended = time.monotonic()
        while session.share_done < 1 and not job.halted.is_set():
            for index, step in session.round():
                new[session.runs[index].name].append(step)
            now = time.monotonic()
            if now - told >= PROGRESS_SECONDS:
                self._tell(job, session, new)
                told = now
            if now - attended >= ATTENTION_SECONDS:
                self._show_attention(job, training)
                attended = time.monotonic()
        self._tell(job, session, new)
        self._show_attention(job, training)
        if session.share_done < 1 or session.is_unsaved:
            session.checkpoint()
        return session.share_done >= 1

    def _tell(self, job: Job, session: Session, new: dict[str, list[Step]]) -> None:
        """Hands over the new steps, and forgets them."""
        planned = max(run.trainer.settings.steps for run in session.runs)
        made = max(run.trainer.done for run in session.runs)
        steps = {name: tuple(each) for name, each in new.items()}
        progress = Progress(steps, made, planned, session.share_done, session.seconds_left)
        for each in new.values():
            each.clear()
        self.progressed.emit(job, progress)

    def _show_attention(self, job: Job, training: Training) -> None:
        runs = training.session.runs
        weights = {run.name: run.trainer.attentions(training.example) for run in runs}
        self.attended.emit(job, weights)

    def _test(self, job: LengthJob) -> dict[str, dict[int, float]]:
        session = job.training.session
        refuse_texts(job.training.plan.settings[0].task)
        lengths = [n for n in LENGTHS if _is_long_enough(session.task, n)]
        if not lengths:
            raise PosencError(
                f"The length test asks sentences of up to {LENGTHS[-1]} words, all too short for "
                "this task.",
                "task",
            )

        def check() -> None:
            if job.halted.is_set():
                raise RunCancelled

        accuracies: dict[str, dict[int, float]] = {run.name: {} for run in session.runs}
        asked = 0
        for run in session.runs:
            for length in lengths:
                self.test_progressed.emit(job, asked / (len(lengths) * len(session.runs)))
                accuracies[run.name] |= accuracy_at(run.trainer, [length], check)
                asked += 1
        return accuracies


def _is_long_enough(task: Task, length: int) -> bool:
    """Whether the task has sentences of this length."""
    try:
        if isinstance(task, LetterTask):
            task.check(length)
    except PosencError:
        return False
    return True
