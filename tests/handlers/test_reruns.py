"""A failure that may be gone when CI runs again: the button, the one run by itself, and tests that fail by luck."""

import pytest
from inline_snapshot import snapshot

from handlers import router
from handlers.comments import reruns as texts
from handlers.events import ButtonPressed, Person, SuiteSettled
from handlers.model import CiRunNow
from handlers.model.repo_policy import RepoPolicy
from handlers.runs import flaky_tests
from healing.logs import flakes
from healing.model import CiRun, Outcome, Resolution, Unfixable
from healing.steps import MemorySteps
from tests.handlers.hub import ADA, REPO
from tests.handlers.publisher import Died
from tests.handlers.pull import BASE, EVE, HEAD, fix_of
from tests.handlers.world import ERROR, MemoryWorld

FLAKY = ERROR.model_copy(update={"tool": "pytest", "code": None, "test": "test_calc.py::test_area"})


@pytest.fixture
def world() -> MemoryWorld:
    world = MemoryWorld(BASE, HEAD)
    world.hub.ci_runs[40] = CiRunNow(attempt=1, conclusion="failure")
    ended = (Resolution(error_id="E1", how="flaky"),)
    again = (CiRun(id=40, attempt=1),)
    world.will_heal(verdict="not-healed", errors=(FLAKY,), resolutions=ended, retryable=again)
    return world


def summary(world: MemoryWorld) -> str:
    return world.check.summary


def buttons(world: MemoryWorld) -> list[str]:
    return [identifier for _, _, identifier in world.check.actions]


async def press(world: MemoryWorld, by: Person = ADA) -> None:
    event = {"installation_id": 3, "repo": REPO, "sha": world.head, "check_run_id": 3, "identifier": "rerun-failed"}
    await router.handle(ButtonPressed.model_validate({**event, "sender": by}), world)


# IN-6, GH-3
async def test_the_button_runs_again_for_anyone_who_may_write_and_then_goes(world: MemoryWorld) -> None:
    await world.ci_fails()
    assert buttons(world) == ["rerun-failed", "retry"]
    await press(world, by=EVE)
    assert world.hub.ci_runs[40].attempt == 1
    await press(world)
    assert world.hub.ci_runs[40].attempt == 2
    assert buttons(world) == ["retry"]
    assert "attempt 2 of the failed jobs is in progress." in summary(world)
    assert world.publisher.answers == {}


# IN-6, OP-3
@pytest.mark.parametrize("done", [False, True])
async def test_a_press_that_died_runs_again_once_and_never_a_later_attempt(world: MemoryWorld, done: bool) -> None:
    await world.ci_fails()
    world.steps = MemorySteps()
    world.publisher.dies = ("rerun", done, 1)
    with pytest.raises(Died):
        await press(world)
    await press(world)
    assert world.hub.ci_runs[40].attempt == 2
    world.hub.ci_runs[40] = CiRunNow(attempt=2, conclusion="failure")
    world.will_heal(verdict="not-healed", errors=(), retryable=(CiRun(id=40, attempt=2),), resolutions=())
    await world.ci_fails(check_run_id=12)
    await press(world)  # the first press, heard once more
    assert world.hub.ci_runs[40].attempt == 2
    world.steps = MemorySteps()  # a press of its own
    await press(world)
    assert world.hub.ci_runs[40].attempt == 3


# IN-6
async def test_without_the_permission_there_is_no_button_but_a_line_how_to_get_it(world: MemoryWorld) -> None:
    world.hub.grants_actions = False
    world.healer.wants = RepoPolicy(rerun_flaky=True)
    await world.ci_fails()
    assert buttons(world) == ["retry"]
    assert texts.NOT_GRANTED in summary(world)
    await press(world)
    assert world.hub.ci_runs[40].attempt == 1


# IN-6
async def test_what_is_the_codes_fault_has_neither_button_nor_line(world: MemoryWorld) -> None:
    world.healer.wants = RepoPolicy(rerun_flaky=True)
    world.will_heal(verdict="not-healed", resolutions=())
    await world.ci_fails()
    assert buttons(world) == ["retry"]
    assert "un again" not in summary(world)
    assert world.hub.ci_runs[40].attempt == 1


# IN-6
async def test_by_itself_only_the_first_attempt_is_run_again(world: MemoryWorld) -> None:
    world.healer.wants = RepoPolicy(rerun_flaky=True)
    await world.ci_fails()
    assert (world.hub.ci_runs[40].attempt, buttons(world)) == (2, ["retry"])
    assert texts.BY_ITSELF in summary(world)
    world.hub.ci_runs[40] = CiRunNow(attempt=2, conclusion="failure")
    world.will_heal(verdict="not-healed", retryable=(CiRun(id=40, attempt=2),), resolutions=())
    await world.ci_fails(check_run_id=12)
    assert (world.hub.ci_runs[40].attempt, buttons(world)) == (2, ["rerun-failed", "retry"])


