"""Failures and runs: what failed on a commit, and the attempts to fix it."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    func,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.counters import add
from bot.store.counting import of_outcome
from bot.store.database import Database, insert_new
from bot.store.tables import metadata
from bot.store.words import run_words, stored, words_of
from handlers.model import UNFINISHED, Run

ROW_ID = BigInteger().with_variant(Integer, "sqlite")  # SQLite only counts up on INTEGER

failures = Table(
    "failures",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("sha", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("event_key", String(300), nullable=False),
    Column("body", Text, nullable=False),
    Column("received_at", Float, nullable=False),
    UniqueConstraint("repo_id", "sha", "event_key", name="failures_once"),
)

runs = Table(
    "runs",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sha", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("full_name", String(300), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("number", Integer),
    Column("state", String(12), nullable=False),
    Column("run_id", String(100)),
    Column("outcome", Text),
    Column("opened_at", Float, nullable=False),
    Column("started_at", Float),
    Column("verdict", String(16)),
    Column("errors", Integer),
    Column("proposals", Integer),
    Column("prevented", Integer),
    Column("ended_at", Float),
    Column("branch", String(300)),
    Column("reason", Text),
    Column("cancelled", String(300)),
    Index("runs_of_pull", "repo_id", "number"),
    # Covering indexes for lists and plots, so that the large `outcome` column needn't be read.
    Index("runs_by_time", "opened_at", "repo_id", "sha", "attempt", "state", "verdict", "number"),
    Index("runs_of_repo", "repo_id", "opened_at", "state", "verdict", "prevented", "run_id", "started_at", "ended_at"),
    Index("runs_by_sha", "sha"),
    Index("runs_by_run_id", "run_id"),
    Index("runs_by_state", "state"),
)

settled_suites = Table(
    "settled_suites",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sha", String(64), primary_key=True),
    Column("suite_id", BigInteger, primary_key=True, autoincrement=False),
    Column("settled_at", Float, nullable=False),
)

_GRACE = (
    3.0  # seconds after a suite has settled: GitHub sends the workflow run's own event at the same time, in any order
)


Then = Callable[[AsyncConnection], Awaitable[None]]


class RunRows:
    """Runs of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, full_name: str, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now
        self.repo_id = repo_id
        self.full_name = full_name

    async def open_attempt(self, event_key: str, installation_id: int, sha: str, failure: dict[str, object]) -> Run:
        """See `handlers.model.Store`: returns the attempt that this failure belongs to."""

        def open_it(connection: Connection) -> Run:
            attempt = self._attempt_of(connection, sha, event_key)
            if attempt is None:
                attempt = self._gathering(connection, sha, installation_id)
                body = json.dumps(failure, sort_keys=True)
                row = {"repo_id": self.repo_id, "sha": sha, "attempt": attempt, "event_key": event_key}
                row |= {"body": body, "received_at": self._now()}
                connection.execute(insert_new(connection, failures, row))
            stored_run = connection.execute(select(runs).where(self._is(sha, attempt))).mappings().one()
            return _run(stored_run)

        return await self._db.run_transaction(open_it)

    def _attempt_of(self, connection: Connection, sha: str, event_key: str) -> int | None:
        mine = (failures.c.repo_id == self.repo_id) & (failures.c.sha == sha) & (failures.c.event_key == event_key)
        attempt: int | None = connection.execute(select(failures.c.attempt).where(mine)).scalar()
        return attempt

    def _gathering(self, connection: Connection, sha: str, installation_id: int) -> int:
        mine = (runs.c.repo_id == self.repo_id) & (runs.c.sha == sha)
        newest = select(runs.c.attempt, runs.c.state, runs.c.number).where(mine).order_by(runs.c.attempt.desc())
        last = connection.execute(newest.limit(1)).first()
        if last is not None and last.state == "gathering":
            return int(last.attempt)
        attempt = 1 if last is None else last.attempt + 1
        run = Run(
            repo_id=self.repo_id,
            full_name=self.full_name,
            installation_id=installation_id,
            sha=sha,
            attempt=attempt,
            number=None if last is None else last.number,
            state="gathering",
        )
        connection.execute(insert_new(connection, runs, {**_row(run), "opened_at": self._now()}))
        return attempt

    async def failures(self, sha: str, attempt: int) -> tuple[dict[str, object], ...]:
        mine = (failures.c.repo_id == self.repo_id) & (failures.c.sha == sha) & (failures.c.attempt == attempt)
        query = select(failures.c.body).where(mine).order_by(failures.c.id)
        bodies = await self._db.look(lambda connection: connection.execute(query).scalars().all())
        return tuple(json.loads(body) for body in bodies)

    async def save_run(self, run: Run) -> None:
        """Inserts or replaces the run's row."""
        async with self._db.write() as connection:
            values = _row(run)
            if run.state not in UNFINISHED:
                values["ended_at"] = func.coalesce(runs.c.ended_at, self._now())
            if run.outcome is not None and not await self._has_outcome(connection, run):
                await add(connection, of_outcome(run.outcome))
            changed = await connection.execute(update(runs).where(self._is(run.sha, run.attempt)).values(**values))
            if changed.rowcount == 0:
                ended = {} if run.state in UNFINISHED else {"ended_at": self._now()}
                await connection.execute(insert_new(connection, runs, {**values, "opened_at": self._now(), **ended}))
            await self._save_words(connection, run)

    async def _save_words(self, connection: AsyncConnection, run: Run) -> None:
        """Saves the words by which searches find the run."""
        key = {"repo_id": self.repo_id, "sha": run.sha, "attempt": run.attempt}
        fresh = {"words": words_of(run), "noted_at": self._now()}
        if not fresh["words"]:
            return
        if (await connection.execute(insert_new(connection, run_words, {**key, **fresh}))).rowcount == 0:
            same = and_(*(run_words.c[name] == value for name, value in key.items()))
            await connection.execute(update(run_words).where(same).values(**fresh))

    async def _has_outcome(self, connection: AsyncConnection, run: Run) -> bool:
        same = self._is(run.sha, run.attempt) & (runs.c.run_id == run.run_id) & runs.c.outcome.is_not(None)
        return (await connection.execute(select(runs.c.sha).where(same))).first() is not None

    async def name_run(self, sha: str, attempt: int, run_id: str) -> None:
        """Saves the run's id as soon as it is known, so that pages can show its model calls and agents."""
        async with self._db.write() as connection:
            await connection.execute(update(runs).where(self._is(sha, attempt)).values(run_id=run_id))

    async def run(self, sha: str, attempt: int) -> Run | None:
        query = select(runs).where(self._is(sha, attempt))
        row = await self._db.look(lambda connection: connection.execute(query).mappings().first())
        return None if row is None else _run(row)

    async def runs(self, number: int) -> tuple[Run, ...]:
        """Returns the runs of one pull request, newest first."""
        mine = (runs.c.repo_id == self.repo_id) & (runs.c.number == number)
        query = select(runs).where(mine).order_by(runs.c.opened_at.desc(), runs.c.attempt.desc())
        async with self._db.read() as connection:
            return tuple(_run(row) for row in (await connection.execute(query)).mappings())

    async def supersede(self, number: int, keep_sha: str) -> tuple[Run, ...]:
        """Marks the unfinished runs of this pull request's other heads as superseded, and returns them; finished runs
        stay unchanged."""
        mine = (runs.c.repo_id == self.repo_id) & (runs.c.number == number)
        old = mine & (runs.c.sha != keep_sha) & runs.c.state.in_(UNFINISHED)
        async with self._db.write() as connection:
            rows = (await connection.execute(select(runs).where(old))).mappings().all()
            ended = {"state": "superseded", "ended_at": self._now()}
            await connection.execute(update(runs).where(old).values(**ended))
        return tuple(_run(row).model_copy(update={"state": "superseded"}) for row in rows)

    async def cancel(self, sha: str, attempt: int, why: str) -> bool:
        """See `handlers.model.Store`."""
        mine = self._is(sha, attempt) & runs.c.state.in_(UNFINISHED)
        # A run gets its id when work on it begins. If that happens meanwhile, it stops at its next step.
        waiting = mine & ((runs.c.state == "gathering") | runs.c.run_id.is_(None))
        over = {"state": "stopped", "reason": why, "ended_at": self._now()}
        async with self._db.write() as connection:
            await connection.execute(update(runs).where(mine).values(cancelled=stored(why, 300)))
            return (await connection.execute(update(runs).where(waiting).values(**over))).rowcount == 1

    async def cancelled(self, sha: str, attempt: int) -> str | None:
        """See `handlers.model.Store`."""
        query = select(runs.c.cancelled).where(self._is(sha, attempt))
        reason: str | None = await self._db.look(lambda connection: connection.execute(query).scalar())
        return reason

    async def settle(self, sha: str, suite_id: int) -> None:
        """Records that all checks of one suite have completed."""
        async with self._db.write() as connection:
            row = {"repo_id": self.repo_id, "sha": sha, "suite_id": suite_id, "settled_at": self._now()}
            await connection.execute(insert_new(connection, settled_suites, row))

    async def end_debouncing(self, sha: str, attempt: int, quiet: float, then: Then | None = None) -> float:
        """Ends the debounce window of an attempt, in one transaction with what `then` writes, once all suites of its
        failures have settled (and a grace period has passed) or `quiet` seconds have passed since the last failure.
        Returns the seconds still to wait, 0 if the window has ended."""
        async with self._db.read() as connection:  # asked every few seconds
            wait = await self._wait(connection, sha, attempt, quiet)
        if wait is None or wait > 0:
            return wait or 0.0
        async with self._db.write() as connection:
            wait = await self._wait(connection, sha, attempt, quiet)
            if wait is not None and wait <= 0:
                begun = {"state": "running", "started_at": self._now()}
                await connection.execute(update(runs).where(self._is(sha, attempt)).values(**begun))
                if then is not None:
                    await then(connection)
        return max(wait or 0.0, 0.0)

    async def _wait(self, connection: AsyncConnection, sha: str, attempt: int, quiet: float) -> float | None:
        """Seconds until the debounce window ends, 0 or less if it is due; None if the attempt is no longer in it."""
        run = await self._run(connection, sha, attempt)
        if run is None or run.state != "gathering":
            return None
        settled = await self._settled_at(connection, sha, attempt)
        wait = await self._left(connection, run, quiet)
        return wait if settled is None else min(wait, settled + _GRACE - self._now())

    async def _left(self, connection: AsyncConnection, run: Run, quiet: float) -> float:
        mine = (failures.c.repo_id == self.repo_id) & (failures.c.sha == run.sha) & (failures.c.attempt == run.attempt)
        last = (await connection.execute(select(func.max(failures.c.received_at)).where(mine))).scalar()
        return 0.0 if last is None else float(last) + quiet - self._now()

    async def _settled_at(self, connection: AsyncConnection, sha: str, attempt: int) -> float | None:
        """When the last suite of the failures settled; None if one has not settled, or a failure has no suite."""
        mine = (failures.c.repo_id == self.repo_id) & (failures.c.sha == sha) & (failures.c.attempt == attempt)
        bodies = (await connection.execute(select(failures.c.body).where(mine))).scalars().all()
        suites = {json.loads(body).get("check_suite_id") for body in bodies}
        same = (settled_suites.c.repo_id == self.repo_id) & (settled_suites.c.sha == sha)
        rows = (await connection.execute(select(settled_suites).where(same))).mappings().all()
        done: dict[int, float] = {row["suite_id"]: row["settled_at"] for row in rows}
        return max(done[suite] for suite in suites) if suites and suites <= done.keys() else None

    def _is(self, sha: str, attempt: int) -> Any:
        return (runs.c.repo_id == self.repo_id) & (runs.c.sha == sha) & (runs.c.attempt == attempt)

    async def _run(self, connection: AsyncConnection, sha: str, attempt: int) -> Run | None:
        row = (await connection.execute(select(runs).where(self._is(sha, attempt)))).mappings().first()
        return None if row is None else _run(row)


