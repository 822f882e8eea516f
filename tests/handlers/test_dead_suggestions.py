"""A suggestion that nobody should commit any more loses its block, says why, and its thread is resolved."""

import pytest

from handlers.comments import marks
from handlers.model import ReviewComment
from healing.model import Edit, Proposal
from tests.handlers.publisher import Died
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


async def offered(world: MemoryWorld, *fixes: Proposal) -> None:
    world.will_heal(*fixes)
    await world.ci_fails()


def live(world: MemoryWorld) -> list[ReviewComment]:
    """The suggestions whose button works."""
    comments = [one for one in world.hub.review_comments_ if one.line is not None and one.id not in world.hub.resolved]
    return [one for one in comments if "```suggestion" in one.body]


def first_line(world: MemoryWorld, at: int = 0) -> str:
    return world.hub.review_comments_[at].body.split("\n")[0]


def two_parts(world: MemoryWorld) -> Proposal:
    far = [f"line{n} = {n}\n" for n in range(9)]
    edits = (Edit(file="calc.py", old_string=far[0], new_string="a = 0\n"),)
    return world.proposal(*edits, Edit(file="calc.py", old_string=far[8], new_string="b = 8\n"))


def long_world() -> MemoryWorld:
    return MemoryWorld({"calc.py": b"x\n"}, {"calc.py": "".join(f"line{n} = {n}\n" for n in range(9)).encode()})


# GH-12
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("/heal reject {} it is *wrong*", r"**Rejected:** it is \*wrong\*."),
        ("/heal reject {}", "**Rejected.**"),
        ("/heal apply {}", "**Applied** in `{head}`."),
    ],
)
async def test_a_decided_suggestion_says_what_became_of_it_and_can_no_longer_be_committed(
    world: MemoryWorld, command: str, line: str
) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    assert len(live(world)) == 1
    await world.says(command.format(fix.id))
    (comment,) = world.hub.review_comments_
    assert live(world) == []
    assert "```suggestion" not in comment.body
    assert first_line(world) == line.format(head=world.head[:12])
    assert marks.proposal_in(comment.body) == fix.id
    assert world.hub.resolved == {comment.id: "heal-app"}


