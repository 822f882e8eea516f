"""Entries become merges, in order, and conflicts come back with everything that is needed to solve them."""

import asyncio

import pytest

from healing.verify.queue.merging import conflicting_files
from healing.verify.queue.refusal import QueueRefusal
from healing.verify.queue.session import QueueLimits
from tests.git.oracle import git, word
from tests.queue.conftest import Desk


# MQ-1
async def test_entries_are_merged_first_come_first_served_with_their_own_messages(desk: Desk) -> None:
    for name in ("one", "two", "three"):
        await desk.proposes(name, {f"{name}.txt": name.encode()}, message=f"Do {name}\n\nbecause")
    for name in ("one", "two", "three"):
        assert (await desk.queue.wait("s", name)).state == "MERGED"
    assert desk.clone.log("heal/s") == ["Do one", "Do two", "Do three"]
    assert word(desk.clone.at, "log", "-1", "--format=%b", "heal/s") == "because"


# MQ-1
async def test_each_entry_is_one_no_ff_merge_that_names_its_author(desk: Desk) -> None:
    agent = await desk.proposes("one", {"new.txt": b"new\n"})
    merged = await desk.queue.wait("s", "one")
    assert merged.merged == word(desk.clone.at, "rev-parse", "heal/s")
    assert word(desk.clone.at, "show", "-s", "--format=%P", "heal/s").split() == [agent.base, agent.tip]
    assert word(desk.clone.at, "show", "-s", "--format=%an %cn", "heal/s") == "A Heal"
    assert git(desk.clone.at, "fsck", "--strict", "--no-dangling") == b""


# MQ-2
async def test_a_proposal_whose_base_has_moved_is_carried_over_to_the_new_one(desk: Desk) -> None:
    await desk.joins("late")
    await desk.proposes("early", {"a.txt": b"one\n2\n3\n4\n5\n6\n7\n8\n9\n"})
    await desk.queue.wait("s", "early")
    desk.clone.commit("agent/s/late", {"a.txt": b"1\n2\n3\n4\n5\n6\n7\n8\nnine\n"})
    await desk.queue.enqueue("s", "late")
    assert (await desk.queue.wait("s", "late")).state == "MERGED"
    assert desk.clone.show("heal/s", "a.txt") == b"one\n2\n3\n4\n5\n6\n7\n8\nnine\n"


# MQ-2
async def test_a_conflict_comes_back_with_files_base_and_both_sides_and_can_be_solved(desk: Desk) -> None:
    await desk.joins("two")
    await desk.proposes("one", {"b.txt": b"one\n"})
    desk.clone.commit("agent/s/two", {"b.txt": b"two\n", "own.txt": b"own\n"})
    await desk.queue.enqueue("s", "two")
    agent = await desk.queue.wait("s", "two")
    assert (agent.state, agent.ended) == ("CONFLICT", "")
    assert agent.handback is not None
    (file,) = conflicting_files(desk.branches, agent.handback)
    assert [file[side] for side in ("file", "base", "ours", "theirs")] == ["b.txt", "b\n", "one\n", "two\n"]
    git(desk.clone.at, "checkout", "-q", "agent/s/two")
    git(desk.clone.at, "merge", "-q", "-s", "ours", "-m", "Settle", "heal/s")
    git(desk.clone.at, "checkout", "-q", "main")
    await desk.queue.retry("s", "two")
    assert (await desk.queue.wait("s", "two")).state == "MERGED"
    assert desk.clone.show("heal/s", "b.txt") == b"two\n"


# MQ-2
async def test_an_entry_that_conflicts_too_often_ends_as_unfixable_and_holds_up_nobody(desk: Desk) -> None:
    await desk.restarts(QueueLimits(retries=1))
    for name in ("one", "two", "other"):
        await desk.joins(name)
    await desk.proposes("one", {"b.txt": b"one\n"})
    for attempt in (b"two\n", b"zwei\n"):
        desk.clone.commit("agent/s/two", {"b.txt": attempt})
        await desk.queue.enqueue("s", "two")
        agent = await desk.queue.wait("s", "two")
    assert (agent.state, agent.ended, agent.conflicts) == ("CONFLICT", "conflict", 2)
    await desk.proposes("other", {"other.txt": b"x"})
    assert (await desk.queue.wait("s", "other")).state == "MERGED"
    desk.clone.commit("agent/s/two", {"b.txt": b"one\n"})
    with pytest.raises(QueueRefusal, match="register again") as refused:
        await desk.queue.enqueue("s", "two")
    assert refused.value.code == "ENDED"


