"""Axes of plots (OP-11)."""

import pytest

from bot.web.drawing.plots import _minutes, _ticks


# OP-11
@pytest.mark.parametrize("most", [0.0, 0.004, 0.3, 1, 2, 3, 4, 5, 9, 11, 99, 12345, 5e7])
def test_an_axis_reaches_its_highest_value_in_few_even_steps(most: float) -> None:
    for ticks in (_ticks(most, False), _ticks(most, True), _minutes(most)):
        assert ticks[0] == 0
        assert ticks[-1] >= most * (1 - 1e-9)
        assert len(ticks) == len(set(ticks))
    for ticks in (_ticks(most, False), _ticks(most, True)):
        assert 2 <= len(ticks) <= 5
    assert all(tick == int(tick) for tick in _ticks(most, True))
