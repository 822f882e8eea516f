"""What is remembered of agents: of one repository alone, a few of each kind, and nothing from a fork's run."""

import pytest

from bot.store.database import Database
from bot.store.memory import FEW, forget_lessons
from bot.store.repo import RepoStore
from handlers.model import StoredProposal
from healing.model import Edit, Proposal
from healing.repair.agents.memory import Ended, FailedFix, Lesson, WorkedFix
from healing.repair.agents.routing import Record
from healing.repair.agents.trajectory import AgentStep, Trajectory
from tests.bot.conftest import Clock

EDIT = Edit(file="a.py", old_string="tota", new_string="total é")


def failed(cause: str = "c1", edit: str = "e1") -> FailedFix:
    return FailedFix(cause=cause, edit=edit, specialist="generalist", edits=(EDIT,), message="still red")


def worked(cause: str = "c1", proposal: str = "P1", shape: str = "undefined") -> WorkedFix:
    return WorkedFix(
        cause=cause, shape=shape, proposal=proposal, specialist="semantic", title="Name it right", edits=(EDIT,)
    )


def proposed(name: str) -> Proposal:
    return Proposal(
        id=name, source="agent:semantic", phase="fast", title="t", explanation="e", confidence=50, error_ids=("E1",),
        edits=(EDIT,), wide=(EDIT,), reverse=(EDIT,), evidence=(), base_tree="0" * 40,
    )  # fmt: skip


LESSON = Lesson(
    failed=(failed(),),
    worked=(worked(),),
    ended=(Ended(cause="c1", specialist="semantic", proposal="P1"), Ended(cause="c2", specialist="semantic")),
)


# AG-6
async def test_a_later_run_learns_what_failed_and_what_worked(store: RepoStore) -> None:
    await store.memory("run-1").learn(LESSON)
    later = store.memory("run-2")
    assert await later.failed(("c1", "c9")) == (failed(),)
    assert await later.worked(("undefined",)) == (worked(),)
    assert (await later.failed(("c9",)), await later.worked(("other",))) == ((), ())


# AG-6, OP-3
async def test_the_same_lesson_again_changes_nothing(store: RepoStore) -> None:
    for _ in range(3):
        await store.memory("run-1").learn(LESSON)
    assert await store.memory("run-2").failed(("c1",)) == (failed(),)
    assert await store.memory("run-2").records() == {"semantic": Record(good=1, bad=1)}


# AG-6, AF-4
async def test_memory_never_crosses_repositories(database: Database, store: RepoStore, clock: Clock) -> None:
    await store.memory("run-1").learn(LESSON)
    other = RepoStore(database, 8, "octo/other", clock).memory("run-1")
    assert (await other.failed(("c1",)), await other.worked(("undefined",)), await other.records()) == ((), (), {})
    await RepoStore(database, 8, "octo/other", clock).forget_repo()
    assert await store.memory("run-2").failed(("c1",))
    await store.forget_repo()
    assert not await store.memory("run-2").failed(("c1",))


# IN-7
async def test_a_fix_on_offer_serves_the_same_breakage_on_another_pull_request(
    store: RepoStore,
) -> None:
    await store.memory("run-1").learn(Lesson(worked=(worked(),)))
    offer = StoredProposal(proposal=proposed("P1"), run_id="run-1", attempt=1, number=3, status="offered")
    await store.save_proposals((offer,))
    later = store.memory("run-of-another-pull-request")
    assert await later.accepted(("c1",), ("undefined",)) == (worked(),)
    assert await later.accepted(("c2",), ("undefined",)) == ()


# AF-4
async def test_only_what_a_person_accepted_is_there_to_be_replayed(store: RepoStore) -> None:
    fixes = {status: worked(proposal=f"P-{status}") for status in ("pending", "applied", "rejected", "rolled-back")}
    await store.memory("run-1").learn(Lesson(worked=tuple(fixes.values())))
    kept = [
        StoredProposal(
            proposal=proposed(fix.proposal),
            run_id="run-1",
            attempt=1,
            number=3,
            status=status,  # type: ignore[arg-type]
        )
        for status, fix in fixes.items()
    ]
    await store.save_proposals(tuple(kept))
    later = store.memory("run-2")
    assert await later.accepted(("c1",), ()) == (fixes["applied"],)
    assert await later.accepted((), ("undefined",)) == (fixes["applied"],)
    assert await later.accepted(("c2",), ("other",)) == ()


# AG-6, AF-4
async def test_a_forks_run_teaches_nothing(store: RepoStore) -> None:
    await store.memory("run-1", learns=False).learn(LESSON)
    memory = store.memory("run-2")
    assert (await memory.failed(("c1",)), await memory.records()) == ((), {})


# AG-6
async def test_only_the_newest_few_are_reported(store: RepoStore, clock: Clock) -> None:
    for number in range(FEW + 3):
        clock.at += 1
        await store.memory("run-1").learn(Lesson(failed=(failed(edit=f"e{number}"),)))
    reported = await store.memory("run-2").failed(("c1",))
    assert [one.edit for one in reported] == [f"e{n}" for n in reversed(range(3, FEW + 3))]


# AG-6, AG-8
@pytest.mark.parametrize("status", ["rejected", "rolled-back"])
async def test_what_a_person_took_back_is_no_example_and_counts_against_its_maker(
    store: RepoStore, status: str
) -> None:
    await store.memory("run-1").learn(LESSON)
    stored = StoredProposal(proposal=proposed("P1"), run_id="run-1", attempt=1, number=3, status=status)  # type: ignore[arg-type]
    await store.save_proposals((stored,))
    memory = store.memory("run-2")
    assert await memory.worked(("undefined",)) == ()
    assert await memory.records() == {"semantic": Record(good=0, bad=2)}


# AG-6
async def test_a_trajectory_is_kept_once_and_read_back(store: RepoStore) -> None:
    step = AgentStep(error_id="E1", turn_id="msg_1", request_id="req_1", stop="tools", said="hm")
    half = Trajectory(cluster="C1", specialist="generalist", model="m", steps=(), ending="broken off")
    whole = half.model_copy(update={"steps": (step,), "ending": "whole"})
    memory = store.memory("run-1")
    other = half.model_copy(update={"errors": ("E9",)})  # the same agent on another part of the cluster
    await memory.save(half)
    await memory.save(whole)
    await memory.save(other)
    assert set(await memory.trajectories()) == {whole, other}
    assert await store.memory("run-2").trajectories() == ()


# AG-6, OP-9
async def test_old_lessons_are_forgotten(database: Database, store: RepoStore, clock: Clock) -> None:
    await store.memory("run-1").learn(LESSON)
    assert await forget_lessons(database, clock.at) == 0
    assert await forget_lessons(database, clock.at + 1) == 4
    assert await store.memory("run-2").failed(("c1",)) == ()
