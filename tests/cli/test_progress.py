"""What the command line says while a step takes long."""

import pytest

from bot.cli.progress import Progress
from healing.checks.check import command_check


# UX-3
async def test_a_long_step_says_which_check_runs_but_not_at_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    progress = Progress(quiet=False, clock=lambda: now)
    await progress.say("Trying rule-based fixes")
    for now in (1.0, 2.0, 20.0, 21.0, 40.0):
        progress.started(command_check(f"pytest -k at_{now:g} {'and_more ' * 20}"))
    first, *later = capsys.readouterr().err.splitlines()
    assert first == "· Trying rule-based fixes"
    assert [line.partition(" and_more")[0] for line in later] == ["  … pytest -k at_20", "  … pytest -k at_40"]
    assert [line.rpartition("(")[2] for line in later] == ["check run 3 of this step)", "check run 5 of this step)"]
    assert max(map(len, later)) < 120


# UX-3
async def test_a_quiet_command_says_nothing_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(quiet=True, clock=iter(range(0, 1000, 100)).__next__)
    await progress.say("Trying rule-based fixes")
    progress.started(command_check("pytest"))
    assert capsys.readouterr().err == ""
