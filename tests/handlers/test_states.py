"""Whether a fix is on the branch is known from commits, and every answer says what is true (SC-7)."""

import pytest

from handlers.acceptance.applied import notice_changes
from healing.model import Edit, Proposal
from tests.handlers.world import MemoryWorld

BASE = {"sales.py": b"import os\n\n\ndef total():\n    return os.sep\n"}
HEAD = {"sales.py": b"import json\nimport os\n\n\ndef total():\n    return os.sep\n"}
FIXED = {"sales.py": BASE["sales.py"]}


@pytest.fixture
async def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


async def offered(world: MemoryWorld, **fields: object) -> Proposal:
    """The demo's own first fix: an unused import, on the first line."""
    fix = world.proposal(Edit(file="sales.py", old_string="import json\n", new_string=""), title="Unused", **fields)
    world.will_heal(fix)
    await world.ci_fails()
    return fix


# SC-4 SC-7
async def test_a_deletion_that_nobody_made_is_committed_not_called_done(world: MemoryWorld) -> None:
    fix = await offered(world)
    assert "committed as" in await world.says(f"/heal apply {fix.id}", comment_id=1)
    assert world.files == FIXED


# SC-5 SC-7
async def test_a_fix_that_was_never_accepted_has_nothing_to_roll_back(world: MemoryWorld) -> None:
    fix = await offered(world)
    head = world.head
    assert "is not on the branch" in await world.says(f"/heal rollback {fix.id}", comment_id=1)
    assert (world.head, world.files, world.status(fix)) == (head, HEAD, "offered")


# SC-5 SC-7
async def test_a_run_is_rolled_back_once_however_often_it_is_asked(world: MemoryWorld) -> None:
    fix = await offered(world)
    await world.accepts(fix)
    assert "Reverted" in await world.says("/heal rollback run", comment_id=1)
    head = world.head
    assert "No fix on this pull request can be used" in await world.says("/heal rollback run", comment_id=2)
    assert "is not on the branch" in await world.says(f"/heal rollback {fix.id}", comment_id=3)
    await world.pushed({**HEAD, "other.txt": b"1\n"})
    assert (world.status(fix), world.files["sales.py"], head in world.hub.commits) == (
        "rolled-back",
        HEAD["sales.py"],
        True,
    )


# GH-6 SC-7
async def test_a_push_elsewhere_leaves_a_deletion_offered(world: MemoryWorld) -> None:
    fix = await offered(world)
    await world.pushed({**HEAD, "other.txt": b"1\n"})
    assert world.status(fix) == "offered"
    await world.pushed({"sales.py": HEAD["sales.py"] + b"\n\nAFTER = 1\n"})
    assert world.status(fix) == "offered"


# GH-6 SC-7
async def test_what_was_rolled_back_is_applied_again_once_a_commit_brings_it_again(world: MemoryWorld) -> None:
    fix = await offered(world)
    await world.accepts(fix)
    await world.says("/heal rollback", comment_id=1)
    await world.pushed({"sales.py": HEAD["sales.py"].replace(b"total", b"whole")})
    assert world.status(fix) == "rolled-back"
    await world.pushed({"sales.py": FIXED["sales.py"].replace(b"total", b"whole")})
    assert world.status(fix) == "applied"
    assert "Reverted" in await world.says("/heal rollback", comment_id=2)
    assert world.files == {"sales.py": HEAD["sales.py"].replace(b"total", b"whole")}


# SC-5 SC-7
async def test_a_fix_at_the_start_of_a_file_is_rolled_back_also_below_new_lines() -> None:
    world = MemoryWorld({}, BASE)
    fix = world.proposal(Edit(file="sales.py", old_string="import os\n", new_string="import json\nimport os\n"))
    world.will_heal(fix)
    await world.ci_fails()
    await world.accepts(fix)
    await world.pushed({"sales.py": b"#!/usr/bin/env python\n" + HEAD["sales.py"]})
    assert world.status(fix) == "applied"
    assert "Reverted" in await world.says("/heal rollback", comment_id=1)
    assert world.files == {"sales.py": b"#!/usr/bin/env python\n" + BASE["sales.py"]}