# IN-6, OP-3
@pytest.mark.parametrize("done", [False, True])
async def test_a_run_by_itself_that_died_is_done_once(world: MemoryWorld, done: bool) -> None:
    world.healer.wants = RepoPolicy(rerun_flaky=True)
    world.publisher.dies = ("rerun", done, 1)
    with pytest.raises(Died):
        await world.ci_fails()
    world.queued += world.store.runs_.values()
    await world.work()
    assert world.hub.ci_runs[40].attempt == 2
    assert len(world.healer.healed) == 1
    assert ("**Re-run:**" if done else texts.BY_ITSELF) in summary(world)


# IN-6
async def test_while_its_run_goes_on_it_waits_until_that_has_ended(world: MemoryWorld) -> None:
    world.healer.wants = RepoPolicy(rerun_flaky=True)
    world.hub.ci_runs[40] = CiRunNow(attempt=1, conclusion=None)
    await world.ci_fails()
    assert world.hub.ci_runs[40].attempt == 1
    assert "the CI run is still in progress. Heal will try again once it finishes." in summary(world)
    world.hub.ci_runs[40] = CiRunNow(attempt=1, conclusion="failure")
    settled = SuiteSettled(
        installation_id=3, repo=REPO, sender=ADA, sha=world.head, check_suite_id=4, pull_numbers=(5,)
    )
    await router.handle(settled, world)
    assert (world.hub.ci_runs[40].attempt, buttons(world)) == (2, ["retry"])
    world.hub.ci_runs[40] = CiRunNow(attempt=2, conclusion="success")
    await router.handle(settled, world)
    assert "attempt 2 of the failed jobs passed." in summary(world)


# IN-6
async def test_a_press_that_github_refuses_is_answered_on_the_check_run(world: MemoryWorld) -> None:
    await world.ci_fails()
    world.hub.ci_runs[40] = CiRunNow(attempt=1, conclusion=None)
    await press(world)
    text = "**Not re-run:** the CI run is still in progress. *What you can do:* Press *Re-run failed* again later"
    assert text in summary(world)
    assert buttons(world) == ["rerun-failed", "retry"]


# IN-6
async def test_github_shows_three_buttons_with_short_labels(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix, verdict="partly", retryable=(CiRun(id=40, attempt=1),))
    await world.ci_fails()
    actions = world.check.actions
    assert [identifier for *_, identifier in actions] == ["apply-all", "rerun-failed", "retry"]
    assert all(len(label) <= 20 and len(words) <= 40 and len(ident) <= 20 for label, words, ident in actions)


# IN-6
async def test_tests_that_fail_by_chance_are_counted_by_commits_and_reported(world: MemoryWorld) -> None:
    earlier = [("a", True), ("b", True), ("c", False)]
    for sha, lucky in earlier:
        await flaky_tests.store_outcomes(world, sha, _outcome("flaky" if lucky else "unfixable:U1"))
    await world.ci_fails()
    (reported,) = flakes.flaky_tests(await world.store.test_outcomes((FLAKY.test or "",)))
    assert (reported.red, reported.lucky) == (4, 3)
    assert texts.flaky_tests((reported,)) in summary(world)
    assert texts.flaky_tests((reported,)) == snapshot("""\
**Flaky before:**

- `test_calc.py::test_area`: failed on 4 commits, and passed on 3 of them when run again.\
""")
    new = flakes.flaky_tests(flaky_tests.outcomes("d", _outcome("flaky")))
    assert texts.flaky_tests(new) == ""


# IN-6, CK-4
def test_only_what_was_run_here_counts() -> None:
    name = FLAKY.test or ""
    assert flaky_tests.outcomes("a", _outcome("flaky")) == ((name, "a", False), (name, "a", True))
    assert flaky_tests.outcomes("a", _outcome("unfixable:U1")) == ((name, "a", False),)
    assert flaky_tests.outcomes("a", _outcome("unfixable:U1", "could-not-look")) == ()
    assert flaky_tests.outcomes("a", _outcome("unfixable:U1", "infrastructure")) == ()


def _outcome(how: str, reason: str = "no-key") -> Outcome:
    report = Unfixable(id="U1", error_ids=("E1",), reason=reason, tried="", why="", advice="")
    return Outcome(
        verdict="not-healed",
        run_id="r",
        errors=(FLAKY,),
        unfixables=(report,),
        resolutions=(Resolution(error_id="E1", how=how),),
    )
