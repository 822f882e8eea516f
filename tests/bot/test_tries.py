"""Branches for trials: CI's runs on them are cancelled before they go (CK-2)."""

from pathlib import Path
from typing import Any

import pytest

from bot.maintenance.sweeping import sweep_tries
from bot.store.database import Database
from bot.store.tries import Tries, TryRow
from handlers.model import Refused
from lab.localhub import actions
from lab.localhub.ci_state import WorkflowRun
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place

BRANCH = "heal/try/r1/1-abc"


def running(here: Place) -> WorkflowRun:
    """CI at work on a branch that a killed process left."""
    here.hub.bare(here.repo).set_ref(f"refs/heads/{BRANCH}", here.pull.head_sha)
    run = actions.begin_run(here.hub, here.repo, ".github/workflows/ci.yml", "CI", here.pull.head_sha, BRANCH)
    actions.begin_job(here.hub, run, "tests")
    return run


async def sweep(here: Place, database: Database, clock: Clock) -> list[Any]:
    tries = Tries(database, clock)
    row = TryRow(here.repo.id, BRANCH, here.repo.full_name, here.installation.id, here.pull.head_sha, 1, clock())
    await tries.begin(row)
    await sweep_tries(here.contexts, tries, at_start=True)
    return list(await tries.all())


# CK-2
async def test_ci_on_a_trials_branch_is_cancelled_before_the_branch_is_removed(
    tmp_path: Path, database: Database, clock: Clock
) -> None:
    async with place(tmp_path, database, clock) as here:
        here.installation.permissions["actions"] = "write"
        run = running(here)
        assert await sweep(here, database, clock) == []
        assert (run.status, run.conclusion) == ("completed", "cancelled")
        assert here.hub.bare(here.repo).branch(BRANCH) is None
        sent = [s.path.rpartition("/")[2] for s in here.local.log if s.method in ("POST", "DELETE")]
        assert sent.index("cancel") < sent.index("1-abc")


# CK-2
async def test_without_the_permission_ci_goes_on_with_a_word_and_the_branch_is_removed_all_the_same(
    tmp_path: Path, database: Database, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "heal.trials")
    async with place(tmp_path, database, clock) as here:
        run = running(here)
        assert await sweep(here, database, clock) == []
        assert run.status != "completed"
        assert here.hub.bare(here.repo).branch(BRANCH) is None
    assert "may not cancel them" in caplog.text


# CK-2
async def test_runs_of_other_branches_are_nobodys_to_cancel(tmp_path: Path, database: Database, clock: Clock) -> None:
    async with (
        place(tmp_path, database, clock) as here,
        here.contexts.try_branches(here.installation.id, here.event_repo()) as branches,
    ):
        with pytest.raises(Refused, match="not a branch for trials"):
            await branches.stop_ci("main")
