"""A short day of `python -m benchmarks day`: what is kept for an hour does not grow after it."""

import tempfile
from pathlib import Path

import pytest

from benchmarks.day.organisation import organised


# OP-9
@pytest.mark.slow
async def test_nothing_grows_once_things_are_old_enough_to_be_forgotten() -> None:
    with tempfile.TemporaryDirectory(prefix="heal-day-") as made:
        folder = Path(made)
        folder.chmod(0o711)
        async with organised(folder, number=8, keep_hours=1.0, seed=5) as organisation:
            hours = [await organisation.hour(pushes=4) for _ in range(6)]
    assert hours[-1]["lost"] == 0
    for name in ("rows", "stores", "bases", "worktrees", "databases"):
        assert hours[-1][name] <= 1.2 * max(hour[name] for hour in hours[2:4]), (name, hours)
    assert hours[-1]["open files"] <= hours[2]["open files"] + 4
