"""Two installations on one Heal: nothing of one is seen or changed through the other's doors (OP-9)."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bot.store import attention, changes, insights, overview, run_story
from bot.store.backlog import backlog
from bot.store.chat_messages import StoredChat
from bot.store.commit_now import commit_now
from bot.store.database import Database
from bot.store.kinds import tallies_of
from bot.store.outcomes import every_flaky_test, flaky_tests_of
from bot.store.overview import RunFilter
from bot.store.pull_now import pull_now
from bot.store.repo import OF_A_REPO, RepoStore, repos_of
from bot.store.repo_settings import settings_of
from bot.store.spending import Caps
from bot.store.steps import StoredSteps
from bot.store.tries import Tries
from handlers.model import ChatMessage, CIWait, Fixup, Settings
from healing.llm.protocol import Usage
from healing.llm.usage_records import Booking
from healing.logs import flakes
from healing.repair.agents.memory import Lesson
from tests.bot.conftest import Clock
from tests.security.queries import called, queries, with_helpers
from tests.security.rows import RUN_ID, SHA, check_of, fill, offered, store_of
from tests.web.rows import pull

MINE, THEIRS = 7, 8
WORD = "canary4others"
NEWS = ChatMessage(sha=SHA, outcome="needs-you", text="t")
Verifier = Callable[[RepoStore], Awaitable[object]]


async def _again() -> str:
    return "asked again"


def _steps(store: RepoStore) -> StoredSteps:
    return StoredSteps(store._db, store.repo_id, RUN_ID, store._now)


# Every public method of a repository's store, and every function that is told which repositories: a name is a method's.
DOORS: dict[str, Verifier] = {
    "failures": lambda s: s.failures(SHA, 1),
    "run": lambda s: s.run(SHA, 1),
    "runs": lambda s: s.runs(3),
    "proposals": lambda s: s.proposals(3),
    "unfixables": lambda s: s.unfixables(3),
    "tallies": lambda s: s.tallies(("mine", WORD)),
    "fixups": lambda s: s.fixups(),
    "test_outcomes": lambda s: s.test_outcomes(("t",)),
    "paused_by": lambda s: s.paused_by(4),
    "observing": lambda s: s.observing(),
    "stopped": lambda s: s.stopped(),
    "limits": lambda s: s.limits(RUN_ID, 3, Caps()),
    "spent": lambda s: s.spent(),
    "cancelled": lambda s: s.cancelled(SHA, 1),
    "commit_now": lambda s: commit_now(s._db, s.repo_id, SHA),
    "pull_now": lambda s: pull_now(s._db, s.repo_id, 3),
    "why_still": lambda s: s.why_still(SHA, 1),
    "memory.failed": lambda s: s.memory("").failed(("c1",)),
    "memory.worked": lambda s: s.memory("").worked(("x",)),
    "memory.accepted": lambda s: s.memory("").accepted(("c1",), ("x",)),
    "memory.records": lambda s: s.memory("").records(),
    "memory.trajectories": lambda s: s.memory(RUN_ID).trajectories(),
    "claims": lambda s: s.claims(SHA, 2).claim((WORD,)),
    "claims.pause": lambda s: s.claims(SHA, 2).pause(),
    "steps.run": lambda s: _steps(s).run("model", 1, _again),
    "month_began": lambda s: _plain(s.month_began()),
    "day_began": lambda s: _plain(s.day_began()),
    "list_runs": lambda s: overview.list_runs(s._db, RunFilter(repos=(s.repo_id,))),
    "list_runs by sha": lambda s: overview.list_runs(s._db, RunFilter(repos=(s.repo_id,), sha="aa")),
    "list_runs by number": lambda s: overview.list_runs(s._db, RunFilter(repos=(s.repo_id,), number=3)),
    "list_runs by fix": lambda s: overview.list_runs(s._db, RunFilter(repos=(s.repo_id,), proposal="0a1b")),
    "list_runs by words": lambda s: overview.list_runs(s._db, RunFilter(repos=(s.repo_id,), words=WORD)),
    "list_runs by other words": lambda s: overview.list_runs(s._db, RunFilter(repos=(s.repo_id,), words="mine")),
    "open_fixes": lambda s: attention.open_fixes(s._db, (s.repo_id,)),
    "applied_fixes": lambda s: attention.applied_fixes(s._db, (s.repo_id,), 0.0),
    "runs_with_errors_left": lambda s: attention.runs_with_errors_left(s._db, (s.repo_id,), 0.0),
    "spent_since": lambda s: attention.spent_since(s._db, (s.repo_id,), 0.0),
    "flaky_tests_of": lambda s: flaky_tests_of(s._db, (s.repo_id,)),
    "totals": lambda s: overview.totals(s._db, (s.repo_id,), 0.0),
    "run_story": lambda s: run_story.run_story(s._db, s.repo_id, SHA, 1),
    "weeks": lambda s: insights.weeks(s._db, s.repo_id, s._now()),
    "repo_activity": lambda s: insights.repo_activity(s._db, (s.repo_id,)),
    "tallies_of": lambda s: tallies_of(s._db, s._now(), s.repo_id),
    "list_version": lambda s: changes.list_version(s._db, (s.repo_id,)),
    "run_version": lambda s: changes.run_version(s._db, s.repo_id, SHA, 1),
    "backlog": lambda s: backlog(s._db, (s.repo_id,)),
    "repos_of": lambda s: repos_of(s._db, s.repo_id),
    "every_flaky_test": lambda s: every_flaky_test(s._db, s.full_name),
    "tries.since": lambda s: Tries(s._db, s._now).since(s.repo_id, "heal/try/r1/1"),
    "tries.end": lambda s: Tries(s._db, s._now).end(s.repo_id, "heal/try/r1/1"),
    "open_attempt": lambda s: s.open_attempt("k2", 7, SHA, {"name": "more"}),
    "name_run": lambda s: s.name_run(SHA, 1, "r2"),
    "save_run": lambda s: _resaved(s),  # noqa: PLW0108 -- it is defined below
    "settle": lambda s: s.settle(SHA, 2),
    "end_debouncing": lambda s: s.end_debouncing(SHA, 2, quiet=0),
    "save_proposals": lambda s: s.save_proposals((offered("again"),)),
    "update_proposal": lambda s: s.update_proposal(offered("x"), {"status": "rejected"}, only=("pending",)),
    "save_unfixables": lambda s: s.save_unfixables(3, "r3", ()),
    "save_kinds": lambda s: s.save_kinds(3, {"0a1b2c3d4e5f6071": ("other",)}),
    "pulls_at": lambda s: s.pulls_at(SHA),
    "note_head": lambda s: s.note_head(4, SHA),
    "note_pull": lambda s: s.note_pull(pull(3, title="again", state="closed")),
    "check_noted": lambda s: s.check_noted(SHA, 1),
    "note_check": lambda s: s.note_check(check_of(SHA, "again"), 1),
    "put_off_check": lambda s: s.put_off_check(SHA, 1, 2),
    "forget_check": lambda s: s.forget_check(SHA, 1),
    "save_fixup": lambda s: s.save_fixup(Fixup(number=9, target=3, branch="b", head_sha="b" * 40)),
    "forget_fixup": lambda s: s.forget_fixup(9),
    "chat.post": lambda s: StoredChat(s._db, s.repo_id, s._now).post(NEWS),
    "await_ci": lambda s: s.await_ci(CIWait(number=3, sha="b" * 40)),
    "forget_ci_wait": lambda s: s.forget_ci_wait(CIWait(number=3, sha=SHA)),
    "allow": lambda s: s.allow(1, "q2", 10, 3600),
    "save_test_outcomes": lambda s: s.save_test_outcomes((flakes.RecordedOutcome("t", "b" * 40, passed=False),)),
    "pause": lambda s: s.pause(4, "else"),
    "resume": lambda s: s.resume(4),
    "switch": lambda s: s.switch(False, "else"),
    "save_settings": lambda s: s.save_settings(Settings(settings=()), "else", SHA),
    "settings_of": lambda s: settings_of(s._db, s.repo_id),
    "hold_room": lambda s: s.hold_room("r2", 3, Caps()),
    "release_room": lambda s: s.release_room(RUN_ID),
    "usage_records": lambda s: s.usage_records(RUN_ID, 3).book(
        Booking(key="k2", model="m", usage=Usage(), dollars=2.0)
    ),
    "booked": lambda s: s.usage_records(RUN_ID, 3).booked(),
    "learn": lambda s: s.learn(()),
    "memory": lambda s: s.memory("r9").learn(Lesson()),
    "steps.forget": lambda s: _steps(s).forget("model"),
    "cancel": lambda s: s.cancel(SHA, 2, "again"),
    "supersede": lambda s: s.supersede(3, keep_sha="c" * 40),
    "forget_repo": lambda s: s.forget_repo(),
}


# What has to look at rows of all repositories, and why nobody is told of another's by it.
ACROSS = {
    "check_runs.open_checks": "a sweep ends what may stand open on GitHub, each in its own world",
    "chat_messages.due_messages": "the operator's own chat is told of all repositories, each in a message of its own",
    "chat_messages.claim": "a message that is named by its repository, commit and outcome",
    "chat_messages.settle": "likewise",
    "chat_messages._same": "of the two above",
    "ci_waits.due_ci_waits": "a sweep looks whether CI started on commits with fixes; each is judged in its own world",
    "fixups.untested_fixups": "a sweep looks after pull requests of Heal's own, each in its own world",
    "outcomes.forget_test_outcomes": "what is too old goes, whoever's it is",
    "retention.forget_runs": "what is too old goes, whoever's it is",
    "runs.place_of": "of the two sweeps: in which installation a repository is",
    "retention.known_of": "a sweep asks by numbers whose fetched objects nobody needs any more",
    "tries.Tries.all": "a sweep removes branches that a dead process left, each with its installation's own token",
    "cluster_tasks.ClusterTaskRows.take": "the oldest of all of them; only numbers and times are looked at",
    "cluster_tasks.ClusterTaskRows.give_back": "what a dead worker had in hand is free again, whoever's it is",
    "cluster_tasks.ClusterTaskRows.ask": "a task that is named by its repository, commit, number and cluster",
    "cluster_tasks.ClusterTaskRows.body": "likewise",
    "cluster_tasks.ClusterTaskRows.over": "likewise",
    "cluster_tasks.ClusterTaskRows.end": "likewise",
    "cluster_tasks._is": "of the ones above",
    "run_queue.RunQueue.any": "whether there is anything to do at all",
    "run_queue.RunQueue.gathered": "which runs may begin; each is then worked on in its own world",
    "run_queue.RunQueue.missing": "which runs are not in the order; each is then worked on in its own world",
    "run_queue._refs": "of the two above",
    "run_queue._unfinished": "a run that is named by its repository, commit and number",
}


async def _plain(value: object) -> object:
    return value


async def _resaved(store: RepoStore) -> None:
    run = await store.run(SHA, 1)
    assert run is not None
    await store.save_run(run.model_copy(update={"number": 4}))


async def _rows(database: Database, repo_id: int) -> dict[str, list[Any]]:
    async with database.read() as connection:
        return {
            table.name: sorted(
                map(repr, (await connection.execute(select(table).where(table.c.repo_id == repo_id))).all())
            )
            for table in OF_A_REPO
        }


@pytest.fixture
async def shared(tmp_path: Path, clock: Clock) -> AsyncIterator[Database]:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'shared' / 'heal.db'}")
    await fill(store_of(database, THEIRS, clock), WORD, clock)
    yield database
    await database.close()


def test_every_door_of_the_store_is_tried() -> None:
    public = {name for name in dir(RepoStore) if not name.startswith("_") and callable(getattr(RepoStore, name))}
    assert public - set(DOORS) == set()


async def test_each_tenant_has_a_row_in_every_table(shared: Database) -> None:
    assert [name for name, rows in (await _rows(shared, THEIRS)).items() if not rows] == []


# OP-9
async def test_no_function_of_the_store_reads_or_changes_rows_of_another_repository(
    shared: Database, tmp_path: Path, clock: Clock
) -> None:
    """Whatever is asked or done, the answer is that of a database in which nobody else is; and every query of a
    repository's rows is tried here, or has its reason to look across: a new one that nobody binds is found."""
    alone = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'alone' / 'heal.db'}")
    pair = store_of(shared, MINE, clock), store_of(alone, MINE, clock)
    with called() as tried:
        for store in pair:
            await fill(store, "mine", clock)
        before = await _rows(shared, THEIRS)
        for name, verifier in DOORS.items():
            reported, expected = [await verifier(store) for store in pair]
            assert WORD not in repr(reported), name
            assert repr(reported) == repr(expected), name
            assert await _rows(shared, THEIRS) == before, name
    await alone.close()
    assert len(queries()) > 80
    assert queries() - with_helpers(tried) <= set(ACROSS)


# OP-9
async def test_who_sees_no_repository_is_told_of_none(shared: Database) -> None:
    assert await overview.list_runs(shared, RunFilter(repos=())) == ()
    assert (await overview.totals(shared, (), 0.0)).model_dump_json() == (
        await overview.totals(shared, (12345,), 0.0)
    ).model_dump_json()
    assert await insights.repo_activity(shared, ()) == {}
    assert WORD not in repr(await backlog(shared, ()))
