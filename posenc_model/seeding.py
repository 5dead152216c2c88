"""Random numbers that depend on a seed and a name only."""

from __future__ import annotations

import hashlib

import numpy as np


def seeded_generator(seed: int, name: str) -> np.random.Generator:
    """A random generator that depends on ``seed`` and ``name`` only."""
    digest = hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.SFC64(int.from_bytes(digest, "little")))
