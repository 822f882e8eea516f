"""What a label, a draft or another base does to a run that is at work: it ends before its next step, and nothing is
spent on what nobody wants any more (IN-4)."""

import asyncio

import pytest

from handlers import router
from handlers.events import CheckFailed, PullChanged
from handlers.model.repo_policy import RepoPolicy
from handlers.model.skip_rules import SkipRules
from healing.steps import MemorySteps
from tests.handlers.hub import ADA, REPO
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import MemoryWorld

RULES = RepoPolicy(skip=SkipRules(labels=("no-heal",)), branches=("main", "release"))


@pytest.fixture
def world() -> MemoryWorld:
    world = MemoryWorld(BASE, HEAD)
    world.healer.wants = RULES
    return world


async def changes(world: MemoryWorld, action: str, label: str | None = None, **now: object) -> None:
    """The pull request is so from now on, and GitHub tells of it."""
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update=now)
    reported = {"installation_id": 3, "repo": REPO, "sender": ADA, "number": 5, "action": action, "label": label}
    event = PullChanged.model_validate({**reported, "head_sha": world.head})
    steps, world.steps = world.steps, MemorySteps()
    await router.handle(event, world)
    world.steps = steps


async def red_while(world: MemoryWorld, step: int, action: str, label: str | None = None, **now: object) -> None:
    """A check fails, and before this step of the engine the pull request changes. GitHub's event is handled beside the
    run."""
    beside: list[asyncio.Task[None]] = []

    async def happens(at: int) -> None:
        if at == step:
            run = next(iter(world.store.runs_.values()))
            world.store.runs_[run.sha, run.attempt] = run.model_copy(update={"run_id": "run1"})  # as the engine does
            world.healer.before_step = None
            beside.append(asyncio.create_task(changes(world, action, label, **now)))
            for _ in range(20):  # until it waits for the lane, or is done
                await asyncio.sleep(0)

    world.will_heal(fix_of(world))
    world.healer.before_step = happens
    await world.ci_fails()
    await asyncio.gather(*beside)


RESTRICTED = [
    ("labeled", {"label": "no-heal", "labels": ("no-heal",)}, "this pull request has the label `no-heal`"),
    ("converted_to_draft", {"draft": True}, "this pull request is a draft"),
]


# IN-4 LM-6
@pytest.mark.parametrize(("action", "now", "why"), RESTRICTED)
@pytest.mark.parametrize("step", [0, 1])
async def test_a_run_ends_before_its_next_step_where_the_rules_leave_the_pull_request_alone_from_now_on(
    world: MemoryWorld, action: str, now: dict[str, object], why: str, step: int
) -> None:
    await red_while(world, step, action, **now)  # type: ignore[arg-type]
    assert world.healer.healed == [], "the engine did no further step"
    (run,) = world.store.runs_.values()
    assert run.state == "stopped"
    assert (world.check.status, why in world.check.summary) == ("completed", True)
    assert not world.publisher.reviews


# IN-1 IN-4
@pytest.mark.parametrize(("action", "now", "why"), RESTRICTED)
async def test_where_no_event_tells_of_the_change_nothing_is_posted_all_the_same(
    world: MemoryWorld, action: str, now: dict[str, object], why: str
) -> None:
    fix = fix_of(world)
    world.will_heal(fix)

    async def unheard(_: int) -> None:
        known = {name: value for name, value in now.items() if name != "label"}
        world.hub.pulls[5] = world.hub.pulls[5].model_copy(update=known)

    world.healer.before_step = unheard
    await world.ci_fails()
    assert len(world.healer.healed) == 1
    assert not world.publisher.reviews
    assert why in world.check.summary
    assert fix.id[:8] in world.check.summary, "what was found is in the check run"
    assert "committed as" in await world.says(f"/heal apply {fix.id}")


# IN-4
@pytest.mark.parametrize("step", [0, 2])
@pytest.mark.parametrize("back", ["unlabeled", "ready_for_review"])
async def test_what_was_stopped_so_is_worked_on_again_when_the_label_or_the_draft_is_gone(
    world: MemoryWorld, back: str, step: int
) -> None:
    if back == "unlabeled":
        await red_while(world, step, "labeled", label="no-heal", labels=("no-heal",))
        await changes(world, "unlabeled", label="bug", labels=("no-heal",))
        assert not world.queued
        await changes(world, back, label="no-heal", labels=())
    else:
        await red_while(world, step, "converted_to_draft", draft=True)
        await changes(world, back, draft=False)
    await world.work()
    assert [run.state for run in world.store.runs_.values()] == ["stopped", "done"]
    assert len(world.publisher.reviews) == 1


