"""Learning, one step at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from posenc_model.seeding import seeded_generator
from posenc_model.training import TASKS
from posenc_model.training.learner import Learner
from posenc_model.training.settings import TrainingSettings, learning_rate_at
from posenc_model.training.tasks import NOTHING, Batch, IntArray, Task
from posenc_model.words import FIRST_WORD

_LARGEST_GRADIENT = 1.0


@dataclass(frozen=True)
class Step:
    """What one step gave, before its own correction.

    Attributes:
        number: From 1.
        loss: Mean cross-entropy of the words to be named, in nats.
        accuracy: Share of them that was named.
        learning_rate: The step size used.
        tokens: How many words the batch had.
    """

    number: int
    loss: float
    accuracy: float
    learning_rate: float
    tokens: int


class Trainer:
    """Trains one encoder on one task with AdamW (Loshchilov and Hutter 2017).

    Each batch depends on the seed and the step's number only, so a training that is stopped and
    continued learns exactly what an uninterrupted one does.

    Attributes:
        settings: What is trained, and how.
        task: Where batches come from; trainers may share one.
        learner: The model.
        done: How many steps have been made.

    Raises:
        PosencError: The task cannot be made from the settings.
    """

    def __init__(self, settings: TrainingSettings, task: Task | None = None) -> None:
        self.settings = settings
        self.task = TASKS[settings.task].load()(settings) if task is None else task
        self.learner = Learner(settings, self.task.words)
        self.optimizer = torch.optim.AdamW(
            self.learner.parameters(), betas=(0.9, 0.98), weight_decay=0.01, fused=True
        )
        self.done = 0

    def step(self) -> Step:
        """Learns from the next batch."""
        number = self.done + 1
        batch = self.task.batch(seeded_generator(self.settings.seed, f"batch/{number}"))
        rate = learning_rate_at(self.settings, number)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.learner.train()
        loss, right, asked = self._loss(batch)
        self.optimizer.zero_grad(set_to_none=True)
        # Even where nothing was asked: AdamW's own count of steps has to be that of the training.
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.learner.parameters(), _LARGEST_GRADIENT)
        self.optimizer.step()
        self.learner.eval()
        self.done = number
        return Step(number, float(loss.detach()), right / max(1, asked), rate, batch.words.size)

    @torch.no_grad()
    def evaluate(self, batches: Iterable[Batch]) -> tuple[float, float]:
        """Mean loss and accuracy over all words that have to be named in ``batches``."""
        total, right, asked = 0.0, 0, 0
        for batch in batches:
            loss, hits, count = self._loss(batch)
            total += float(loss) * count
            right += hits
            asked += count
        return total / max(1, asked), right / max(1, asked)

    @torch.no_grad()
    def attentions(self, words: IntArray) -> NDArray[np.float32]:
        """The attention weights [layers, heads, n, n] of one sentence [1, n], as they are now."""
        vectors = self.learner.vectors(torch.from_numpy(words))
        output = self.learner.encoder(vectors)
        stacked: NDArray[np.float32] = torch.stack(output.attentions)[:, 0].numpy()
        return stacked

    def _loss(self, batch: Batch) -> tuple[Tensor, int, int]:
        """The mean loss, how many words were named, and how many were asked for."""
        targets = torch.from_numpy(batch.targets)
        where = targets != NOTHING
        wanted = targets[where] - FIRST_WORD
        mixed = self.settings.precision == "bfloat16"
        with torch.autocast("cpu", torch.bfloat16, enabled=mixed):
            scores = self.learner(torch.from_numpy(batch.words), where)
        loss = F.cross_entropy(scores.float(), wanted, reduction="sum") / max(1, wanted.numel())
        right = int((scores.detach().argmax(-1) == wanted).sum())
        return loss, right, wanted.numel()
