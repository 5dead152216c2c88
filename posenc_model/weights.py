"""Random weights: each tensor a function of its name, its shape and the seed alone.

Two encoders with the same seed and width share every tensor that both of them have. Switching the
encoding, or the number of layers or heads, therefore changes that and nothing else.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from posenc_model.seeding import seeded_generator


class Weights(Protocol):
    """Where an encoder's parts get their initial tensors from."""

    def uniform(self, name: str, shape: tuple[int, ...], bound: float) -> Tensor:
        """A float32 tensor drawn evenly from −bound to +bound."""

    def normal(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A float32 tensor of standard normal numbers."""


class RandomWeights:
    """Draws each tensor anew, so that the caller may train it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def uniform(self, name: str, shape: tuple[int, ...], bound: float) -> Tensor:
        drawn = seeded_generator(self._seed, name).random(shape, dtype=np.float32)
        return torch.from_numpy(drawn).sub_(0.5).mul_(2 * bound)  # on all cores, unlike NumPy

    def normal(self, name: str, shape: tuple[int, ...]) -> Tensor:
        drawn = seeded_generator(self._seed, name).standard_normal(shape, dtype=np.float32)
        return torch.from_numpy(drawn)


class WeightCache:
    """Remembers the tensors last drawn, up to a number of bytes.

    The tensors are shared between the encoders made from it: they must not be changed in place.
    """

    def __init__(self, max_bytes: int = 512 * 2**20) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = threading.Lock()
        self._tensors: OrderedDict[tuple[object, ...], Tensor] = OrderedDict()

    def seeded(self, seed: int) -> _CachedWeights:
        """The weights of one seed, read through this cache."""
        return _CachedWeights(self, seed)

    def get(self, key: tuple[object, ...]) -> Tensor | None:
        with self._lock:
            if key in self._tensors:
                self._tensors.move_to_end(key)
            return self._tensors.get(key)

    def put(self, key: tuple[object, ...], tensor: Tensor) -> Tensor:
        with self._lock:
            self._tensors[key] = tensor
            self._bytes += tensor.nbytes
            while self._bytes > self._max_bytes and len(self._tensors) > 1:
                _, oldest = self._tensors.popitem(last=False)
                self._bytes -= oldest.nbytes
        return tensor


class _CachedWeights:
    def __init__(self, cache: WeightCache, seed: int) -> None:
        self._cache = cache
        self._seed = seed
        self._random = RandomWeights(seed)

    def uniform(self, name: str, shape: tuple[int, ...], bound: float) -> Tensor:
        key = (self._seed, name, shape, bound)
        found = self._cache.get(key)
        return (
            found
            if found is not None
            else self._cache.put(key, self._random.uniform(name, shape, bound))
        )

    def normal(self, name: str, shape: tuple[int, ...]) -> Tensor:
        key = (self._seed, name, shape)
        found = self._cache.get(key)
        return (
            found if found is not None else self._cache.put(key, self._random.normal(name, shape))
        )
