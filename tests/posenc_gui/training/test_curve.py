import numpy as np

from posenc_gui.training.curve import _MOST_POINTS, Curve


def test_a_constant_stays_what_it_is():
    curve = Curve()
    for step in range(1, 30):
        curve.add(step, 0.5)
    np.testing.assert_allclose(curve.points()[1], 0.5)


def test_the_first_value_is_not_drawn_to_zero():
    curve = Curve()
    curve.add(1, 2.6)
    assert curve.last == 2.6


def test_a_long_curve_is_thinned_out_and_keeps_its_range():
    curve = Curve()
    for step in range(1, 20_001):
        curve.add(step, step)
    steps, values = curve.points()
    assert _MOST_POINTS / 2 - 1 <= len(curve) <= _MOST_POINTS
    assert steps[0] <= 40
    assert steps[-1] >= 20_000 - 40
    assert len(set(np.diff(steps))) == 1
    assert (np.diff(values) > 0).all()
