"""Heal's check run: one for each attempt, there as soon as work is expected, and none that stays open."""

from typing import Any

import pytest

from handlers import router
from handlers.events import CheckFailed, PullChanged
from handlers.model import Refused
from tests.handlers.hub import ADA, REPO
from tests.handlers.pull import BASE, HEAD, STICKY, fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


def failed(world: MemoryWorld, **fields: Any) -> CheckFailed:
    about = {"installation_id": 3, "repo": REPO, "sender": ADA, "sha": world.head, "source": "check_run"}
    more = {"name": "test", "check_run_id": 11, "app_slug": "github-actions", "head_branch": "faster"}
    return CheckFailed.model_validate({**about, **more, "pull_numbers": (5,), **fields})


def statuses(world: MemoryWorld) -> list[tuple[str, str]]:
    """Each check run's attempt and status."""
    return [(id_.rpartition(":")[2], plan.status) for id_, plan in world.publisher.checks.items()]


# GH-11
async def test_the_check_run_is_queued_as_soon_as_a_failure_is_reported(world: MemoryWorld) -> None:
    await router.handle(failed(world), world)
    assert (world.check.status, world.check.title) == ("queued", "Queued")
    await router.handle(failed(world, check_run_id=12), world)
    assert statuses(world) == [("1", "queued")]


# GH-11
async def test_a_branch_without_a_pull_request_gets_no_check_run(world: MemoryWorld) -> None:
    sha = world.hub.commit(HEAD, "elsewhere")
    await router.handle(failed(world, sha=sha, head_branch="elsewhere", pull_numbers=()), world)
    await world.work()
    assert world.publisher.checks == {}


# GH-11
async def test_each_further_attempt_has_a_check_run_of_its_own_and_the_last_tells_of_all(world: MemoryWorld) -> None:
    world.will_heal(fix_of(world))
    await world.ci_fails()
    before = world.check
    await world.says("/heal", comment_id=1)
    assert statuses(world) == [("1", "completed"), ("2", "queued")]
    await world.work()
    assert statuses(world) == [("1", "completed"), ("2", "completed")]
    assert "Heal ran twice on this commit" in world.check.summary
    assert world.publisher.checks[before.external_id] == before


# GH-11
@pytest.mark.parametrize(
    ("change", "title", "output"),
    [
        ({"state": "closed"}, "Nothing done", "was closed before the run began"),
        ({"head_sha": "f" * 40}, "Nothing done", "a newer commit arrived before the run began"),
        ({"draft": True}, "Nothing done", "this pull request is a draft"),
    ],
)
async def test_a_queued_check_run_that_nothing_comes_of_is_completed_with_one_line(
    world: MemoryWorld, change: dict[str, Any], title: str, output: str
) -> None:
    await router.handle(failed(world), world)
    queued = world.check
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update=change)
    await world.work()
    ended = world.publisher.checks[queued.external_id]
    assert (ended.status, ended.conclusion, ended.title) == ("completed", "neutral", title)
    assert output in ended.summary
    assert world.store.checks_noted == {}


# GH-11
async def test_a_push_completes_the_check_run_of_the_attempt_that_it_overtakes(world: MemoryWorld) -> None:
    world.will_heal(fix_of(world))
    await world.ci_fails()
    await world.says("/heal", comment_id=1)
    old = world.check
    assert old.status == "queued"
    before, head = world.head, world.hub.push(5, {**HEAD, "other.txt": b"x\n"})
    about = {"installation_id": 3, "repo": REPO, "sender": ADA, "number": 5, "action": "synchronize"}
    await router.handle(PullChanged.model_validate({**about, "head_sha": head, "before": before}), world)
    assert world.publisher.checks[old.external_id].status == "completed"


# GH-11, GH-14
async def test_a_check_run_that_github_refuses_stops_no_work_and_is_remembered(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    world.publisher.refuses_checks = Refused(403, "Resource not accessible by integration")
    await world.ci_fails()
    assert world.status(fix) == "offered"
    assert STICKY in world.publisher.stickies
    assert [run.state for run in world.store.runs_.values()] == ["done"]
    (wanted,) = world.store.checks_noted.values()
    assert wanted is not None
    assert (wanted.status, wanted.title) == ("completed", "1 error has a tested fix")
