"""What tells the encodings apart: name the token ten places to the left, with one layer.

An encoder that mixed its encodings up, or got a sign or a bucket wrong, would not show this.
"""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from posenc_model.config import EncoderConfig
from posenc_model.encoder import TransformerEncoder

PLACES, KINDS, WIDTH, HEADS = 10, 14, 64, 4
STEPS, BATCH, RATE = 700, 64, 3e-3


def batch(length: int, generator: torch.Generator, size: int = BATCH) -> torch.Tensor:
    return torch.randint(KINDS, (size, length), generator=generator)


def train(encoding: str, seed: int = 0, **options: int) -> nn.ModuleDict:
    """Trains on lengths 12 to 20."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    config = EncoderConfig(
        width=WIDTH,
        num_layers=1,
        num_heads=HEADS,
        positional_encoding=encoding,
        encoding_options=options,
        dropout=0.0,
        seed=seed,
    )
    model = nn.ModuleDict(
        {
            "words": nn.Embedding(KINDS, WIDTH),
            "encoder": TransformerEncoder(config),
            "read": nn.Linear(WIDTH, KINDS),
        }
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    for step in range(STEPS):
        words = batch(12 + step % 9, generator)
        loss = F.cross_entropy(answers(model, words).flatten(0, 1), words[:, :-PLACES].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
    return model


def answers(model: nn.ModuleDict, words: torch.Tensor) -> torch.Tensor:
    """For each token that has one ten places to its left, the scores of the kinds."""
    output = model["encoder"](model["words"](words))
    logits: torch.Tensor = model["read"](output.last_hidden_state[:, PLACES:])
    return logits


@torch.no_grad()
def accuracy(model: nn.ModuleDict, length: int) -> float:
    words = batch(length, torch.Generator().manual_seed(12345), 500)
    return (answers(model, words).argmax(-1) == words[:, :-PLACES]).float().mean().item()


@pytest.mark.slow
def test_relative_vectors_reach_ten_places_at_any_length():
    model = train("rel")
    assert accuracy(model, 20) >= 0.97
    assert accuracy(model, 40) >= 0.97


@pytest.mark.slow
def test_sinusoids_fit_the_lengths_they_saw_and_no_longer_ones():
    model = train("abs")
    assert accuracy(model, 20) >= 0.95
    assert accuracy(model, 40) <= 0.55


@pytest.mark.slow
def test_buckets_cannot_tell_ten_places_from_its_neighbours():
    assert accuracy(train("t5"), 20) <= 0.45


@pytest.mark.slow
def test_relative_vectors_clipped_at_four_cannot_see_ten_places():
    assert accuracy(train("rel", clip_distance=4), 20) <= 0.35