async def place_of(connection: AsyncConnection, repo_id: int) -> dict[str, Any] | None:
    """Returns the installation, id and full name of a repository as recorded by its newest run, or None."""
    columns = (runs.c.installation_id, runs.c.repo_id, runs.c.full_name)
    newest = select(*columns).where(runs.c.repo_id == repo_id).order_by(runs.c.opened_at.desc()).limit(1)
    row = (await connection.execute(newest)).mappings().first()
    return None if row is None else dict(row)


def _row(run: Run) -> dict[str, Any]:
    values = run.model_dump(exclude={"outcome"})
    values |= {name: None if values[name] is None else stored(values[name], 300) for name in ("branch", "reason")}
    outcome = run.outcome
    if outcome is None:
        return {**values, "outcome": None}
    figures = {"verdict": outcome.verdict, "errors": len(outcome.errors), "proposals": len(outcome.proposals)}
    return {**values, **figures, "prevented": outcome.regressions_prevented, "outcome": outcome.model_dump_json()}


def _run(row: Any) -> Run:
    values = {key: row[key] for key in Run.model_fields if key != "outcome"}
    run = Run.model_validate(values)
    if row["outcome"] is None:
        return run
    from healing.model import Outcome

    return run.model_copy(update={"outcome": Outcome.model_validate_json(row["outcome"])})
