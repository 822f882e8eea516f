"""Failed jobs are run again once for each attempt of a run, whatever is lost, late or refused."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.database import Database
from handlers.model import CiRunNow, Refused
from healing.model import CiRun
from lab.localhub import actions
from lab.localhub.ci_state import WorkflowRun
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place

RERUN = r"/rerun-failed-jobs$"


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        made.installation.permissions["actions"] = "write"
        yield made


def begun(here: Place) -> WorkflowRun:
    run = actions.begin_run(here.hub, here.repo, ".github/workflows/ci.yml", "CI", here.pull.head_sha, "topic#1")
    actions.finish_job(here.hub, actions.begin_job(here.hub, run, "test"), "failure", (), b"")
    return run


def failed(here: Place) -> WorkflowRun:
    run = begun(here)
    actions.finish_run(here.hub, run)
    return run


# IN-6
async def test_an_attempt_is_run_again_once(here: Place) -> None:
    run = failed(here)
    async with here.world() as world:
        assert await world.publisher.may_rerun()
        assert [await world.publisher.rerun(CiRun(id=run.id, attempt=1)) for _ in range(2)] == ["", ""]
        assert await world.github.ci_run(run.id) == CiRunNow(attempt=2, conclusion=None)
        actions.finish_run(here.hub, run, "failure")
        assert await world.publisher.rerun(CiRun(id=run.id, attempt=1)) == ""
    assert run.attempt == 2


# IN-6, OP-3
async def test_where_the_answer_is_lost_the_attempts_are_counted_before_it_is_asked_again(here: Place) -> None:
    run = failed(here)
    here.local.faults.answer("POST", RERUN, 502, after=True)
    async with here.world() as world:
        assert await world.publisher.rerun(CiRun(id=run.id, attempt=1)) == ""
    assert run.attempt == 2


# IN-6
async def test_a_run_that_goes_on_or_is_gone_is_not_run_again_and_it_is_said_why(here: Place) -> None:
    run = begun(here)
    async with here.world() as world:
        assert await world.publisher.rerun(CiRun(id=run.id, attempt=1)) == "the CI run is still in progress"
        assert await world.publisher.rerun(CiRun(id=99, attempt=1)) == "GitHub no longer has the CI run"
        assert await world.github.ci_run(99) is None
        actions.finish_run(here.hub, run, "success")
        here.local.faults.answer("POST", RERUN, 403)
        assert (await world.publisher.rerun(CiRun(id=run.id, attempt=1))).startswith("GitHub refused (`")
    assert run.attempt == 1


# IN-6
async def test_a_rate_limit_is_waited_for(here: Place) -> None:
    run = failed(here)
    here.local.faults.answer("POST", RERUN, 403, headers={"Retry-After": "7"})
    async with here.world() as world:
        with pytest.raises(Refused) as limited:
            await world.publisher.rerun(CiRun(id=run.id, attempt=1))
    assert limited.value.retry_after == 7


# IN-6, GH-7
async def test_it_may_only_where_the_installation_grants_it_and_its_token_can_do_nothing_else(here: Place) -> None:
    here.installation.permissions["actions"] = "read"
    async with here.world() as world:
        assert not await world.publisher.may_rerun()
        here.installation.permissions["actions"] = "write"
        assert await world.publisher.may_rerun()
    tokens = [token.permissions for token in here.hub.tokens.values()]
    assert [of for of in tokens if of.get("actions") == "write"] == [{"metadata": "read", "actions": "write"}]
