"""Training against the same model built from ``torch.nn`` parts.

``python -m benchmarks.training [--steps 40] [--rounds 7] [--width 64] [--layers 1]``

The reference is ``nn.Embedding``, post-norm ``nn.TransformerEncoderLayer`` and ``nn.Linear``
of the same sizes, without any position, with the same optimizer, gradient clipping and batches.
Ratios are of tokens per second; above 1 means that this program is faster.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.timing import in_turns
from posenc_model.encodings import ENCODINGS
from posenc_model.seeding import seeded_generator
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.tasks import NOTHING
from posenc_model.training.trainer import Trainer
from posenc_model.words import FIRST_WORD

BARS = {"none": 0.9, "abs": 0.9}  # of the reference's tokens per second
REFERENCE = "torch.nn"


class Reference(nn.Module):
    """The model from torch's own parts; words in, scores of the words asked for out."""

    def __init__(self, settings: TrainingSettings, words: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, settings.width)
        layer = nn.TransformerEncoderLayer(
            settings.width,
            settings.num_heads,
            4 * settings.width,
            dropout=0.0,
            activation="relu",
            batch_first=True,
            norm_first=False,
        )
        self.encoder = nn.TransformerEncoder(layer, settings.num_layers)
        self.read = nn.Linear(settings.width, words - FIRST_WORD)

    def forward(self, words: Tensor, where: Tensor) -> Tensor:
        scores: Tensor = self.read(self.encoder(self.words(words))[where])
        return scores


class ReferenceTrainer:
    """Learns from the batches that :class:`Trainer` draws."""

    def __init__(self, settings: TrainingSettings) -> None:
        self.settings = settings
        self.task = Trainer(settings).task
        self.model = Reference(settings, len(self.task.words))
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=1e-3, betas=(0.9, 0.98), weight_decay=0.01, fused=True
        )
        self.done = 0

    def step(self) -> None:
        self.done += 1
        batch = self.task.batch(seeded_generator(self.settings.seed, f"batch/{self.done}"))
        targets = torch.from_numpy(batch.targets)
        where = targets != NOTHING
        scores = self.model(torch.from_numpy(batch.words), where)
        loss = F.cross_entropy(scores, targets[where] - FIRST_WORD)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


def tokens_of(settings: TrainingSettings, first: int, steps: int) -> int:
    """How many tokens the batches of some steps have."""
    task = Trainer(settings).task
    generators = (
        seeded_generator(settings.seed, f"batch/{n}") for n in range(first, first + steps)
    )
    return sum(task.batch(generator).words.size for generator in generators)


def compare(sizes: dict[str, int], steps: int, rounds: int) -> bool:
    """Prints the table; returns whether the bars are met by the ratio of the minima."""

    def settings(encoding: str) -> TrainingSettings:
        return TrainingSettings.of({"positional_encoding": encoding, **sizes})

    trainers = {name: Trainer(settings(name)) for name in ENCODINGS}

    def candidate(trainer: Trainer | ReferenceTrainer) -> Callable[[], object]:
        def run() -> None:
            # Each round learns from the same batches, so that rounds are alike.
            trainer.done = 0
            for _ in range(steps):
                trainer.step()

        return run

    candidates = {REFERENCE: candidate(ReferenceTrainer(settings("none")))}
    candidates |= {name: candidate(trainer) for name, trainer in trainers.items()}
    timings = in_turns(candidates, rounds, warm_up=1)
    tokens = tokens_of(settings("none"), 1, steps)
    base = timings[REFERENCE]
    shown = ", ".join(f"{name} {value}" for name, value in sizes.items())
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {rounds} rounds; {shown}")
    print(f"{'what':>10} {'tokens/s':>10} {'minima':>7} {'median':>7} {'bar':>5}")
    all_met = True
    for name, timing in timings.items():
        line = f"{name:>10} {tokens / timing.best:>10,.0f}"
        if name != REFERENCE:
            ratio = base.ratio_of_minima(timing)
            line += f" {ratio:>7.2f} {base.median_ratio(timing):>7.2f}"
            if name in BARS:
                met = ratio >= BARS[name]
                all_met &= met
                line += f" {BARS[name]:>5.2f}{'' if met else '!'}"
        print(line)
    return all_met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=40, help="steps of a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--heads", type=int, default=4)
    arguments = parser.parse_args()
    sizes = {
        "width": arguments.width,
        "num_layers": arguments.layers,
        "num_heads": arguments.heads,
    }
    return 0 if compare(sizes, arguments.steps, arguments.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