# SC-5 SC-7
async def test_where_it_is_unclear_where_deleted_lines_belong_nothing_is_changed(world: MemoryWorld) -> None:
    fix = await offered(world)
    await world.accepts(fix)
    await world.pushed({"sales.py": b"#!/usr/bin/env python\n" + FIXED["sales.py"]})
    head = world.head
    answer = await world.says("/heal rollback", comment_id=1)
    assert (
        "can't be reverted cleanly, because lines were added at the start or end of `sales.py`, right next to" in answer
    )
    assert (world.status(fix), world.head) == ("applied", head)


# SC-5 SC-7
async def test_a_fix_that_was_rejected_and_came_in_by_hand_can_be_rolled_back(world: MemoryWorld) -> None:
    fix = await offered(world)
    await world.says(f"/heal reject {fix.id}", comment_id=1)
    await world.pushed(FIXED)
    assert world.status(fix) == "rejected"
    assert "Reverted" in await world.says(f"/heal rollback {fix.id}", comment_id=2)
    assert (world.files, world.status(fix)) == (HEAD, "rolled-back")


# SC-5 SC-7
async def test_what_fits_both_ways_is_left_alone_and_said_so() -> None:
    world = MemoryWorld({}, {"f.py": b"old = 1\n" + b"x = 1\n" * 3})
    fix = world.proposal(Edit(file="f.py", old_string="old = 1\n", new_string="new = 1\n"))
    world.will_heal(fix)
    await world.ci_fails()
    await world.pushed({"f.py": b"old = 1\nnew = 1\n" + b"x = 1\n" * 3})
    head = world.head
    assert world.status(fix) == "offered"
    for number, command in enumerate(("apply", "rollback")):
        answer = await world.says(f"/heal {command} {fix.id}", comment_id=number)
        assert "othing was changed" in answer
        assert "no commit contains it" in answer
    assert (world.head, world.status(fix)) == (head, "offered")


# SC-5 SC-7
@pytest.mark.parametrize("accepted", [False, True])
async def test_what_the_base_branch_fixed_itself_is_not_the_pull_requests(accepted: bool) -> None:
    world = MemoryWorld(HEAD, {**HEAD, "other.txt": b"1\n"})
    fix = await offered(world)
    if accepted:
        await world.accepts(fix)
        assert world.status(fix) == "applied"
    world.hub.base_moves(5, FIXED)
    await world.pushed({**FIXED, "other.txt": b"1\n"}, "Merge branch 'main'")
    assert world.status(fix) == "outdated"
    assert "already on the base branch" in world.store.proposals_[5, fix.id].reason
    head = world.head
    assert "came with the base branch" in await world.says(f"/heal rollback {fix.id}", comment_id=1)
    assert "on the base branch" in await world.says(f"/heal apply {fix.id}", comment_id=2)
    assert world.head == head


# SC-7
async def test_what_the_pull_request_broke_and_fixed_itself_is_applied_not_the_base_branchs(world: MemoryWorld) -> None:
    fix = await offered(world)
    world.hub.base_moves(5, {**BASE, "news.txt": b"1\n"})
    await world.pushed({**FIXED, "news.txt": b"1\n"}, "Merge branch 'main', and no unused import")
    assert world.status(fix) == "applied"
    assert "Reverted" in await world.says("/heal rollback", comment_id=1)
    assert world.files == {**HEAD, "news.txt": b"1\n"}


