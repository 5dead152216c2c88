"""How many threads a training is given."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

from posenc_model.training.settings import TrainingSettings

# Up to this many numbers in a batch of vectors, threads wait for each other more than they compute.
_SMALL_STEP = 2**16


@contextlib.contextmanager
def few_threads(settings: TrainingSettings) -> Iterator[None]:
    """Has torch use one thread while small steps are made."""
    before = torch.get_num_threads()
    if settings.width * settings.batch_tokens <= _SMALL_STEP:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
