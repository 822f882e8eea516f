"""Many pull requests fail at once: Heal works them off without a call too many (GH-7)."""

import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.durable.engine import DurableEngine
from bot.store.database import Database
from lab.localhub import actions, pulls, pushes
from lab.localhub.faults import RecordedRequest
from lab.localhub.state import Pull
from tests.bot.conftest import Clock
from tests.bot.hub import CHANGED, Place, place
from tests.bot.test_machine import LINT, running


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


def another(here: Place, number: int) -> Pull:
    """A pull request more."""
    pushes.commit(here.hub, "mona", here.repo, f"topic-{number}", {"a.txt": CHANGED, "n.txt": f"{number}\n"})
    return pulls.open_pull(here.hub, "mona", here.repo, f"topic-{number}", "main", f"Change {number}")


def ci_fails_at(here: Place, pull: Pull) -> None:
    run = actions.begin_run(here.hub, here.repo, LINT, "CI", pull.head_sha, pull.head_ref)
    actions.finish_job(here.hub, actions.begin_job(here.hub, run, "lint"), "failure", [], b"red\n")
    actions.finish_run(here.hub, run)


def kind(seen: RecordedRequest) -> str:
    """What was asked, without which."""
    path = re.sub(r"[0-9a-f]{40}", "SHA", seen.path.removeprefix("/api/v3"))
    return f"{seen.method} {re.sub(r'/[0-9]+', '/N', path).replace('/repos/octo/demo', '')}"


async def drained(here: Place, folder: Path, clock: Clock, count: int) -> Counter[str]:
    """Everything that is asked of GitHub until all is done."""
    heads = [another(here, number) for number in range(count)]
    queue = DurableEngine(stepped=True)
    async with running(here, folder, queue, clock):
        for pull in heads:
            ci_fails_at(here, pull)
        while True:
            await here.hub.settled(600)
            await queue.drain(100_000)
            await here.hub.settled(600)
            if await queue.idle():
                break
    ours = [run for run in here.hub.check_runs.values() if run.app_slug == "heal"]
    assert sorted(run.head_sha for run in ours) == sorted(pull.head_sha for pull in heads)
    assert {run.status for run in ours} == {"completed"}
    assert len(here.healed) == count
    return Counter(kind(seen) for seen in here.local.log)


# Nothing of this can be left out: whether there is a check run already (for whoever hears of the failure, and for the
# run, which may be another process), the check run itself with the suite that it needs, the head and what its commit
# says, two words of progress, whether the head is still the same before anything is offered, and the end.
A_RUN = Counter(
    {
        "GET /pulls/N": 2,
        "GET /git/commits/SHA": 1,
        "GET /commits/SHA/check-runs": 2,
        "POST /check-suites": 1,
        "POST /check-runs": 1,
        "PATCH /check-runs/N": 3,
    }
)
AT_ALL = Counter({"GET /app": 1, "POST /app/installations/N/access_tokens": 2})


def without_rounds(reported: Counter[str]) -> Counter[str]:
    """But for what the worker's rounds ask by the clock."""
    return Counter({what: count for what, count in reported.items() if what != "GET /app/hook/deliveries"})


# GH-7, GH-3, IN-3
@pytest.mark.parametrize("count", [6, pytest.param(300, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])])
async def test_many_red_pull_requests_at_once_are_worked_off_without_a_call_too_many(
    here: Place, tmp_path: Path, clock: Clock, count: int
) -> None:
    reported = without_rounds(await drained(here, tmp_path, clock, count))
    assert reported == AT_ALL + Counter({what: each * count for what, each in A_RUN.items()})
