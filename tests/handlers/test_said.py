"""What Heal does when somebody says or presses something, in a world in memory."""

import pytest

from handlers import router
from handlers.events import ButtonPressed, Person, RerunAsked
from healing.model import Edit
from tests.handlers.hub import ADA, REPO
from tests.handlers.pull import BASE, EVE, HEAD, fix_of
from tests.handlers.world import MemoryWorld

MAL = Person(login="mal", id=4)


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


# SC-2
async def test_a_command_gets_eyes_at_once_and_an_answer_in_its_thread(world: MemoryWorld) -> None:
    await world.says("/heal status", comment_id=77, in_reply_to=70)
    assert world.publisher.reactions == [(77, "eyes")]
    assert [thread for _, thread in world.publisher.answers.values()] == [70]
    assert await world.says("Thanks!", comment_id=78) == ""


# SC-3
async def test_what_anyone_may_say_and_what_not(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    before = world.head
    for number, word in enumerate(("list", "show", "status", "unfixable", "help")):
        assert "needs write access" not in await world.says(f"/heal {word}", by=EVE, comment_id=number)
    for number, word in enumerate(("apply all", "reject all", "rollback run", "retry", "cost", "")):
        assert "needs write access" in await world.says(f"/heal {word}", by=MAL, comment_id=10 + number)
    assert world.head == before
    assert world.status(fix) == "offered"


# SC-4, SC-6
async def test_apply_then_rollback_gives_the_bytes_that_were_there_before(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    assert "committed as" in await world.says(f"/heal apply {fix.id[:6]}", comment_id=1)
    assert world.files["calc.py"].startswith(b"import math\n")
    message = world.hub.commits[world.head][1]
    assert "Co-authored-by: ada <1+ada@users.noreply.github.com>" in message
    assert f"Heal-Id: apply-{fix.id}-1" in message
    assert world.status(fix) == "applied"
    assert "Reverted" in await world.says("/heal rollback", comment_id=2)
    assert world.files == HEAD
    assert world.status(fix) == "rolled-back"


# SC-5
async def test_a_suggestion_accepted_on_the_page_is_rolled_back_too(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    world.hub.push(5, {**HEAD, "calc.py": b"import math\n\n\n" + HEAD["calc.py"]})  # and no event has come yet
    assert "Reverted" in await world.says("/heal rollback", comment_id=2)
    assert world.files == HEAD


# SC-5
async def test_a_rollback_done_before_a_crash_is_answered_not_repeated(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.says("/heal apply all", comment_id=1)
    first = await world.says("/heal rollback", comment_id=2)
    after = world.head
    assert await world.says("/heal rollback", comment_id=2) == first
    assert world.head == after


# SC-5
async def test_a_rollback_that_does_not_fit_changes_nothing_and_shows_the_conflict(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.says("/heal apply all", comment_id=1)
    world.hub.push(5, {**HEAD, "calc.py": world.files["calc.py"].replace(b"import math", b"import math as m")})
    before = world.head
    output = await world.says("/heal rollback", comment_id=2)
    assert "**Nothing was changed:**" in output
    assert "-import math" in output
    assert world.head == before
    assert world.status(fix) == "applied"


# SC-5
async def test_on_a_protected_branch_a_rollback_is_a_pull_request(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.accepts(fix)
    world.hub.protected = {"faster"}
    before = world.head
    assert "Merge pull request #50 to revert" in await world.says("/heal rollback", comment_id=2)
    assert world.head == before
    (plan,) = world.publisher.fixups.values()
    assert plan.branch == "heal/rollback/2"


# SC-4
async def test_a_stale_fix_is_refused_with_what_changed(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    world.hub.push(5, {**HEAD, "calc.py": b"def volume(r):\n    return math.pi\n"})
    before = world.head
    output = await world.says("/heal apply all", comment_id=1)
    assert "was **not** applied" in output
    assert "has changed from `def area(r):` to `def volume(r):`" in output
    assert output.count("has changed from") == 1
    assert world.head == before


# SC-4
async def test_apply_all_commits_each_on_top_of_the_last() -> None:
    world = MemoryWorld({}, {"calc.py": b"a = 1\nb = 1\n"})
    fixes = [
        world.proposal(Edit(file="calc.py", old_string=f"{name} = 1", new_string=f"{name} = 2")) for name in ("a", "b")
    ]
    world.will_heal(*fixes)
    await world.ci_fails()
    output = await world.says("/heal apply all", comment_id=1)
    assert output.count("committed as") == 2
    assert world.files == {"calc.py": b"a = 2\nb = 2\n"}
    await world.says("/heal rollback run", comment_id=2)
    assert world.files == {"calc.py": b"a = 1\nb = 1\n"}


# SC-1
async def test_in_a_reply_under_a_suggestion_the_id_may_be_left_out() -> None:
    world = MemoryWorld({}, {"calc.py": b"a = 1\nb = 1\nc = 1\nd = 1\n"})
    both = tuple(Edit(file="calc.py", old_string=f"{name} = 1", new_string=f"{name} = 2") for name in ("a", "c"))
    one, other = world.proposal(*both), world.proposal(Edit(file="calc.py", old_string="d = 1", new_string="d = 2"))
    world.will_heal(one, other)
    await world.ci_fails()
    second_part = next(c.id for c in world.hub.review_comments_ if f"proposal={one.id} part=2/2" in c.body)
    output = await world.says("/heal reject it hides the bug", comment_id=1, in_reply_to=second_part)
    assert "Reason: it hides the bug" in output
    assert (world.status(one), world.status(other)) == ("rejected", "offered")
    assert "Which one?" not in await world.says("/heal apply", comment_id=2)


# SC-1
async def test_a_rejected_fix_is_not_offered_again(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.says(f"/heal reject {fix.id}", comment_id=1)
    await world.says("/heal retry how: use a constant", comment_id=2)
    await world.work()
    assert len(world.healer.healed) == 2
    assert len(world.publisher.reviews) == 1
    assert world.status(fix) == "rejected"


# SC-1, IN-3
async def test_retry_hands_the_known_failures_and_the_hint_to_the_next_attempt(world: MemoryWorld) -> None:
    world.will_heal()
    await world.ci_fails()
    await world.says("/heal retry how: use a constant", comment_id=2)
    rows = await world.store.failures(world.head, 2)
    assert [(row["source"], row.get("how")) for row in rows] == [("asked", "use a constant"), ("check_run", None)]
    await world.says("/heal retry how: use a constant", comment_id=2)  # the same comment, delivered again
    assert len(world.store.runs_) == 2


# SC-1
async def test_heal_without_a_known_failure_says_so(world: MemoryWorld) -> None:
    assert "No check has failed" in await world.says("/heal")
    assert not world.queued


# GH-3
async def test_the_buttons_ask_github_who_presses(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    sha = world.head
    pressed = {"installation_id": 3, "repo": REPO, "sha": sha, "check_run_id": 3, "identifier": "apply-all"}
    await router.handle(ButtonPressed.model_validate({**pressed, "sender": EVE}), world)
    assert world.head == sha
    await router.handle(ButtonPressed.model_validate({**pressed, "sender": ADA}), world)
    assert world.status(fix) == "applied"
    assert len(world.publisher.answers) == 1


# GH-3
async def test_rerun_and_retry_open_the_next_attempt_once(world: MemoryWorld) -> None:
    world.will_heal()
    await world.ci_fails()
    again = RerunAsked(installation_id=3, repo=REPO, sender=ADA, sha=world.head, check_run_id=3)
    await router.handle(again, world)
    await world.work()
    assert [run.attempt for run in world.healer.healed] == [1, 2]
