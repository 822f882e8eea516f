"""`verify: ci`: the repository's own CI judges each fix on a branch of Heal's, and no branch is ever left."""

import asyncio

import pytest

from bot.maintenance.sweeping import sweep_tries
from bot.store.attempts import ref_of
from bot.store.tries import Tries
from lab.localhub import pulls, pushes, repos
from tests.conversation.page import Page
from tests.conversation.small_repo import CI, GREEN, ONE_SLIP, THREE_SLIPS
from tests.world import OpenWorld, World

WANTED = {".github/heal.yml": "verify: ci\n"}
TOO = CI.replace("on: [pull_request]", "on:\n  pull_request:\n  push:\n    branches: ['heal/try/**']")
JUDGED = {**GREEN, **WANTED, ".github/workflows/ci.yml": TOO}


def branches(w: World) -> list[str]:
    """Heal's branches for trials."""
    return [ref for ref in w.hub.bare(w.repo).refs("refs/heads/") if ref.startswith("refs/heads/heal/try/")]


def seen(w: World) -> list[str]:
    """The commits that were shown to CI on such branches."""
    return [run.head_branch for run in w.hub.runs.values() if run.head_branch.startswith("heal/try/")]


async def nothing_left(w: World, pr: Page) -> None:
    assert branches(w) == []
    assert await Tries(w.machine.database, w.clock).all() == ()
    _ = (pr.comments(), pr.reviews(), pr.offers())  # read: what they say is others' tests


async def red(w: World, files: repos.FileTree = ONE_SLIP) -> Page:
    """A red pull request; while Heal waits, CI works."""
    pr = await w.pull(files)
    await w.ci()
    w.clock.meanwhile = w.ci
    await w.heal()
    return pr


# CK-2
@pytest.mark.parametrize("sandboxed", [True, False])
async def test_a_fix_with_which_ci_is_green_is_offered_and_the_evidence_names_cis_run(
    world: OpenWorld, sandboxed: bool
) -> None:
    async with world(JUDGED, sandboxed=sandboxed) as w:
        pr = await red(w)
        (offer,) = pr.standing()
        assert offer.text == "    return price - price * percent / 100"
        (stored,) = await pr.stored()
        last = stored.proposal.evidence[-1]
        (run,) = [run for run in w.hub.runs.values() if run.head_branch.startswith("heal/try/")]
        assert (last.command, last.before_exit, last.after_exit) == ("CI: checks", 1, 0)
        assert f"/actions/runs/{run.id}" in last.note
        assert "1 passed" in last.after_output
        assert (len(stored.proposal.evidence) > 1) is sandboxed
        await nothing_left(w, pr)


# CK-2
async def test_the_branch_holds_what_ci_would_build_from_the_fixed_head(world: OpenWorld) -> None:
    async with world(JUDGED) as w:
        pushes.commit(w.hub, "noor", w.repo, "topic", ONE_SLIP)
        await w.commit_to_main({"docs.md": "News.\n"})
        pr = w.page(pulls.open_pull(w.hub, "noor", w.repo, "topic").number)
        await w.ci()
        w.clock.meanwhile = w.ci
        await w.heal()
        (run,) = [run for run in w.hub.runs.values() if run.head_branch.startswith("heal/try/")]
        bare = w.hub.bare(w.repo)
        assert bare.read(run.head_sha, "docs.md") == b"News.\n"
        assert b"price - price * percent" in (bare.read(run.head_sha, "shop.py") or b"")
        assert sorted(bare.info(run.head_sha).parents) == sorted([pr.head, bare.branch("main") or ""])
        await nothing_left(w, pr)


# CK-2
@pytest.mark.parametrize("sandboxed", [True, False])
async def test_several_fixes_of_one_job_are_judged_together_in_one_run_of_ci(world: OpenWorld, sandboxed: bool) -> None:
    async with world(JUDGED, sandboxed=sandboxed) as w:
        pr = await red(w, THREE_SLIPS)
        assert len(seen(w)) == 1
        stored = await pr.stored()
        assert [item.delivery for item in stored] == ["suggestion" if sandboxed else "fixup"] * 3
        assert all("with 3 fixes together" in item.proposal.evidence[-1].note for item in stored)
        assert pr.suggested() == (3 if sandboxed else 0)
        await nothing_left(w, pr)


# CK-2 CK-7
@pytest.mark.parametrize("sandboxed", [True, False])
async def test_a_fix_with_which_ci_is_red_is_not_offered_and_the_reason_is_reported(
    world: OpenWorld, sandboxed: bool
) -> None:
    # What Heal runs is told by the repository: Ruff alone. CI runs the tests too, and they want something else.
    reported = {".github/heal.yml": "verify: ci\nchecks: ['ruff check .']\n"}
    wrong = ONE_SLIP["shop.py"]
    test = (
        GREEN["test_shop.py"]
        + "\n\ndef test_discount():\n    import shop\n\n    assert shop.discounted(100, 10) == 80\n"
    )
    async with world({**JUDGED, **reported}, sandboxed=sandboxed) as w:
        pr = await red(w, {"shop.py": wrong, "test_shop.py": test})
        assert len(seen(w)) == 1
        assert pr.offers() == []
        assert pr.verdict() == "Heal: neutral, No fix found for 1 error"
        assert "CI's job “checks” ends as failure: test\\_shop.py" in pr.summary()
        await nothing_left(w, pr)


