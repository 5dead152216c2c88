"""The numbers beside colours."""

import pytest

from posenc_gui.figures.color_bar import round_ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 1, 9, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 1, 2, [0, 0.5, 1]),
        (0, 0.71, 9, [0, 0.2, 0.4, 0.6]),
        (0, 0.043, 9, [0, 0.01, 0.02, 0.03, 0.04]),
        (-0.5, 0.5, 4, [-0.5, -0.25, 0, 0.25, 0.5]),
        (-0.43, 0.43, 2, [-0.25, 0, 0.25]),
    ],
)
def test_the_scale_has_round_ticks(low, high, most, expected):
    assert round_ticks(low, high, most) == pytest.approx(expected)
