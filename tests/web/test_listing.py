"""Lists of runs are whole, in order and paged, on SQLite and PostgreSQL (OP-4)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.backlog import backlog
from bot.store.changes import list_version, run_version
from bot.store.database import Database
from bot.store.insights import repo_activity, weeks
from bot.store.overview import RunFilter, list_runs, totals
from bot.store.repo import RepoStore
from bot.store.run_story import run_story
from tests.bot.conftest import Clock
from tests.bot.postgres import postgres
from tests.web.rows import RUN_ID, reported_run

REPOS = (7, 8)


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    if request.param == "sqlite":
        opened = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'heal.db'}")
        yield opened
        await opened.close()
        return
    with postgres() as url:
        opened = await Database.open(url.replace("postgresql://", "postgresql+psycopg://"))
        yield opened
        await opened.close()


# OP-4
async def test_pages_together_hold_every_run_once_newest_first(database: Database, clock: Clock) -> None:
    made = []
    for number in range(23):
        clock.at += number % 3  # several in the same moment
        store = RepoStore(database, REPOS[number % 2], "octo/demo", clock)
        run = await store.open_attempt(f"k{number}", 1, f"{number:02x}" * 20, {})
        made.append((clock.at, run.repo_id, run.sha, 1))
    seen, before = [], None
    while True:
        page = await list_runs(database, RunFilter(repos=REPOS, before=before), 5)
        seen += [line.key for line in page[:5]]
        if len(page) <= 5:
            break
        before = page[4].key
    assert seen == sorted(made, reverse=True)
    assert [line.repo_id for line in await list_runs(database, RunFilter(repos=(8,)))] == [8] * 11
    assert len((await backlog(database, REPOS)).runs) == 23
    assert (await backlog(database, (8,))).elsewhere == 12


# OP-4
async def test_a_run_is_told_searched_and_counted(database: Database, clock: Clock) -> None:
    store, sha = RepoStore(database, 7, "octo/demo", clock), "ab" * 20
    empty = await list_version(database, REPOS)
    await reported_run(store, sha, 3, took=60.0)
    assert await list_version(database, REPOS) != empty
    assert await run_version(database, 7, sha, 1)
    assert await run_version(database, 8, sha, 1) == ""
    story = await run_story(database, 7, sha, 1)
    assert story is not None
    assert (story.line.run_id, len(story.offers), len(story.calls), len(story.agents)) == (RUN_ID, 2, 2, 1)
    for wanted in (
        RunFilter(repos=REPOS, sha="abab"), RunFilter(repos=REPOS, number=3), RunFilter(repos=REPOS, proposal="0a1b"),
        RunFilter(repos=REPOS, shown="partly"),
    ):  # fmt: skip
        [line] = await list_runs(database, wanted)
        assert (line.sha, round(line.dollars, 4), line.errors, line.proposals) == (sha, 0.0421, 4, 2)
        assert await list_runs(database, wanted.model_copy(update={"repos": (8,)})) == ()
    figures = await totals(database, REPOS, clock.at - 3600)
    assert (figures.runs, figures.healed, figures.at_work, figures.prevented) == (1, 0, 0, 1)
    week = (await weeks(database, 7, clock.at + 1))[-1]
    assert (week.verdicts, week.prevented, week.first_seconds) == ({"partly": 1}, 1, 60.0)
    assert set(await repo_activity(database, REPOS)) == {7}