# IN-4
async def test_a_label_that_comes_off_before_the_run_has_ended_starts_it_again(world: MemoryWorld) -> None:
    async def on_and_off(at: int) -> None:
        if at == 0:
            run = next(iter(world.store.runs_.values()))
            world.store.runs_[run.sha, run.attempt] = run.model_copy(update={"run_id": "run1"})
            await changes(world, "labeled", label="no-heal", labels=("no-heal",))
            await changes(world, "unlabeled", label="no-heal", labels=())
            world.healer.before_step = None

    world.will_heal(fix_of(world))
    world.healer.before_step = on_and_off
    await world.ci_fails()
    assert [run.state for run in world.store.runs_.values()] == ["stopped", "done"]
    assert len(world.publisher.reviews) == 1


# IN-4
async def test_a_run_that_a_person_asked_for_goes_on(world: MemoryWorld) -> None:
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update={"draft": True})
    await world.ci_fails()
    world.will_heal(fix_of(world))

    async def happens(at: int) -> None:
        if at == 0:
            await changes(world, "labeled", label="no-heal", labels=("no-heal",))

    world.healer.before_step = happens
    await world.says("/heal")
    await world.work()
    assert len(world.publisher.reviews) == 1


# IN-4
async def test_a_run_that_waits_for_failures_is_judged_when_it_begins(world: MemoryWorld) -> None:
    reported = {
        "installation_id": 3,
        "repo": REPO,
        "sender": ADA,
        "sha": world.head,
        "source": "check_run",
        "name": "test",
    }
    await router.handle(CheckFailed.model_validate({**reported, "check_run_id": 11, "pull_numbers": (5,)}), world)
    await changes(world, "labeled", label="no-heal", labels=("no-heal",))
    assert world.check.status == "queued"
    await changes(world, "unlabeled", label="no-heal", labels=())
    await world.work()
    assert len(world.healer.healed) == 1, "the label came and went before"


# IN-4
async def test_a_base_that_heal_does_not_work_on_stops_the_run_and_starts_none(world: MemoryWorld) -> None:
    await red_while(world, 0, "edited", base_ref="wild")
    await world.work()
    assert world.healer.healed == []
    assert "the branch `wild` is not in `branches`" in world.check.summary


# IN-3 IN-8
@pytest.mark.parametrize("step", [0, 1, 2])
async def test_a_run_whose_base_changes_ends_and_the_next_one_looks_at_the_new_base_alone(
    world: MemoryWorld, step: int
) -> None:
    await red_while(world, step, "edited", base_ref="release")
    await world.work()
    first, second = world.store.runs_.values()
    assert "the base branch was changed to `release`" in (first.reason or "")
    assert second.state == "done"
    rows = await world.store.failures(second.sha, second.attempt)
    assert [(row["source"], row.get("on_base")) for row in rows] == [("ready", True), ("check_run", True)]
    assert sum(len(review.comments) for review in world.publisher.reviews.values()) == 1


# IN-3 IN-8
async def test_failures_that_still_gather_are_looked_at_on_the_new_base_too(world: MemoryWorld) -> None:
    reported = {
        "installation_id": 3,
        "repo": REPO,
        "sender": ADA,
        "sha": world.head,
        "source": "check_run",
        "name": "test",
    }
    await router.handle(CheckFailed.model_validate({**reported, "check_run_id": 11, "pull_numbers": (5,)}), world)
    await changes(world, "edited", base_ref="release")
    await world.work()
    first, second = world.store.runs_.values()
    assert (first.state, second.state) == ("stopped", "done")
    rows = await world.store.failures(second.sha, second.attempt)
    assert {row.get("on_base") for row in rows} == {True}


# IN-1
async def test_a_change_of_a_pull_request_that_heal_knows_nothing_of_costs_no_request(world: MemoryWorld) -> None:
    from handlers.model import Refused

    world.hub.refusal = Refused(500, "nobody is to ask")
    for action in ("labeled", "converted_to_draft", "edited"):
        reported = {"installation_id": 3, "repo": REPO, "sender": ADA, "number": 9, "action": action}
        await router.handle(PullChanged.model_validate({**reported, "head_sha": "9" * 40, "label": "no-heal"}), world)
