"""What the store promises about failures, attempts, runs, proposals and forgetting."""

import asyncio
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from sqlalchemy import func, select

import bot.store
from bot.store import database as database_module
from bot.store.database import Database, newest_version
from bot.store.outcomes import forget_test_outcomes
from bot.store.repo import OF_A_REPO, RepoStore, repos_of
from bot.store.tables import metadata
from handlers.model import EVERY
from healing.logs import flakes
from healing.model import Outcome, Unfixable
from tests.bot.conftest import Clock
from tests.bot.everything import keep_a_row_of_everything, proposal, stored

SHA = "a" * 40


async def test_the_migrations_make_exactly_the_tables_that_the_code_uses(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    for module in iter_modules(bot.store.__path__):  # each registers its tables
        import_module(f"bot.store.{module.name}")

    async with database.write() as connection:
        differences = await connection.run_sync(lambda c: compare_metadata(MigrationContext.configure(c), metadata))
    assert differences == []


async def test_opening_a_migrated_database_again_keeps_what_is_there(url: str, clock: Clock) -> None:
    for _ in range(2):
        opened = await Database.open(url)
        await RepoStore(opened, 7, "octo/demo", clock).open_attempt("k", 1, SHA, {})
        await opened.close()
    opened = await Database.open(url)
    assert len(await RepoStore(opened, 7, "octo/demo", clock).failures(SHA, 1)) == 1
    await opened.close()


# IN-3
async def test_failures_join_the_attempt_that_gathers_and_later_ones_open_the_next(store: RepoStore) -> None:
    first = await store.open_attempt("check_run:1", 1, SHA, {"name": "lint"})
    second = await store.open_attempt("check_run:2", 1, SHA, {"name": "types"})
    assert (first.attempt, second.attempt) == (1, 1)
    assert await store.end_debouncing(SHA, 1, quiet=0) == 0
    late = await store.open_attempt("check_run:3", 1, SHA, {"name": "tests"})
    assert (late.attempt, late.state) == (2, "gathering")
    assert [f["name"] for f in await store.failures(SHA, 1)] == ["lint", "types"]
    assert [f["name"] for f in await store.failures(SHA, 2)] == ["tests"]


# IN-3
async def test_the_same_event_again_changes_nothing_even_after_its_attempt_has_started(store: RepoStore) -> None:
    await store.open_attempt("check_run:1", 1, SHA, {"name": "lint"})
    await store.end_debouncing(SHA, 1, quiet=0)
    again = await store.open_attempt("check_run:1", 1, SHA, {"name": "lint"})
    assert (again.attempt, again.state) == (1, "running")
    assert await store.run(SHA, 2) is None


async def test_failures_that_come_at_the_same_time_end_in_one_attempt(store: RepoStore) -> None:
    opened = await asyncio.gather(*(store.open_attempt(f"check_run:{n}", 1, SHA, {"n": n}) for n in range(20)))
    assert {run.attempt for run in opened} == {1}
    assert len(await store.failures(SHA, 1)) == 20


# IN-3
async def test_gathering_ends_a_quiet_period_after_the_last_failure(store: RepoStore, clock: Clock) -> None:
    await store.open_attempt("check_run:1", 1, SHA, {})
    clock.at += 15
    await store.open_attempt("check_run:2", 1, SHA, {})
    clock.at += 12
    assert await store.end_debouncing(SHA, 1, quiet=20) == 8
    clock.at += 8
    assert await store.end_debouncing(SHA, 1, quiet=20) == 0
    run = await store.run(SHA, 1)
    assert run is not None
    assert run.state == "running"
    began = clock.at
    clock.at += 100  # a later life of the run: it still began when it began
    assert await store.end_debouncing(SHA, 1, quiet=20) == 0
    await store.save_run(run)
    later = await store.run(SHA, 1)
    assert later is not None
    assert (run.started_at, later.started_at) == (began, began)


# IN-3
async def test_gathering_ends_soon_after_the_suites_of_all_failures_have_settled(
    store: RepoStore, clock: Clock
) -> None:
    await store.open_attempt("check_run:1", 1, SHA, {"check_suite_id": 11})
    await store.open_attempt("check_run:2", 1, SHA, {"check_suite_id": 12})
    await store.settle(SHA, 11)
    clock.at += 10
    assert await store.end_debouncing(SHA, 1, quiet=20) == 10
    await store.settle(SHA, 12)
    assert await store.end_debouncing(SHA, 1, quiet=20) == 3
    clock.at += 3
    await store.settle(SHA, 12)
    assert await store.end_debouncing(SHA, 1, quiet=20) == 0


# IN-3
async def test_a_new_head_supersedes_the_unfinished_runs_of_the_old_one(store: RepoStore) -> None:
    for sha, state in (("a" * 40, "running"), ("b" * 40, "done"), ("c" * 40, "gathering")):
        run = await store.open_attempt(f"k{sha}", 1, sha, {})
        await store.save_run(run.model_copy(update={"number": 3, "state": state}))
    gone = await store.supersede(3, keep_sha="c" * 40)
    assert [(run.sha[0], run.state) for run in gone] == [("a", "superseded")]
    assert {run.sha[0]: run.state for run in await store.runs(3)} == {"a": "superseded", "b": "done", "c": "gathering"}
    assert await store.end_debouncing("a" * 40, 1, quiet=0) == 0
    kept = await store.run("a" * 40, 1)
    assert kept is not None
    assert kept.state == "superseded"


async def test_a_run_comes_back_with_its_outcome_and_the_newest_first(store: RepoStore, clock: Clock) -> None:
    outcome = Outcome(verdict="healed", run_id="r1", proposals=(proposal(),), seconds={"free": 1.5})
    for name in ("a", "b"):
        run = await store.open_attempt(name, 1, name * 40, {})
        clock.at += 1
        await store.save_run(run.model_copy(update={"number": 3, "state": "done", "outcome": outcome}))
    found = await store.runs(3)
    assert [run.sha[0] for run in found] == ["b", "a"]
    assert found[0].outcome == outcome


async def test_a_replayed_run_doesnt_reset_a_proposals_life(store: RepoStore) -> None:
    await store.save_proposals((stored("p1"), stored("p2")))
    assert await store.update_proposal(stored("p1"), {"status": "applied", "comment_id": 9}, only=("pending",))
    await store.save_proposals((stored("p1"), stored("p2")))
    assert [(p.proposal.id, p.status, p.comment_id) for p in await store.proposals(3)] == [
        ("p1", "applied", 9),
        ("p2", "pending", None),
    ]


async def test_another_run_renews_what_was_rolled_back_but_never_what_a_person_rejected(store: RepoStore) -> None:
    await store.save_proposals((stored("p1"), stored("p2")))
    await store.update_proposal(stored("p1"), {"status": "rolled-back"}, only=EVERY)
    await store.update_proposal(stored("p2"), {"status": "rejected"}, only=EVERY)
    await store.save_proposals((stored("p1", run_id="r2"), stored("p2", run_id="r2")))
    assert [(p.run_id, p.status) for p in await store.proposals(3)] == [("r2", "pending"), ("r1", "rejected")]


async def test_reports_of_what_cant_be_fixed_are_kept_once(store: RepoStore) -> None:
    report = Unfixable(id="u1", error_ids=("E1",), reason="no-key", tried="t", why="w", advice="a")
    for run_id in ("r1", "r1", "r2"):
        await store.save_unfixables(3, run_id, (report,))
    assert await store.unfixables(3) == (report,)
    assert await store.unfixables(4) == ()


# IN-6
async def test_a_test_has_one_red_and_one_green_outcome_a_commit_for_as_long_as_it_is_kept(
    database: Database, store: RepoStore, clock: Clock
) -> None:
    red, green = flakes.RecordedOutcome("t::a", SHA, passed=False), flakes.RecordedOutcome("t::a", SHA, passed=True)
    await store.save_test_outcomes((red, green))
    clock.at += 10
    await store.save_test_outcomes((red, green, flakes.RecordedOutcome("t::b", SHA, passed=False)))
    assert set(await store.test_outcomes(("t::a", "t::c"))) == {red, green}
    assert len(await store.test_outcomes(("t::a", "t::b"))) == 3
    assert await RepoStore(database, 8, "octo/other", clock).test_outcomes(("t::a",)) == ()
    assert await forget_test_outcomes(database, before=clock.at) == 2
    assert await store.test_outcomes(("t::a", "t::b")) == (flakes.RecordedOutcome("t::b", SHA, passed=False),)


# OP-9
async def test_forgetting_a_repository_leaves_no_row_of_it_and_touches_no_other(
    database: Database, store: RepoStore, clock: Clock
) -> None:
    other = RepoStore(database, 8, "octo/other", clock)
    for one in (store, other):
        await keep_a_row_of_everything(database, one, clock)
    assert await repos_of(database, 5) == (7, 8)
    await store.forget_repo()
    async with database.read() as connection:
        for table in OF_A_REPO:
            rows = select(table.c.repo_id, func.count()).group_by(table.c.repo_id)
            assert (await connection.execute(rows)).all() == [(8, 1)], table.name


async def test_the_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)  # as Heal's data folder is: others go through it to the worktrees
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path}/heal.db")
    async with database.write():
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    await database.close()
    assert modes.pop("heal.db") == 0o600
    assert set(modes.values()) <= {0o600}


def test_the_newest_migration_is_known_by_its_name() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(database_module.__file__).parent / "migrations"))
    assert newest_version() == ScriptDirectory.from_config(config).get_current_head()


# GH-3 GH-7
async def test_a_pull_request_is_found_by_its_newest_head_alone(database: Database, store: RepoStore) -> None:
    other = RepoStore(database, 8, "octo/other", lambda: 0.0)
    for one, number, sha in ((store, 3, SHA), (store, 4, SHA), (store, 3, "b" * 40), (other, 5, SHA)):
        await one.note_head(number, sha)
    assert (await store.pulls_at(SHA), await store.pulls_at("b" * 40)) == ((4,), (3,))
    assert await store.pulls_at("c" * 40) == ()
