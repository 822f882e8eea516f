"""What is forgotten when it is old or when Heal is taken off a repository, and what is not."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import func, select

from bot.durable.engine import DurableEngine
from bot.machine import open_machine
from bot.maintenance.retention import DAY, RUN_DAYS, Retention
from bot.runs.stores import Stores
from bot.settings import Settings
from bot.store.database import Database
from bot.store.memory import REMEMBERED
from bot.store.outcomes import test_outcomes
from bot.store.pauses import pauses
from bot.store.repo import OF_A_REPO, RepoStore
from bot.store.retention import forget_runs
from bot.store.switches import switches
from bot.store.tries import tries
from healing.git.objects import TREE
from tests.bot.conftest import Clock
from tests.bot.everything import SHA, keep_a_row_of_everything

SAID = {pauses, switches}  # by people, until they say otherwise
ELSEWHERE = {*REMEMBERED, test_outcomes, tries}  # have times of their own


@pytest.fixture
def data() -> Iterator[Path]:
    """A folder that the sandbox's user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="heal-retention-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


async def counts(database: Database) -> dict[str, int]:
    async with database.read() as connection:
        return {
            table.name: (await connection.execute(select(func.count()).select_from(table))).scalar_one()
            for table in OF_A_REPO
            if table not in SAID | ELSEWHERE
        }


async def end(store: RepoStore) -> None:
    run = await store.run(SHA, 1)
    assert run is not None
    await store.save_run(run.model_copy(update={"state": "done", "run_id": "r1"}))


# OP-9
async def test_a_run_that_was_over_for_long_is_forgotten_with_all_that_was_kept_about_it(
    database: Database, store: RepoStore, clock: Clock
) -> None:
    await keep_a_row_of_everything(database, store, clock)
    await end(store)
    before = await counts(database)
    assert 0 not in before.values()
    assert await forget_runs(database, clock()) == 0
    assert await counts(database) == before
    assert await forget_runs(database, clock() + 1) == 1
    assert set((await counts(database)).values()) == {0}


# OP-9
async def test_a_run_that_is_not_over_is_never_forgotten(database: Database, store: RepoStore, clock: Clock) -> None:
    await store.open_attempt("k", 5, SHA, {})
    assert await forget_runs(database, clock() + 1000 * DAY) == 0
    assert await store.run(SHA, 1) is not None


# OP-9
async def test_what_was_fetched_of_a_repository_goes_when_nothing_is_remembered_of_it_and_of_no_other(
    data: Path, pem: str, clock: Clock
) -> None:
    settings = Settings(data=data, app_id="1", private_key=SecretStr(pem), webhook_secret=SecretStr("s"))
    async with open_machine(settings, DurableEngine(stepped=True), None, clock) as machine:
        assert machine.healers is not None
        stores = machine.healers.stores
        for repo_id in (7, 8):
            with stores.in_use(repo_id):
                stores.open(repo_id)
            await machine.contexts.store(repo_id, "octo/demo").open_attempt("k", 5, SHA, {})
        await Retention(30).forget_folders(machine)
        assert stores.ids() == {7, 8}
        await machine.contexts.store(7).forget_repo()
        with stores.in_use(7):  # a run that has not noticed yet
            await Retention(30).forget_folders(machine)
            assert stores.ids() == {7, 8}
        await Retention(30).forget_folders(machine)
        assert stores.ids() == {8}
        assert [path.name for path in (data / "repos").iterdir()] == ["8.git"]


# OP-9
async def test_fetched_objects_are_fetched_again_after_their_days_and_a_checkout_nobody_used_goes(
    data: Path, pem: str, clock: Clock
) -> None:
    settings = Settings(data=data, app_id="1", private_key=SecretStr(pem), webhook_secret=SecretStr("s"))
    async with open_machine(settings, DurableEngine(stepped=True), None, clock) as machine:
        assert machine.healers is not None
        stores, worktrees = machine.healers.stores, machine.healers.engine().worktrees
        await machine.contexts.store(7, "octo/demo").open_attempt("k", 5, SHA, {})
        with stores.in_use(7):
            git = stores.open(7)
            commit = git.commit(
                git.write_tree(git.add_object(TREE, b""), {"a.txt": b"1\n"}), [], "m", "a <a@b>", datetime.now(UTC)
            )
            base = (await worktrees.base("r1", git, commit)).parent
        clock.at += 0.9 * DAY
        await Retention(30).forget_folders(machine)
        assert stores.ids() == {7}
        assert base.exists()
        clock.at += 0.2 * DAY
        await Retention(30).forget_folders(machine)
        assert stores.ids() == {7}
        assert not base.exists()
        clock.at += 30 * DAY
        await Retention(30).forget_folders(machine)
        assert stores.ids() == frozenset()
        assert RUN_DAYS > 30  # the repository itself is still known


def test_a_store_that_is_used_by_two_is_closed_by_the_second_and_nothing_else_is_touched(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    with stores.in_use(7), stores.in_use(7):
        git = stores.open(7)
        assert stores.open(7) is git
        assert stores.remove(frozenset({7})) == ()
    assert stores.remove(frozenset({7, 9})) == (7,)
    (tmp_path / "notes.txt").touch()
    (tmp_path / "other.git").mkdir()
    assert stores.ids() == frozenset()
    assert sorted(os.listdir(tmp_path)) == ["notes.txt", "other.git"]
