"""Trains the encoders that come with the program, and measures them for their model card.

    python -m posenc_model.training.sources TEXTS         # fetches the texts, once
    python -m posenc_model.training.shipped TEXTS FOLDER  # trains, goes on after an interruption

FOLDER keeps the checkpoints. The encoders and the table of ``resources/weights/MODEL_CARD.md`` are
written when all are trained; all of it is the same each time but for rounding.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from posenc_model.encodings import ENCODINGS
from posenc_model.exporters import write_whole
from posenc_model.trained import shipped_path
from posenc_model.trained_encoder import TrainedEncoder, load_trained
from posenc_model.training.export import export_encoder
from posenc_model.training.folders import checkpoints_in
from posenc_model.training.session import Session
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.tasks import NOTHING, Batch
from posenc_model.training.text import MaskedWords
from posenc_model.words import FIRST_WORD, MASK

SETTINGS = {
    "task": "masked",
    "steps": 7000,
    "batch_tokens": 2048,
    "learning_rate": 3e-3,
    "warmup_steps": 700,
    "schedule": "linear",
    "precision": "bfloat16",
}
_TOP = 5
_SHORTEST = 8  # below, a neighbour is nearly every word
_MARKS = ("<!-- table: written by posenc_model.training.shipped -->", "<!-- end of table -->")


@dataclass(frozen=True)
class Measured:
    """What an encoder reaches on text it has not learned from.

    Attributes:
        loss: Mean cross-entropy of the hidden words, in nats.
        accuracy: Share of hidden words that come first.
        top: Share of hidden words among the first five.
        shuffled: As ``accuracy``, with the words of each sentence in a random order.
        previous: Layer, head (from 1) and mean weight of the head that looks most at the word
            before.
        following: The same for the word after.
    """

    loss: float
    accuracy: float
    top: float
    shuffled: float
    previous: tuple[int, int, float]
    following: tuple[int, int, float]


@torch.inference_mode()
def measure(trained: TrainedEncoder, task: MaskedWords) -> Measured:
    """Measures an encoder on the held-out part of a text."""
    loss, first, among, asked = _named(trained, task.held_out())
    _, first_shuffled, _, _ = _named(trained, map(_shuffled, task.held_out()))
    config = trained.info.config
    sums = np.zeros((2, config.num_layers, config.num_heads))
    pairs = 0
    for words in task.held_out_sentences():
        if words.shape[1] < _SHORTEST:
            continue
        output = trained.encoder(_vectors(trained, words))
        for layer, weights in enumerate(output.attentions):
            for side, offset in enumerate((-1, 1)):
                sums[side, layer] += weights.diagonal(offset, 2, 3).sum((0, 2)).double().numpy()
        pairs += words.shape[0] * (words.shape[1] - 1)
    heads = []
    for means in sums / pairs:
        place = np.unravel_index(int(means.argmax()), means.shape)
        heads.append((int(place[0]) + 1, int(place[1]) + 1, float(means[place])))
    return Measured(
        loss / asked, first / asked, among / asked, first_shuffled / asked, heads[0], heads[1]
    )


def _vectors(trained: TrainedEncoder, words: np.ndarray) -> torch.Tensor:
    """The vectors [b, n, D] of word indices [b, n]."""
    table = trained.embedding
    flat = [trained.info.words[index] for index in words.ravel()]
    vectors = table.vectors(flat)
    vectors[words.ravel() == MASK] = table.mask
    return torch.from_numpy(vectors).view(*words.shape, -1)


def _named(trained: TrainedEncoder, batches: Iterator[Batch]) -> tuple[float, int, int, int]:
    """Summed loss, how many words came first, among the first five, and were asked for."""
    loss, first, among, asked = 0.0, 0, 0, 0
    for batch in batches:
        where = torch.from_numpy(batch.targets != NOTHING)
        wanted = torch.from_numpy(batch.targets)[where] - FIRST_WORD
        hidden = trained.encoder(_vectors(trained, batch.words)).last_hidden_state[where]
        scores = trained.scores(hidden)
        loss += float(torch.nn.functional.cross_entropy(scores, wanted, reduction="sum"))
        best = scores.topk(_TOP).indices == wanted[:, None]
        first += int(best[:, 0].sum())
        among += int(best.any(-1).sum())
        asked += len(wanted)
    return loss, first, among, asked


def _shuffled(batch: Batch) -> Batch:
    generator = np.random.Generator(np.random.SFC64(12345))
    order = generator.permutation(batch.words.shape[1])
    return Batch(batch.words[:, order], batch.targets[:, order])


def table_of(measured: dict[str, Measured]) -> str:
    """The model card's table."""
    rows = [
        "| encoding | loss (nats) | hidden word guessed | among the first five "
        "| guessed with the words shuffled | head that looks most at the word before | at the word "
        "after |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, m in measured.items():
        before, after = (
            f"layer {layer}, head {head}: {share:.0%}"
            for layer, head, share in (m.previous, m.following)
        )
        rows.append(
            f"| `{name}` | {m.loss:.3f} | {m.accuracy:.1%} | {m.top:.1%} | {m.shuffled:.1%} "
            f"| {before} | {after} |"
        )
    return "\n".join(rows)


def write_table(card: Path, table: str) -> None:
    """Puts the table between its marks in the model card."""
    text = card.read_text(encoding="utf-8")
    between = re.compile(f"{re.escape(_MARKS[0])}.*?{re.escape(_MARKS[1])}", re.DOTALL)
    if not between.search(text):
        raise ValueError(f"{card} has no place for the table.")
    replaced = between.sub(lambda _: f"{_MARKS[0]}\n\n{table}\n\n{_MARKS[1]}", text)
    write_whole(card, replaced.encode())


def train_all(texts: Path, folder: Path) -> None:
    """Trains one encoder an encoding, exports them and writes the table of the model card."""
    settings = [
        TrainingSettings.of({**SETTINGS, "text_file": str(texts), "positional_encoding": name})
        for name in ENCODINGS
    ]
    session = Session(settings, folder, resume=True)
    assert isinstance(session.task, MaskedWords)
    while session.share_done < 1:
        for index, step in session.round():
            if step.number % 100 == 0:
                print(f"{session.runs[index].name} step {step.number}: loss {step.loss:.3f}")
    learned, kept = session.task.tokens
    unknown = session.task.unknown_share
    print(f"{learned:,} words to learn from, {kept:,} held out; {unknown:.1%} unknown")
    measured = {}
    for name in ENCODINGS:
        target = shipped_path(name)
        export_encoder(checkpoints_in(folder, name)[-1], target, {"text": "English, see the card"})
        measured[name] = measure(load_trained(target), session.task)
    table = table_of(measured)
    print(table)
    write_table(shipped_path("t5").with_name("MODEL_CARD.md"), table)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Give the folder of texts and the folder for checkpoints.")
    train_all(Path(sys.argv[1]), Path(sys.argv[2]))
