"""A test that fails by luck: CI is run again through GitHub, by a button or by itself, and what comes of it is told."""

from collections.abc import Iterator
from contextlib import contextmanager

from inline_snapshot import snapshot

from handlers.comments import reruns as texts
from lab.localhub import actions, checks
from lab.localhub.ci_state import WorkflowRun
from tests.conversation.page import Page
from tests.conversation.small_repo import GREEN, SHOP, TEST
from tests.world import MAINTAINER, OpenWorld, World

BY_WEATHER = "import os\n\n" + TEST.replace("== 3", '== (4 if os.environ.get("WEATHER") == "bad" else 3)')
FLAKY_SHOP = {**GREEN, "test_shop.py": BY_WEATHER}
WANTS_IT = {**FLAKY_SHOP, ".github/heal.yml": "rerun_flaky: true\n"}
CHANGE = {"shop.py": SHOP + "\n\nRATE = 3\n"}


@contextmanager
def bad_weather(w: World) -> Iterator[None]:
    """What CI runs meanwhile fails, on code that is right."""
    fair = w.runner.machines
    w.runner.machines = fair.with_env(WEATHER="bad")
    yield
    w.runner.machines = fair


async def unlucky(w: World) -> tuple[Page, WorkflowRun]:
    """A pull request whose CI failed by luck, and that Heal looked at."""
    with bad_weather(w):
        pr = await w.healed(CHANGE)
    (run,) = [run for run in w.hub.runs.values() if run.head_sha == pr.head]
    return pr, run


def buttons(pr: Page) -> list[str]:
    check = pr.check()
    assert check is not None
    return [action["identifier"] for action in check.actions]


async def press(w: World, pr: Page) -> None:
    check = pr.check()
    assert check is not None
    checks.press_button(w.hub, MAINTAINER, check, "rerun-failed")
    await w.heal()


# IN-6, GH-3
async def test_a_person_has_ci_run_again_what_failed_by_chance(world: OpenWorld) -> None:
    async with world(FLAKY_SHOP) as w:
        w.installation.permissions["actions"] = "write"
        pr, run = await unlucky(w)
        assert (pr.verdict(), buttons(pr)) == snapshot(
            ("Heal: neutral, Flaky: 1 error did not recur", ["rerun-failed", "retry"])
        )
        await press(w, pr)
        assert (run.attempt, run.status, buttons(pr)) == (2, "in_progress", ["retry"])
        await w.ci()
        await w.heal()
        assert [(job.name, job.conclusion) for job in actions.jobs_of(w.hub, run)] == [("checks", "success")]
        assert pr.summary() == snapshot("""\
When Heal ran the same code again, it passed. Re-run the failed job. If it fails often, fix the test.

**Re-run:** attempt 2 of the failed jobs passed.

| Error | Where | Result |
|---|---|---|
| `pytest AssertionError`: assert 3 == 4 | `test_shop.py:7` | flaky: passed on re-run |

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert (run.attempt, pr.comments()) == (2, [])


# IN-6
async def test_where_the_repository_wants_it_ci_runs_again_once_by_itself(world: OpenWorld) -> None:
    async with world(WANTS_IT) as w:
        w.installation.permissions["actions"] = "write"
        pr, run = await unlucky(w)
        assert (run.attempt, run.status, buttons(pr)) == (2, "in_progress", ["retry"])
        assert texts.BY_ITSELF in pr.summary()
        with bad_weather(w):
            await w.ci()
        await w.heal()
        assert (run.attempt, run.conclusion, buttons(pr)) == (2, "failure", ["rerun-failed", "retry"])
        await press(w, pr)
        await w.ci()
        await w.heal()
        assert (run.attempt, run.conclusion) == (3, "success")
        assert "attempt 3 of the failed jobs passed." in pr.summary()


# IN-6
async def test_without_the_permission_it_is_said_how_to_give_it(world: OpenWorld) -> None:
    async with world(WANTS_IT) as w:
        pr, run = await unlucky(w)
        assert (run.attempt, buttons(pr)) == (1, ["retry"])
        assert texts.NOT_GRANTED in pr.summary()


# IN-6
async def test_the_same_test_on_further_commits_is_known_to_fail_by_chance(world: OpenWorld) -> None:
    async with world(FLAKY_SHOP) as w:
        pr, _ = await unlucky(w)
        assert "Flaky before" not in pr.summary()
        await pr.push({"shop.py": SHOP + "\n\nRATE = 4\n"})
        with bad_weather(w):
            await w.ci()
        await w.heal()
        assert "`test_shop.py::test_total`: failed on 2 commits, and passed on 2 of them" in pr.summary()