# SC-5 SC-7
async def test_what_the_base_branch_fixed_stays_where_the_pull_request_fixed_the_line_right_beside_it() -> None:
    lines = {"a.py": b"top\nimport a1\nimport a2\nimport a3\nend\n", "other.txt": b"0\n"}
    world = MemoryWorld(lines, {**lines, "other.txt": b"1\n"})
    edits = [Edit(file="a.py", old_string=f"import {name}\n", new_string="") for name in ("a1", "a2")]
    one, two = (world.proposal(edit, id=f"{n:02}fix{n:04}", error_ids=("E1",)) for n, edit in enumerate(edits))
    world.will_heal(one, two)
    await world.ci_fails()
    await world.accepts(two)
    await world.pushed({**world.files, "other.txt": b"2\n"})
    assert (world.status(one), world.status(two)) == ("offered", "applied")
    world.hub.base_moves(5, {**lines, "a.py": b"top\nimport a2\nimport a3\nend\n"})
    await world.pushed({"a.py": b"top\nimport a3\nend\n", "other.txt": b"2\n"}, "Merge branch 'main'")
    assert (world.status(one), world.status(two)) == ("outdated", "applied")
    head = world.head
    assert "already on the base branch" in await world.says(f"/heal apply {one.id}", comment_id=1)
    assert "came with the base branch" in await world.says(f"/heal rollback {one.id}", comment_id=2)
    assert one.id[:8] not in await world.says("/heal rollback run", comment_id=3)
    assert world.head == head  # the other's place isn't exact any more, so nothing is changed


# SC-5 SC-7
async def test_where_the_commit_that_said_who_brought_a_fix_is_gone_it_is_unclear_and_nothing_is_taken_back() -> None:
    world = MemoryWorld({"a.py": b"import a1\nimport a2\nimport b3\n"}, {"a.py": b"import a1\nimport a2\nimport a3\n"})
    fix = world.proposal(Edit(file="a.py", old_string="import a2\n", new_string=""))
    world.will_heal(fix)
    await world.ci_fails()
    await world.accepts(fix)
    world.hub.lost.add(world.head)
    world.hub.base_moves(5, {"a.py": b"import a1\nimport b3\n"})
    await world.pushed({"a.py": b"import a1\nimport a3\n", "other.txt": b"1\n"}, "Merge branch 'main'")
    head = world.head
    assert "no commit contains it" in await world.says("/heal rollback run", comment_id=1)
    assert world.head == head


# GH-6 SC-7
async def test_a_head_that_nobody_has_any_more_is_not_taken_for_one_without_files() -> None:
    world = MemoryWorld({}, {"a.py": b"1\n", "junk.py": b"2\n"})
    made = world.proposal(Edit(file="new.py", old_string="", new_string="3\n", kind="create"), title="Made")
    removed = world.proposal(Edit(file="junk.py", old_string="2\n", new_string="", kind="delete"), title="Removed")
    world.will_heal(made, removed)
    await world.ci_fails()
    await world.accepts(made)
    assert (world.status(made), world.status(removed)) == ("applied", "offered")
    gone = world.hub.commit({**world.files, "other.txt": b"1\n"})
    world.hub.lost.add(gone)
    world.hub.move(5, gone)
    pull = await world.github.pull(5)
    assert pull is not None
    await notice_changes(world, pull)
    assert (world.status(made), world.status(removed)) == ("applied", "offered")


# SC-5 SC-7
@pytest.mark.parametrize(
    ("head", "old", "new", "pushed"),
    [
        (
            b"import os\ndef f(): return os\n",
            "def f(): return os\n",
            "\n\ndef f():\n    return os\n",
            b"import os\n\ndef f():\n    return os\n",
        ),
        (
            b"import json\ntimeout = 5\nend = 2\n",
            "timeout = 5\n",
            "timeout = 30\n",
            b"import json\nread_timeout = 30\nend = 2\n",
        ),
    ],
    ids=["a blank line before it went", "its line became a longer one"],
)
async def test_a_fix_whose_text_is_left_only_inside_other_lines_is_not_reverted_there(
    head: bytes, old: str, new: str, pushed: bytes
) -> None:
    world = MemoryWorld({"calc.py": b"pass\n"}, {"calc.py": head})
    fix = world.proposal(Edit(file="calc.py", old_string=old, new_string=new))
    world.will_heal(fix)
    await world.ci_fails()
    await world.accepts(fix)
    await world.pushed({"calc.py": pushed})
    assert "Nothing was changed" in await world.says(f"/heal rollback {fix.id}", comment_id=1)
    assert world.files["calc.py"] == pushed
