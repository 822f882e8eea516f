"""A person resolves the thread of a suggestion without committing it, or opens it again (GH-6)."""

import pytest

from handlers import router
from handlers.comments import marks
from handlers.events import Person, ThreadResolved
from handlers.intake import parse_event
from healing.model import Proposal
from healing.steps import MemorySteps
from tests.handlers.hub import ADA, BOT, REPO
from tests.handlers.pull import BASE, HEAD, STICKY, fix_of
from tests.handlers.test_dead_suggestions import long_world, offered, two_parts
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


async def resolves(world: MemoryWorld, at: int = 0, by: Person = ADA, again: bool = False) -> None:
    """Somebody resolves the thread of a suggestion (`again`: opens it again), and GitHub tells of it."""
    comment = world.hub.review_comments_[at]
    if again:
        world.hub.resolved.pop(comment.id, None)
    else:
        world.hub.resolved[comment.id] = by.login.removesuffix("[bot]")
    event = ThreadResolved(installation_id=3, repo=REPO, sender=by, number=5, comment_id=comment.id)
    world.steps = MemorySteps()
    await router.handle(event, world)


async def fails_again(world: MemoryWorld, *fixes: Proposal, check: int = 12) -> None:
    """A check fails on the head as it is now, and the engine finds these."""
    world.will_heal(*fixes, run_id=f"run{check}")
    await world.ci_fails(check)


# GH-6
async def test_a_resolved_fix_is_put_aside_and_neither_applied_with_all_nor_offered_again(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await resolves(world)
    assert world.status(fix) == "resolved"
    assert "**dismissed**" in world.publisher.stickies[STICKY]
    assert "no fixes left to review (1 dismissed)" in world.publisher.stickies[STICKY]
    assert "committed as" not in await world.says("/heal apply all", comment_id=1)
    before = len(world.hub.review_comments_)
    await world.pushed({**HEAD, "other.txt": b"x\n"})
    await fails_again(world, fix)
    assert (world.status(fix), len(world.hub.review_comments_)) == ("resolved", before)
    assert "dismissed: ada resolved the conversation without committing" in world.check.summary
    assert world.publisher.edits == [], "its comment stays, so that it can be taken up again"


# GH-6 SC-1
async def test_a_person_can_still_apply_it_by_its_id_or_ask_for_it(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await resolves(world)
    await world.says("/heal retry", comment_id=1)
    world.will_heal(fix, run_id="run2")
    await world.work()
    assert world.status(fix) == "offered"
    await resolves(world, -1)
    assert world.status(fix) == "resolved"
    assert "committed as" in await world.says(f"/heal apply {fix.id}", comment_id=2)
    assert world.status(fix) == "applied"


# GH-6
async def test_opening_the_thread_again_brings_the_fix_back(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await resolves(world)
    await resolves(world, again=True)
    assert world.status(fix) == "offered"
    assert "1 tested fix to review" in world.publisher.stickies[STICKY]
    assert len(world.hub.review_comments_) == 1, "the same suggestion"


# GH-6 IN-3
async def test_it_comes_back_as_a_new_suggestion_where_the_old_one_lost_its_lines_and_not_where_it_holds_no_more(
    world: MemoryWorld,
) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await resolves(world)
    (comment,) = world.hub.review_comments_
    world.hub.review_comments_[0] = comment.model_copy(update={"line": None})
    await resolves(world, again=True)
    assert world.status(fix) == "offered"
    assert len(world.hub.review_comments_) == 2
    await resolves(world, -1)
    await world.pushed({**HEAD, "calc.py": b"pass\n"})
    assert world.status(fix) == "resolved"
    await resolves(world, -1, again=True)
    assert world.status(fix) == "outdated"


# GH-6
@pytest.mark.parametrize("first", ["the thread", "the push"])
async def test_a_suggestion_that_was_committed_is_applied_in_whatever_order_github_tells_of_it(
    world: MemoryWorld, first: str
) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    if first == "the thread":
        await resolves(world)
        await world.accepts(fix)
    else:
        await world.accepts(fix)
        await resolves(world)
    assert world.status(fix) == "applied"


# GH-6
async def test_a_fix_of_which_one_part_alone_is_resolved_stays_offered() -> None:
    world = long_world()
    fix = two_parts(world)
    await offered(world, fix)
    await resolves(world, 0)
    assert world.status(fix) == "offered"
    await resolves(world, 1)
    assert world.status(fix) == "resolved"
    await resolves(world, 0, again=True)
    assert world.status(fix) == "offered"


# GH-6 IN-4
@pytest.mark.parametrize("who", [Person(login=BOT, id=9, is_bot=True), Person(login="tidy[bot]", id=8, is_bot=True)])
async def test_a_bot_puts_nothing_aside(world: MemoryWorld, who: Person) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await resolves(world, by=who)
    assert world.status(fix) == "offered"


# IN-1
async def test_an_event_that_is_received_late_counts_for_how_the_thread_is_now(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    (comment,) = world.hub.review_comments_
    late = ThreadResolved(installation_id=3, repo=REPO, sender=ADA, number=5, comment_id=comment.id)
    await router.handle(late, world)
    assert world.status(fix) == "offered", "it was opened again before the event came"


# GH-9
async def test_putting_aside_is_no_rejection_and_a_rejection_stays_one(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await resolves(world)
    (kinds,) = world.store.kinds.values()
    assert await world.store.tallies(kinds) == ()
    await world.says(f"/heal reject {fix.id} not like this", comment_id=1)
    assert world.status(fix) == "rejected"
    await resolves(world, again=True)
    assert world.status(fix) == "rejected"


# SC-1
async def test_while_heal_is_paused_nothing_is_posted_and_the_fix_is_put_aside_all_the_same(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await world.store.pause(5, "ada")
    before = dict(world.publisher.stickies)
    await resolves(world)
    assert (world.status(fix), world.publisher.stickies) == ("resolved", before)


# IN-1
async def test_threads_of_others_change_nothing_and_on_unknown_pull_requests_cost_no_request(
    world: MemoryWorld,
) -> None:
    from handlers.model import Refused, ReviewComment

    fix = fix_of(world)
    await offered(world, fix)
    forged = world.hub.review_comments_[0].model_copy(update={"id": 77, "author": "eve", "author_is_bot": False})
    assert isinstance(forged, ReviewComment)
    assert marks.part_in(forged.body)
    world.hub.review_comments_.append(forged)
    await resolves(world, -1)
    assert world.status(fix) == "offered"
    world.hub.refusal = Refused(500, "nobody is to ask")
    await router.handle(ThreadResolved(installation_id=3, repo=REPO, sender=ADA, number=9, comment_id=1), world)


# IN-1
def test_a_thread_is_known_by_its_first_comment_and_other_actions_are_ignored() -> None:
    reported = {
        "installation": {"id": 3}, "repository": {"id": 7, "full_name": "ada/calc"}, "sender": {"login": "a", "id": 1},
        "pull_request": {"number": 5, "head": {"sha": "a"}},
        "thread": {"node_id": "T", "comments": [{"id": 31, "body": None}, {"id": 32}]},
    }  # fmt: skip
    for action in ("resolved", "unresolved"):
        event = parse_event("pull_request_review_thread", {**reported, "action": action})
        assert isinstance(event, ThreadResolved)
        assert (event.number, event.comment_id) == (5, 31)
    empty = {**reported, "thread": {"comments": []}, "action": "resolved"}
    assert parse_event("pull_request_review_thread", empty) is None
    assert parse_event("pull_request_review_thread", {**reported, "action": "locked"}) is None
