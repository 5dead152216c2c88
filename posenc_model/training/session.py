"""Several encodings trained side by side on one task, with checkpoints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from posenc_model.errors import PosencError
from posenc_model.exporters import write_whole
from posenc_model.training import TASKS
from posenc_model.training.checkpoints import (
    load_checkpoint,
    read_checkpoint,
    save_checkpoint,
)
from posenc_model.training.export import export_encoder
from posenc_model.training.folders import checkpoints_in, encoder_name, prepare_folder
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.tasks import Task
from posenc_model.training.text import MaskedWords
from posenc_model.training.trainer import Step, Trainer

CHECKPOINT_SECONDS = 60.0
RESULTS_NAME = "results.json"


@dataclass
class Run:
    """One encoding's training within a session.

    Attributes:
        trainer: The model and its optimizer.
        curve: What every step so far gave.
        made_now: How many steps were made in this sitting.
        seconds: Time spent on them.
        saved_step: The step of the newest checkpoint, or −1.
    """

    trainer: Trainer
    curve: list[Step] = field(default_factory=list)
    made_now: int = 0
    seconds: float = 0.0
    saved_step: int = -1

    @property
    def name(self) -> str:
        """The encoding's name."""
        return self.trainer.settings.positional_encoding

    @property
    def is_done(self) -> bool:
        """Whether all planned steps were made."""
        return self.trainer.done >= self.trainer.settings.steps


class Session:
    """Trains one encoder for each of some settings, a step each in turn.

    Args:
        settings: What is trained; all have the same task and sizes.
        folder: Where checkpoints go; made where it is missing. ``None``: no checkpoints.
        resume: Whether to go on from the newest readable checkpoints in ``folder``.
        task: What is learned, where it has been made already from these settings.
        check: Called while a long text is being cut; it may raise, to end that.

    Raises:
        PosencError: The task cannot be made; the folder cannot be used, or holds another training.
    """

    def __init__(
        self,
        settings: Sequence[TrainingSettings],
        folder: Path | None = None,
        resume: bool = False,
        task: Task | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        if folder is not None:  # first, because making the task may take a while
            prepare_folder(folder, [one.positional_encoding for one in settings], resume)
        self.task = TASKS[settings[0].task].load()(settings[0], check) if task is None else task
        self.runs = [Run(Trainer(one, self.task)) for one in settings]
        self.folder = folder
        self._last_checkpoint = time.monotonic()
        if folder is not None:
            for run in self.runs:
                self._resume(run, folder)

    def _resume(self, run: Run, folder: Path) -> None:
        problem: PosencError | None = None
        for path in reversed(checkpoints_in(folder, run.name)):  # the newest may be damaged
            try:
                read_checkpoint(path)
            except PosencError as error:
                problem = error
                continue
            checkpoint = load_checkpoint(path, run.trainer)
            run.curve = list(checkpoint.curve)
            run.saved_step = checkpoint.step
            return
        if problem is not None:
            raise problem

    @property
    def share_done(self) -> float:
        """How much of all planned steps was made, from 0 to 1."""
        planned = sum(run.trainer.settings.steps for run in self.runs)
        made = sum(min(run.trainer.done, run.trainer.settings.steps) for run in self.runs)
        return made / planned

    @property
    def seconds_left(self) -> float | None:
        """An estimate from this sitting's steps; ``None`` before the first ones."""
        left = 0.0
        for run in self.runs:
            if not run.is_done:
                if not run.made_now:
                    return None
                steps = run.trainer.settings.steps - run.trainer.done
                left += steps * run.seconds / run.made_now
        return left

    def round(self) -> list[tuple[int, Step]]:
        """One step of every run that is not done; gives their indices and steps.

        Raises:
            PosencError: A checkpoint was due and could not be written.
        """
        steps = []
        for index, run in enumerate(self.runs):
            if not run.is_done:
                started = time.perf_counter()
                step = run.trainer.step()
                run.seconds += time.perf_counter() - started
                run.made_now += 1
                run.curve.append(step)
                steps.append((index, step))
        due = time.monotonic() - self._last_checkpoint >= CHECKPOINT_SECONDS
        if due or self.share_done >= 1:
            self.checkpoint()
        return steps

    def train_further(self, steps: int) -> None:
        """Plans ``steps`` more steps for every run, from where it is.

        Raises:
            PosencError: That would be more steps than are allowed.
        """
        for run in self.runs:
            trainer = run.trainer
            trainer.settings = replace(trainer.settings, steps=trainer.done + steps)

    @property
    def is_unsaved(self) -> bool:
        """Whether steps were made that no checkpoint has, though there is a folder for them."""
        moved = any(run.trainer.done != run.saved_step for run in self.runs)
        return self.folder is not None and moved

    def encoders(self) -> list[Path]:
        """The files of encoders that have learned a text to the end."""
        if self.folder is None or not isinstance(self.task, MaskedWords):
            return []
        return [self.folder / encoder_name(run.name) for run in self.runs if run.is_done]

    def checkpoint(self) -> None:
        """Writes a checkpoint of every run that has moved since its last, and the results.

        An encoder that has learned all it was to learn of a text is written as well, as a file
        that the setting ``weights`` takes.

        Raises:
            PosencError: One could not be written.
        """
        self._last_checkpoint = time.monotonic()
        if self.folder is None:
            return
        for run in self.runs:
            if run.trainer.done != run.saved_step:
                path = save_checkpoint(self.folder, run.trainer, run.curve)
                run.saved_step = run.trainer.done
                if run.is_done and isinstance(self.task, MaskedWords):
                    export_encoder(path, self.folder / encoder_name(run.name), {})
        results = [
            {
                "settings": run.trainer.settings.flat(),
                "steps": run.trainer.done,
                "last": asdict(run.curve[-1]) if run.curve else None,
            }
            for run in self.runs
        ]
        content = json.dumps(results, indent=2, ensure_ascii=False)
        write_whole(self.folder / RESULTS_NAME, f"{content}\n".encode())
