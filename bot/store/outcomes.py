"""Test outcomes by commit, so that flaky tests can be distinguished from broken ones."""

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import BigInteger, Boolean, Column, Float, String, Table, delete, exists, select

from bot.store.database import Database, insert_new
from bot.store.runs import runs
from bot.store.tables import metadata
from healing.logs.flakes import FlakyTest, RecordedOutcome, flaky_tests

test_outcomes = Table(
    "test_outcomes",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("test", String(500), primary_key=True),
    Column("sha", String(64), primary_key=True),
    Column("passed", Boolean, primary_key=True),
    Column("seen_at", Float, nullable=False),
)


class OutcomeRows:
    """Test outcomes of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def save_test_outcomes(self, outcomes: tuple[RecordedOutcome, ...]) -> None:
        """Saves outcomes; at most one failure and one pass are kept per test and commit."""
        seen_at = self._now()
        async with self._db.write() as connection:
            for outcome in outcomes:
                row = {"repo_id": self._repo_id, **outcome._asdict(), "seen_at": seen_at}
                await connection.execute(insert_new(connection, test_outcomes, row))

    async def test_outcomes(self, tests: tuple[str, ...]) -> tuple[RecordedOutcome, ...]:
        """Returns the recorded outcomes of these tests."""
        mine = (test_outcomes.c.repo_id == self._repo_id) & test_outcomes.c.test.in_(tests)
        query = select(test_outcomes.c.test, test_outcomes.c.sha, test_outcomes.c.passed).where(mine)
        async with self._db.read() as connection:
            return tuple(RecordedOutcome(*row) for row in await connection.execute(query))


async def every_flaky_test(database: Database, full_name: str = "") -> tuple[tuple[str, FlakyTest], ...]:
    """Returns (repository, test) for each flaky test, ordered by repository; of one repository, or of all that have
    runs."""
    named = select(runs.c.repo_id, runs.c.full_name).distinct()
    if full_name:
        named = named.where(runs.c.full_name == full_name)
    columns = (test_outcomes.c.repo_id, test_outcomes.c.test, test_outcomes.c.sha, test_outcomes.c.passed)
    async with database.read() as connection:
        names = {row.repo_id: row.full_name for row in await connection.execute(named)}
        history: dict[int, list[RecordedOutcome]] = {}
        for repo_id, *outcome in await connection.execute(select(*columns)):
            if repo_id in names:
                history.setdefault(repo_id, []).append(RecordedOutcome(*outcome))
    ordered = sorted(history, key=lambda repo_id: str(names[repo_id]))
    return tuple((names[repo_id], test) for repo_id in ordered for test in flaky_tests(history[repo_id]))


class RepoFlakyTest(NamedTuple):
    """A flaky test of one repository, and when it was last seen (Unix, seconds)."""

    repo_id: int
    flaky: FlakyTest
    seen_at: float


async def flaky_tests_of(database: Database, repos: tuple[int, ...]) -> tuple[RepoFlakyTest, ...]:
    """Returns the flaky tests of these repositories, most often flaky first."""
    green = test_outcomes.alias()
    passed = exists().where(
        green.c.repo_id == test_outcomes.c.repo_id, green.c.test == test_outcomes.c.test, green.c.passed
    )
    query = select(test_outcomes).where(test_outcomes.c.repo_id.in_(repos), passed)
    history: dict[int, list[RecordedOutcome]] = {}
    seen: dict[tuple[int, str], float] = {}
    async with database.read() as connection:
        for row in await connection.execute(query):
            history.setdefault(row.repo_id, []).append(RecordedOutcome(row.test, row.sha, row.passed))
            seen[row.repo_id, row.test] = max(row.seen_at, seen.get((row.repo_id, row.test), 0.0))
    tests = [
        RepoFlakyTest(repo, flaky, seen[repo, flaky.test])
        for repo, rows in history.items()
        for flaky in flaky_tests(rows)
    ]
    return tuple(sorted(tests, key=lambda one: (-one.flaky.lucky, -one.seen_at, one.flaky.test)))


async def forget_test_outcomes(database: Database, before: float) -> int:
    """Deletes outcomes seen before that time (Unix, seconds), in all repositories. Returns how many."""
    async with database.write() as connection:
        old = test_outcomes.c.seen_at < before
        return int((await connection.execute(delete(test_outcomes).where(old))).rowcount)
