"""Random weights: functions of name, shape and seed alone."""

import torch

from posenc_model.weights import RandomWeights, WeightCache


def test_the_order_in_which_weights_are_drawn_does_not_matter():
    forwards, backwards = RandomWeights(3), RandomWeights(3)
    a, b = forwards.uniform("a", (4, 4), 1.0), forwards.normal("b", (9,))
    assert torch.equal(backwards.normal("b", (9,)), b)
    assert torch.equal(backwards.uniform("a", (4, 4), 1.0), a)


def test_names_and_seeds_tell_weights_apart():
    drawn = [RandomWeights(seed).normal(name, (8,)) for seed in (0, 1) for name in ("a", "b")]
    assert len({tuple(tensor.tolist()) for tensor in drawn}) == 4


def test_distributions_are_as_declared():
    uniform = RandomWeights(0).uniform("u", (100_000,), 0.3)
    assert uniform.dtype == torch.float32
    assert uniform.abs().max() <= 0.3
    assert abs(uniform.mean()) < 0.003
    assert abs(uniform.var() - 0.3**2 / 3) < 0.001
    normal = RandomWeights(0).normal("n", (100_000,))
    assert abs(normal.mean()) < 0.02
    assert abs(normal.var() - 1) < 0.02


def test_a_cache_gives_what_would_be_drawn_and_gives_it_twice():
    cached, plain = WeightCache().seeded(5), RandomWeights(5)
    first = cached.uniform("w", (3, 3), 0.5)
    assert torch.equal(first, plain.uniform("w", (3, 3), 0.5))
    assert cached.uniform("w", (3, 3), 0.5) is first
    assert torch.equal(cached.normal("v", (3,)), plain.normal("v", (3,)))


def test_a_cache_tells_seeds_shapes_and_bounds_apart():
    cache = WeightCache()
    cache.seeded(0).uniform("w", (4,), 0.5)
    for seed, shape, bound in ((1, (4,), 0.5), (0, (2, 2), 0.5), (0, (4,), 0.25)):
        expected = RandomWeights(seed).uniform("w", shape, bound)
        assert torch.equal(cache.seeded(seed).uniform("w", shape, bound), expected)


def test_a_full_cache_forgets_what_was_used_longest_ago():
    cache = WeightCache(max_bytes=2 * 400)
    weights = cache.seeded(0)
    a, b = weights.normal("a", (100,)), weights.normal("b", (100,))
    assert weights.normal("a", (100,)) is a
    weights.normal("c", (100,))
    assert weights.normal("a", (100,)) is a
    assert weights.normal("b", (100,)) is not b