# GH-12
async def test_a_rolled_back_fix_names_the_commit_that_reverted_it(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await world.says(f"/heal apply {fix.id}", comment_id=1)
    await world.says(f"/heal rollback {fix.id}", comment_id=2)
    assert first_line(world) == f"**Reverted** in `{world.head[:12]}`."


# GH-12
async def test_a_suggestion_that_a_push_outdated_says_why(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await world.pushed({**HEAD, "calc.py": HEAD["calc.py"] + b"# BROKEN\n"})
    assert world.status(fix) == "outdated"
    assert live(world) == []
    assert first_line(world).startswith("**Outdated:** ")


# GH-12
async def test_a_suggestion_that_is_offered_again_leaves_one_that_can_be_committed(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    world.hub.review_comments_[0] = world.hub.review_comments_[0].model_copy(update={"line": None})
    await world.pushed({**HEAD, "other.txt": b"x\n"})
    assert len(world.hub.review_comments_) == 2
    assert [one.id for one in live(world)] == [world.hub.review_comments_[1].id]
    assert first_line(world) == "**Offered again** in a newer suggestion on this pull request."
    edits = list(world.publisher.edits)
    await world.pushed({**HEAD, "other.txt": b"y\n"})
    assert (len(live(world)), len(world.hub.review_comments_), world.publisher.edits) == (1, 2, edits)


# GH-12, GH-6
async def test_a_fix_of_which_one_part_lost_its_lines_is_offered_again_whole() -> None:
    world = long_world()
    await offered(world, two_parts(world))
    first, second = world.hub.review_comments_
    world.hub.review_comments_[0] = first.model_copy(update={"line": None})
    await world.pushed({"calc.py": world.files["calc.py"], "other.txt": b"x\n"})
    assert [marks.part_in(one.body) for one in live(world)] == [marks.part_in(one.body) for one in (first, second)]
    assert {one.id for one in live(world)}.isdisjoint({first.id, second.id})


# GH-12, GH-6
async def test_a_part_that_a_person_committed_or_put_aside_is_not_lost() -> None:
    world = long_world()
    await offered(world, two_parts(world))
    first, second = world.hub.review_comments_
    world.hub.review_comments_[0] = first.model_copy(update={"line": None})
    world.hub.resolved[first.id] = "ada"
    await world.pushed({"calc.py": world.files["calc.py"], "other.txt": b"x\n"})
    assert [one.id for one in live(world)] == [second.id]


# GH-12
async def test_a_suggestion_that_was_committed_on_the_page_is_left_as_github_shows_it(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    (comment,) = world.hub.review_comments_
    world.hub.resolved[comment.id] = "ada"  # GitHub resolves the thread for whoever committed it
    await world.accepts(fix)
    assert world.status(fix) == "applied"
    assert world.publisher.edits == []


# GH-12
async def test_a_thread_that_a_person_only_resolved_holds_no_suggestion_once_heal_applied_its_fix(
    world: MemoryWorld,
) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    (comment,) = world.hub.review_comments_
    world.hub.resolved[comment.id] = "ada"
    await world.says(f"/heal apply {fix.id}")
    del world.hub.resolved[comment.id]  # somebody opens the thread again
    assert live(world) == []
    assert first_line(world).startswith("**Applied**")


# GH-12
async def test_the_other_part_of_a_fix_stays_while_only_one_was_committed_on_the_page() -> None:
    world = long_world()
    fix = two_parts(world)
    await offered(world, fix)
    first, second = world.hub.review_comments_
    world.hub.resolved[first.id] = "ada"
    await world.pushed({"calc.py": world.files["calc.py"].replace(b"line0 = 0", b"a = 0")})
    assert world.status(fix) == "outdated"
    assert [one.id for one in live(world)] == [second.id]


# GH-12
async def test_all_parts_of_a_rejected_fix_are_taken_off_the_page() -> None:
    world = long_world()
    await offered(world, two_parts(world))
    assert len(live(world)) == 2
    await world.says("/heal reject all")
    assert live(world) == []
    assert [marks.part_in(one.body) for one in world.hub.review_comments_] == [
        (two_parts(world).id, 1, 2),
        (two_parts(world).id, 2, 2),
    ]


# GH-12
async def test_a_page_that_is_right_costs_no_edit_and_no_reading_of_threads(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    await world.pushed({**HEAD, "other.txt": b"x\n"})
    assert (world.hub.thread_readings, world.publisher.edits) == (0, [])
    await world.says("/heal reject all", comment_id=1)
    await world.says("/heal reject all", comment_id=2)
    await world.pushed({**HEAD, "other.txt": b"y\n"})
    assert (world.hub.thread_readings, len(world.publisher.edits)) == (1, 1)


# GH-12 OP-3
@pytest.mark.parametrize("dies", [("resolve", 1), ("resolve", 2), ("withdraw", 1), ("withdraw", 2)])
async def test_what_a_crash_left_unfinished_is_finished_when_the_command_runs_again(dies: tuple[str, int]) -> None:
    ends = []
    for cut in (False, True):
        world = long_world()
        await offered(world, two_parts(world))
        if cut:
            world.publisher.dies = (dies[0], False, dies[1])
            with pytest.raises(Died):
                await world.says("/heal reject all because", comment_id=1)
        await world.says("/heal reject all because", comment_id=1)
        assert len(world.publisher.edits) == 2
        ends.append((world.hub.review_comments_, world.hub.resolved))
    assert ends[0] == ends[1]


# GH-12 SC-1
async def test_a_command_in_the_thread_of_a_withdrawn_suggestion_still_means_its_fix(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    (comment,) = world.hub.review_comments_
    await world.says("/heal reject", in_reply_to=comment.id, comment_id=1)
    await world.says("/heal apply", in_reply_to=comment.id, comment_id=2)
    assert world.status(fix) == "applied"
    assert first_line(world).startswith("**Applied**")


# GH-12
async def test_a_stranger_who_copies_a_mark_has_nothing_edited(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await offered(world, fix)
    (comment,) = world.hub.review_comments_
    copied = comment.model_copy(update={"id": 5000, "author": "eve", "author_is_bot": False})
    world.hub.review_comments_.append(copied)
    await world.says("/heal reject all")
    assert world.publisher.edits == [comment.id]
    assert world.hub.review_comments_[1] == copied
