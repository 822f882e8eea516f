"""What is done again after a crash changes nothing and says the same: a process may die between any two acts."""

import pytest

from handlers import router
from handlers.events import ButtonPressed
from healing.model import Edit
from tests.handlers.hub import ADA, REPO
from tests.handlers.publisher import Died
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


# OP-3, LM-6
async def test_a_run_that_died_while_it_delivered_is_not_healed_again(world: MemoryWorld) -> None:
    world.will_heal(fix_of(world))
    await world.ci_fails()
    (run,) = world.store.runs_.values()
    assert run.outcome is not None
    check = world.check
    await world.store.save_run(run.model_copy(update={"state": "running"}))
    world.queued.append(run)
    await world.work()
    assert len(world.healer.healed) == 1
    assert world.check == check
    assert [run.state for run in world.store.runs_.values()] == ["done"]


# OP-3, SC-4, SC-1
@pytest.mark.parametrize("command", ["apply", "apply all", "reject all because", "retry how: so", "rollback", "retry"])
@pytest.mark.parametrize("dies", ["before its answer", "at its answer"])
async def test_a_command_that_died_answers_as_if_nothing_had_happened(command: str, dies: str) -> None:
    output: list[str] = []
    ends: list[object] = []
    for cut in (False, True):
        world = MemoryWorld(BASE, HEAD)
        fix = fix_of(world)
        world.will_heal(fix)
        await world.ci_fails()
        if command == "rollback":
            await world.accepts(fix)
        if cut:
            world.publisher.dies = ("answer", dies == "at its answer", 1)
            with pytest.raises(Died):
                await world.says(f"/heal {command}", comment_id=1)
            await world.work()  # what it had started goes on meanwhile
        output.append(await world.says(f"/heal {command}", comment_id=1))
        await world.work()
        ends.append((world.files, world.status(fix), len(world.store.runs_), len(world.healer.healed)))
    assert output[0] == output[1]
    assert ends[0] == ends[1]


# OP-3, SC-4
@pytest.mark.parametrize("commits", [1, 2])
async def test_apply_all_that_died_after_a_commit_tells_of_both(commits: int) -> None:
    world = MemoryWorld({}, {"calc.py": b"a = 1\nb = 1\n"})
    fixes = [
        world.proposal(Edit(file="calc.py", old_string=f"{name} = 1", new_string=f"{name} = 2")) for name in ("a", "b")
    ]
    world.will_heal(*fixes)
    await world.ci_fails()
    world.publisher.dies = ("commit", True, commits)
    with pytest.raises(Died):
        await world.says("/heal apply all", comment_id=1)
    output = await world.says("/heal apply all", comment_id=1)
    assert output.count("was tested again and committed") == 2
    assert world.files["calc.py"] == b"a = 2\nb = 2\n"
    assert "is already on the branch" in await world.says(f"/heal apply {fixes[0].id}", comment_id=2)


# OP-3, GH-3
async def test_a_button_that_died_after_its_commit_still_answers(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    event = {"installation_id": 3, "repo": REPO, "sha": world.head, "check_run_id": 3, "identifier": "apply-all"}
    pressed = ButtonPressed.model_validate({**event, "sender": ADA})
    await router.handle(pressed, world)
    answers = dict(world.publisher.answers)
    assert len(answers) == 1
    world.publisher.answers.clear()  # as if it had died just before
    await router.handle(pressed, world)
    assert world.publisher.answers == answers


# OP-3, IN-3
async def test_fixes_that_were_offered_again_before_a_crash_are_not_offered_again(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    (stored,) = world.store.proposals_.values()
    await world.store.update_proposal(stored, {"status": "pending", "comment_id": None}, only=("offered",))
    await world.pushed({**HEAD, "other.txt": b"x\n"})
    (stored,) = world.store.proposals_.values()
    assert (stored.status, stored.delivery) == ("offered", "suggestion")
    assert len(world.publisher.reviews) == 1