# CK-2
@pytest.mark.parametrize("sandboxed", [True, False])
async def test_where_no_workflow_runs_within_two_minutes_nobody_could_look(world: OpenWorld, sandboxed: bool) -> None:
    filtered = TOO.replace("    branches:", "    paths: ['docs/**']\n    branches:")
    async with world({**JUDGED, ".github/workflows/ci.yml": filtered}, sandboxed=sandboxed) as w:
        pr = await w.pull(ONE_SLIP)
        await w.ci()
        before = w.clock()
        await w.heal()
        assert w.clock() - before >= 120
        assert pr.offers() == []
        assert pr.verdict() == "Heal: neutral, Couldn't check this failure"
        assert "no workflow run of .github/workflows/ci.yml began within 2 minutes" in pr.summary()
        assert "Let it run for branches of Heal's" in pr.summary()
        await nothing_left(w, pr)


# CK-2
@pytest.mark.parametrize("sandboxed", [True, False])
async def test_where_no_workflow_runs_for_such_branches_none_is_pushed_and_nobody_waits(
    world: OpenWorld, sandboxed: bool
) -> None:
    async with world({**GREEN, **WANTED}, sandboxed=sandboxed) as w:
        before = w.clock()
        pr = await red(w)
        assert w.clock() - before < 120
        assert pr.offers() == seen(w) == []
        assert pr.verdict() == "Heal: neutral, Couldn't check this failure"
        assert ".github/workflows/ci.yml does not run for branches of Heal's" in pr.summary()
        assert "Let it run for branches of Heal's" in pr.summary()
        await nothing_left(w, pr)


# CK-2 IN-5
@pytest.mark.parametrize("sandboxed", [True, False])
async def test_nothing_of_a_fork_is_ever_pushed(world: OpenWorld, sandboxed: bool) -> None:
    async with world(JUDGED, sandboxed=sandboxed) as w:
        pr = await w.pull_from_fork(ONE_SLIP)
        await w.ci()
        w.clock.meanwhile = w.ci
        await w.heal()
        assert await pr.says("maya", "/heal")
        assert seen(w) == []
        assert "nothing of a fork is pushed" in pr.summary()
        assert len(pr.standing()) == (1 if sandboxed else 0)
        await nothing_left(w, pr)


# CK-2
@pytest.mark.parametrize("happens", ["closed", "pushed"])
async def test_when_the_pull_request_closes_or_moves_on_the_wait_ends_and_the_branch_goes(
    world: OpenWorld, happens: str
) -> None:
    async with world(JUDGED) as w:
        pr = await w.pull(ONE_SLIP)
        await w.ci()
        old = pr.head

        async def meanwhile() -> None:
            w.clock.meanwhile = None
            assert len(branches(w)) == 1
            if happens == "closed":
                pulls.close_pull(w.hub, "maya", pr.pull)
            else:
                pushes.commit(w.hub, "noor", w.repo, "topic", {"notes.txt": "Later.\n"})

        w.clock.meanwhile = meanwhile
        await w.heal()
        assert seen(w) == []
        assert pr.verdict(old) == "Heal: neutral, Stopped"
        assert pr.offers() == []
        await nothing_left(w, pr)


# CK-2
async def test_without_the_permission_to_push_nobody_could_look(world: OpenWorld) -> None:
    async with world(JUDGED) as w:
        output = {"message": "Resource not accessible by integration"}
        w.github.faults.answer("POST", "/git/refs$", 403, output, times=9)
        pr = await red(w)
        assert pr.offers() == []
        assert "Resource not accessible by integration" in pr.summary()
        assert "contents: write" in pr.summary()
        await nothing_left(w, pr)


# CK-2 OP-3
@pytest.mark.parametrize(
    ("method", "path", "after"),
    [
        ("POST", "/git/refs$", False),
        ("POST", "/git/refs$", True),
        ("GET", "/actions/runs$", True),
        ("GET", r"/actions/jobs/\d+/logs$", True),
        ("DELETE", "/git/refs/heads/heal/try/", False),
        ("DELETE", "/git/refs/heads/heal/try/", True),
    ],
)
async def test_a_process_that_dies_in_the_middle_leaves_no_branch_and_asks_ci_once(
    world: OpenWorld, method: str, path: str, after: bool
) -> None:
    async with world(JUDGED) as w:
        pr = await w.pull(ONE_SLIP)
        await w.ci()
        w.clock.meanwhile = w.ci
        await dies_at(w, method, path, after)
        await sweep_tries(w.machine.contexts, Tries(w.machine.database, w.clock), at_start=True)
        (run,) = await pr.runs()
        assert run.state == "running"
        await w.machine.work.healing(ref_of(run))  # as the durable engine does after a restart
        await w.heal()
        assert len(pr.standing()) == 1
        assert len(seen(w)) == 1
        await nothing_left(w, pr)


async def dies_at(w: World, method: str, path: str, after: bool) -> None:
    """Heal's process dies at the first such request: nothing more of it reaches GitHub."""
    life = asyncio.create_task(w.heal())

    def die() -> None:
        w.github.faults.answer("*", "/repos/", 403, {"message": "nobody is there any more"}, times=99)
        life.cancel()

    (w.github.faults.after if after else w.github.faults.before)(method, path, die)
    with pytest.raises(asyncio.CancelledError):
        await life
    w.github.faults.clear()


# CK-2
async def test_the_sweep_removes_what_was_left_and_nothing_that_is_at_work(world: OpenWorld) -> None:
    async with world(JUDGED) as w:
        w.github.faults.answer("DELETE", "/git/refs/heads/heal/try/", 403, {"message": "not now"}, times=9)
        pr = await red(w)
        assert len(branches(w)) == 1
        w.github.faults.clear()
        tries = Tries(w.machine.database, w.clock)
        await sweep_tries(w.machine.contexts, tries)
        assert len(pr.standing()) == 1
        await nothing_left(w, pr)
