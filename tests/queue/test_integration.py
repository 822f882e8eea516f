"""A run's own integration branch: the same queue, in memory, and after a kill the same commits again."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.git import Git
from healing.git.objects import Objects
from healing.model import Edit, Proposal
from healing.steps import MemorySteps
from healing.verify.queue.integration import Conflicting, Integration
from healing.verify.queue.refusal import QueueRefusal
from tests.git.oracle import git as run_git
from tests.git.oracle import word

FILES = {"a.txt": b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": b"b\n"}


@pytest.fixture
def git(tmp_path: Path) -> Iterator[Git]:
    with Git.open(tmp_path / "store.git") as store:
        yield store


@pytest.fixture
def head(git: Git) -> str:
    with Objects(git.path) as objects:
        empty = objects.add_tree({})
    return git.write_tree(empty, FILES)


def proposal(name: str, base: str, *edits: tuple[str, str, str], needs: tuple[str, ...] = ()) -> Proposal:
    made = tuple(Edit(file=file, old_string=old, new_string=new) for file, old, new in edits)
    return Proposal(
        id=name, source="agent:test", phase="slow", title=f"Repair {name}", explanation=f"Because of {name}.",
        confidence=50, error_ids=(name,), edits=made, wide=made, reverse=(), evidence=(), base_tree=base, needs=needs,
    )  # fmt: skip


def log(git: Git, branch: Integration) -> list[str]:
    """Subjects of the branch's merges, the oldest first, with how many parents each has."""
    tip = branch.queue.session_records.session(branch.session).tip
    output = word(git.path, "log", "--first-parent", "--reverse", "--format=%s|%P|%b", tip)
    lines = [line.split("|") for line in output.splitlines() if line]
    return [f"{subject} {len(parents.split())} {body}" for subject, parents, body in lines]


# MQ-1
async def test_each_fix_is_one_no_ff_merge_with_its_own_message_first_come_first_served(git: Git, head: str) -> None:
    branch = Integration(git, head, MemorySteps())
    fixes = [proposal(f"f{n}", head, ("a.txt", f"{n}\n", f"{n} x\n")) for n in (7, 1, 4)]
    for fix in fixes:
        await branch.merge(fix.id, fix)
    assert log(git, branch) == [
        "What was looked at 0 ",
        *(f"Repair {fix.id} 2 Because of {fix.id}." for fix in fixes),
    ]
    assert git.view(branch.tree).read("a.txt") == b"1 x\n2\n3\n4 x\n5\n6\n7 x\n8\n9\n"
    assert [fix.id for fix in branch.accepted] == ["f7", "f1", "f4"]
    run_git(git.path, "fsck", "--strict")
    assert not run_git(git.path, "for-each-ref"), "a run leaves no ref behind"


# MQ-2
async def test_a_conflict_is_told_with_base_and_both_sides_and_can_be_solved_on_what_is_there(
    git: Git, head: str
) -> None:
    branch = Integration(git, head, MemorySteps())
    await branch.merge("one", proposal("p1", head, ("a.txt", "5\n", "five\n")))
    async with branch.working("two"):
        with pytest.raises(Conflicting) as reported:
            await branch.merge("two", proposal("p2", head, ("a.txt", "5\n", "fünf\n")))
        assert not reported.value.over
        for part in ("in a.txt", "before both", "4\n5\n6", "accepted before", "4\nfive\n6", "yours", "4\nfünf\n6"):
            assert part in str(reported.value)
        agent = branch.queue.session_records.agent(branch.session, "two")
        assert (agent.state, agent.conflicts) == ("CONFLICT", 1)
        await branch.merge("two", proposal("p3", branch.tree, ("a.txt", "five\n", "five, fünf\n"), needs=("p1",)))
    assert b"\nfive, f\xc3\xbcnf\n" in (git.view(branch.tree).read("a.txt") or b"")
    assert branch.queue.session_records.agent(branch.session, "two").state == "MERGED"


