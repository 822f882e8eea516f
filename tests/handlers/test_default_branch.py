"""The default branch moves under the fixup pull requests that go into it (GH-5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers import router
from handlers.events import AskedOfCommit, CheckFailed, CommitWord, DefaultBranchMoved, Person
from handlers.intake import parse_event
from handlers.model.plans import CheckPlan
from handlers.runs.finding import default_branch_of
from healing.model import Edit, Proposal
from tests.handlers.hub import ADA, REPO, Files
from tests.handlers.pull import BASE, EVE, HEAD, far_fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


async def main_fails(world: MemoryWorld, *fixes: Proposal) -> None:
    """Two fixes are offered in a fixup pull request into main."""
    sha = world.hub.branches["main"] = world.hub.commit(HEAD, "on main")
    failure: dict[str, object] = {"source": "check_run", "head_branch": "main", "default_branch": "main"}
    run = await world.store.open_attempt("check_run:1", 3, sha, failure)
    world.will_heal(*fixes)
    await world.healing(run)
    await world.work()


async def main_moves(world: MemoryWorld, files: Files, heard: str | None = None) -> str:
    sha = world.hub.branches["main"] = world.hub.commit(files, "later")
    await router.handle(DefaultBranchMoved(installation_id=3, repo=REPO, sender=ADA, sha=heard or sha), world)
    return sha


def status(world: MemoryWorld, fix: Proposal) -> str:
    return world.store.proposals_[0, fix.id].status


# GH-5, IN-3
async def test_what_still_holds_is_stacked_again_on_the_new_head(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    await main_fails(world, fix)
    sha = await main_moves(world, {**HEAD, "other.txt": b"new\n"}, heard="0" * 40)
    (fixup,) = world.publisher.fixups.values()
    assert (fixup.start_sha, fixup.base_ref, status(world, fix)) == (sha, "main", "offered")


# GH-5
async def test_what_does_not_hold_any_more_leaves_it_and_the_rest_stays(world: MemoryWorld) -> None:
    edit = Edit(file="calc.py", old_string="def area(r):\n", new_string="import math\n\n\ndef area(r):\n")
    near, far = world.proposal(edit), far_fix_of(world)
    await main_fails(world, near, far)
    await main_moves(world, {**HEAD, "calc.py": b"pass\n"})
    assert (status(world, near), status(world, far)) == ("outdated", "offered")
    (fixup,) = world.publisher.fixups.values()
    assert len(fixup.commits) == 1


# GH-5, GH-6
async def test_one_with_nothing_of_use_left_is_closed(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    await main_fails(world, fix)
    await main_moves(world, {**HEAD, "run.sh": b"true\n"})
    assert status(world, fix) == "applied"
    assert world.publisher.closed_fixups == [(50, "heal/run1/1")]


# GH-7
async def test_a_push_to_main_asks_github_nothing_where_no_fixup_is_open(world: MemoryWorld) -> None:
    world.hub.branch_head = None  # type: ignore[method-assign, assignment]
    await main_moves(world, HEAD)
    assert not world.publisher.fixups


# IN-1
@pytest.mark.parametrize(
    ("ref", "deleted", "received"),
    [
        ("refs/heads/main", False, True),
        ("refs/heads/main", True, False),
        ("refs/heads/topic", False, False),
        ("refs/tags/main", False, False),
    ],
)
def test_only_pushes_to_the_default_branch_are_received(ref: str, deleted: bool, received: bool) -> None:
    reported = {
        "ref": ref, "after": "a" * 40, "deleted": deleted, "installation": {"id": 3},
        "repository": {"id": 7, "full_name": "ada/calc", "default_branch": "main"}, "sender": {"login": "a", "id": 1},
    }  # fmt: skip
    assert isinstance(parse_event("push", reported), DefaultBranchMoved) is received


# IN-5
@pytest.mark.parametrize("source", ["check_run", "status", "workflow_run"])
async def test_a_failure_that_only_names_the_default_branch_is_left_alone(world: MemoryWorld, source: str) -> None:
    """The name may be all that the commit has of it: GitHub is asked whether the branch holds it."""
    world.hub.branches["main"] = world.hub.commit(BASE, "on main")
    elsewhere = world.hub.commit(HEAD, "elsewhere")
    world.hub.thrown_away.add(elsewhere)
    failure = {"source": source, "head_repo_id": REPO.id, "head_branch": "main", "default_branch": "main"}
    run = await world.store.open_attempt("failure:1", 3, elsewhere, dict(failure))
    await world.healing(run)
    await world.work()
    assert [one.state for one in world.store.runs_.values()] == ["stopped"]
    assert not world.healer.healed
    assert not world.publisher.fixups


# IN-5, GH-5
async def test_a_commit_that_a_push_by_force_took_off_the_default_branch_gets_no_pull_request(
    world: MemoryWorld,
) -> None:
    sha = world.hub.branches["main"] = world.hub.commit(HEAD, "on main")
    failure: dict[str, object] = {"source": "check_run", "head_branch": "main", "default_branch": "main"}
    run = await world.store.open_attempt("check_run:1", 3, sha, failure)
    world.will_heal(far_fix_of(world))
    world.healer.while_healing = ["main by force"]
    await world.healing(run)
    await world.work()
    assert world.healer.healed
    assert not world.publisher.fixups
    assert "this commit is no longer on `main`" in world.publisher.checks[f"heal:{sha}:1"].summary


# IN-5
@given(
    st.sampled_from(["check_run", "status", "workflow_run"]),
    st.none() | st.integers(1, 20),
    st.sampled_from(["main", "x"]),
)
def test_only_a_branch_of_the_repository_itself_can_be_its_default_branch(
    source: str, head_repo: int | None, branch: str
) -> None:
    failure = {"source": source, "head_repo_id": head_repo, "head_branch": branch, "default_branch": "main"}
    found = default_branch_of((dict(failure),), REPO.id)
    stranger = head_repo not in (None, REPO.id) or (source == "workflow_run" and head_repo is None)
    assert found == ("main" if branch == "main" and not stranger else None)


def check_of(world: MemoryWorld) -> CheckPlan:
    """Heal's last check run of main's commit."""
    return [plan for plan in world.publisher.checks.values() if plan.sha == world.hub.branches["main"]][-1]


def asks(world: MemoryWorld, word: CommitWord, ask_id: int = 1, hint: str = "", by: Person = ADA) -> AskedOfCommit:
    """A form of the dashboard about main's commit."""
    sha = world.hub.branches["main"]
    return AskedOfCommit(installation_id=3, repo=REPO, sender=by, sha=sha, ask_id=ask_id, word=word, hint=hint)