async def test_handing_in_the_conflicting_commit_again_is_refused_and_costs_no_try(desk: Desk) -> None:
    await desk.joins("two")
    await desk.proposes("one", {"b.txt": b"one\n"})
    desk.clone.commit("agent/s/two", {"b.txt": b"two\n"})
    await desk.queue.enqueue("s", "two")
    await desk.queue.wait("s", "two")
    with pytest.raises(QueueRefusal) as refused:
        await desk.queue.retry("s", "two")
    assert refused.value.code == "UNCHANGED"
    assert desk.queue.session_records.agent("s", "two").conflicts == 1


async def test_what_another_merge_brought_along_is_merged_without_a_merge_of_its_own(desk: Desk) -> None:
    one = await desk.joins("one")
    await desk.joins("two")
    tip = desk.clone.commit("agent/s/one", {"one.txt": b"1"})
    desk.clone.commit("agent/s/two", {"two.txt": b"2"}, start=tip)
    await desk.queue.enqueue("s", "two")
    merged = await desk.queue.wait("s", "two")
    await desk.queue.enqueue("s", "one")
    assert (await desk.queue.wait("s", "one")).merged == merged.merged
    assert desk.clone.log("heal/s") == ["work"]
    assert one.base == desk.clone.base


async def test_a_commit_of_a_foreign_history_ends_its_entry_and_nothing_else(desk: Desk) -> None:
    await desk.joins("odd")
    git(desk.clone.at, "checkout", "-q", "--orphan", "agent/s/odd")
    git(desk.clone.at, "commit", "-q", "-m", "from nowhere")
    git(desk.clone.at, "checkout", "-q", "main")
    await desk.queue.enqueue("s", "odd")
    agent = await desk.queue.wait("s", "odd")
    assert agent.ended == "broken"
    assert "no commit in common" in agent.why
    await desk.proposes("fine", {"fine.txt": b"x"})
    assert (await desk.queue.wait("s", "fine")).state == "MERGED"


# MQ-4
async def test_a_merge_that_hangs_ends_with_its_entry(desk: Desk) -> None:
    await desk.restarts(QueueLimits(merge_seconds=0))
    await desk.proposes("slow", {"x": b"x"})
    agent = await desk.queue.wait("s", "slow")
    assert agent.ended == "broken"
    assert "hung" in agent.why


async def test_a_branch_locked_by_another_git_is_waited_for(desk: Desk) -> None:
    await desk.joins("one")
    lock = desk.clone.at / ".git/refs/heads/heal/s.lock"
    lock.touch()
    await desk.proposes("one", {"x": b"x"})
    waiting = asyncio.create_task(desk.queue.wait("s", "one"))
    await asyncio.sleep(0.2)
    assert "locked" in desk.queue.merger.problems["s"]
    lock.unlink()
    assert (await waiting).state == "MERGED"
    assert desk.queue.merger.problems == {}


# MQ-4
async def test_a_corrupt_integration_branch_aborts_its_session_and_says_so(desk: Desk) -> None:
    await desk.joins("one")
    await desk.joins("two", "t")
    await desk.restarts()
    tip = word(desk.clone.at, "rev-parse", "heal/s")
    desk.clone.commit("agent/s/one", {"x": b"x"})
    moved = desk.clone.commit("rewritten", {"y": b"y"})
    git(
        desk.clone.at,
        "update-ref",
        "refs/heads/heal/s",
        word(desk.clone.at, "commit-tree", "-m", "x", f"{moved}^{{tree}}"),
    )
    await desk.queue.enqueue("s", "one")
    assert (await desk.queue.wait("s", "one")).ended == "broken"
    session = desk.queue.session_records.session("s")
    assert session.verdict == "aborted"
    assert tip[:12] in session.problem
    desk.clone.commit("agent/t/two", {"z": b"z"})
    await desk.queue.enqueue("t", "two")
    assert (await desk.queue.wait("t", "two")).state == "MERGED"


async def test_commits_that_a_person_puts_on_the_integration_branch_are_kept(desk: Desk) -> None:
    await desk.joins("one")
    git(desk.clone.at, "checkout", "-q", "heal/s")
    git(desk.clone.at, "commit", "-q", "--allow-empty", "-m", "By hand")
    git(desk.clone.at, "checkout", "-q", "main")
    await desk.proposes("one", {"x": b"x"}, message="One")
    assert (await desk.queue.wait("s", "one")).state == "MERGED"
    assert desk.clone.log("heal/s") == ["By hand", "One"]