# MQ-2
async def test_a_conflict_that_comes_back_too_often_is_over_and_blocks_nobody(git: Git, head: str) -> None:
    branch = Integration(git, head, MemorySteps())
    await branch.merge("one", proposal("p0", head, ("a.txt", "5\n", "five\n")))
    ends = []
    for number in range(1, 5):
        with pytest.raises(Conflicting) as reported:
            await branch.merge("two", proposal(f"p{number}", head, ("a.txt", "5\n", f"{number}!\n")))
        ends.append(reported.value.over)
    assert ends == [False, False, False, True]
    await branch.merge("three", proposal("p9", head, ("b.txt", "b\n", "c\n")))
    assert [fix.id for fix in branch.accepted] == ["p0", "p9"]


async def test_who_leaves_with_a_conflict_unsolved_is_no_longer_at_work(git: Git, head: str) -> None:
    branch = Integration(git, head, MemorySteps())
    await branch.merge("one", proposal("p1", head, ("a.txt", "5\n", "five\n")))
    async with branch.working("two"):
        with pytest.raises(Conflicting):
            await branch.merge("two", proposal("p2", head, ("a.txt", "5\n", "fünf\n")))
        with pytest.raises(QueueRefusal, match="still at"):
            await branch.merge("two", proposal("p2", head, ("a.txt", "5\n", "fünf\n")))
    assert branch.queue.session_records.at_work() == 0
    assert branch.queue.session_records.agent(branch.session, "two").ended == "withdrawn"


async def test_a_branch_made_again_leaves_out_what_needs_something_that_is_gone(git: Git, head: str) -> None:
    branch = Integration(git, head, MemorySteps())
    first = proposal("p1", head, ("a.txt", "5\n", "five\n"))
    await branch.merge("one", first)
    second = proposal("p2", branch.tree, ("a.txt", "five\n", "FIVE\n"), needs=("p1",))
    third = proposal("p3", branch.tree, ("b.txt", "b\n", "c\n"))
    await branch.merge("two", second)
    await branch.merge("three", third)
    left_out = await branch.again([second, third])
    assert [fix.id for fix in left_out] == ["p2"]
    assert git.view(branch.tree).read("a.txt") == FILES["a.txt"]
    assert git.view(branch.tree).read("b.txt") == b"c\n"
    await branch.merge("one", first)
    assert [fix.id for fix in branch.accepted] == ["p3", "p1"]


# MQ-4
async def test_a_run_that_was_killed_merges_in_the_order_of_before_into_the_same_commits(git: Git, head: str) -> None:
    steps = MemorySteps()
    fixes = [proposal(name, head, ("a.txt", "5\n", f"{name}\n")) for name in ("p1", "p2", "p3")]
    lives = []
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        branch = Integration(git, head, steps)

        async def one(number: int, order: tuple[int, ...] = order, branch: Integration = branch) -> str:
            async with branch.working(f"agent-{number}"):
                await asyncio.sleep(0.02 * order.index(number))
                try:
                    await branch.merge(f"agent-{number}", fixes[number])
                except Conflicting as conflict:
                    return str(conflict)
                return "merged"

        ends = await asyncio.gather(*(one(number) for number in range(3)))
        lives.append((ends, branch.queue.session_records.session(branch.session).tip))
    assert lives[0][0][0] == "merged"
    assert lives[0] == lives[1] == lives[2]


# MQ-2
async def test_nobody_waits_for_a_fix_that_this_time_does_not_come(git: Git, head: str) -> None:
    steps = MemorySteps()
    before = Integration(git, head, steps)
    for name in ("gone", "p1"):
        await before.merge(name, proposal(name, head, ("a.txt", "5\n" if name == "p1" else "1\n", f"{name}!\n")))
    branch = Integration(git, head, steps, longest_wait=0.1)
    async with branch.working("somebody who thinks for hours"):
        async with asyncio.timeout(10):
            await branch.merge("p1", proposal("p1", head, ("a.txt", "5\n", "p1!\n")))
            await branch.merge("p2", proposal("p2", head, ("b.txt", "b\n", "p2\n")))
    assert [fix.id for fix in branch.accepted] == ["p1", "p2"]