# OP-11
async def test_a_person_has_main_healed_again_on_the_dashboard_with_a_hint(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    await main_fails(world)
    world.will_heal(fix)
    for _ in range(2):  # a second life of the same press
        await router.handle(asks(world, "retry", hint="keep the old name"), world)
        await world.work()
    assert [(run.attempt, run.state) for run in world.store.runs_.values()] == [(1, "done"), (2, "done")]
    (wish, *_) = await world.store.failures(world.hub.branches["main"], 2)
    assert (wish["by"], wish["how"], wish["where"]) == ("ada", "keep the old name", "dashboard")
    assert status(world, fix) == "offered"
    assert not world.publisher.answers


# OP-11
@pytest.mark.parametrize("word", ["retry", "cancel"])
async def test_who_may_not_push_changes_nothing_about_main(world: MemoryWorld, word: CommitWord) -> None:
    await main_fails(world)
    before = dict(world.store.runs_)
    await router.handle(asks(world, word, by=EVE), world)
    await world.work()
    assert world.store.runs_ == before


# OP-11
async def test_a_run_of_main_that_waits_for_failures_ends_by_the_cancel_itself(world: MemoryWorld) -> None:
    sha = world.hub.branches["main"] = world.hub.commit(HEAD, "on main")
    failed = CheckFailed(
        installation_id=3, repo=REPO, sender=ADA, sha=sha, source="check_run", name="test", check_run_id=11,
        head_branch="main",
    )  # fmt: skip
    await router.handle(failed, world)
    assert check_of(world).status == "queued"
    await router.handle(asks(world, "cancel"), world)
    check = check_of(world)
    assert (check.title, check.status, check.conclusion) == ("Cancelled", "completed", "neutral")
    assert "`ada` cancelled this run on the dashboard. To run again, press *Re-run*" in check.summary
    assert "/heal" not in check.summary
    await world.work()
    assert not world.healer.healed
    assert [run.state for run in world.store.runs_.values()] == ["stopped"]


# OP-11
@pytest.mark.parametrize("step", [0, 1, 2])
async def test_a_run_of_main_at_work_ends_before_its_next_step_and_offers_nothing(
    world: MemoryWorld, step: int
) -> None:
    fix = far_fix_of(world)

    async def cancel(now: int) -> None:
        if now == step:
            run = next(iter(world.store.runs_.values()))
            world.store.runs_[run.sha, run.attempt] = run.model_copy(update={"run_id": "run1"})  # as the engine does
            steps = world.steps
            await router.handle(asks(world, "cancel"), world)
            world.steps = steps

    world.healer.before_step = cancel
    await main_fails(world, fix)
    check = check_of(world)
    assert (check.title, check.status) == ("Cancelled", "completed")
    assert ("Found before it stopped" in check.summary) == (step == 2)
    assert "/heal apply" not in check.summary, "there is no page to say it on"
    (run,) = world.store.runs_.values()
    assert (run.state, run.branch) == ("stopped", "main")
    assert not world.publisher.fixups
    world.healer.before_step = None
    await router.handle(asks(world, "retry", 2), world)
    await world.work()
    assert status(world, fix) == "offered", "a further run offers what was found"
