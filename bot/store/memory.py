"""Memory of a repository's agents: implements `healing.repair.agents.memory.Memory` on the database."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import BigInteger, Column, Float, Row, String, Table, Text, and_, delete, or_, select

from bot.store.database import Database, insert_new
from bot.store.proposals import proposals
from bot.store.tables import metadata
from healing.model import Edit, content_id
from healing.repair.agents.memory import FailedFix, Lesson, WorkedFix
from healing.repair.agents.routing import Record
from healing.repair.agents.trajectory import Trajectory

FEW = 5  # entries of a kind that a later agent is shown
NO = ("rejected", "rolled-back")

failed_fixes = Table(
    "failed_fixes",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("cause", String(64), primary_key=True),
    Column("edit", String(64), primary_key=True),
    Column("specialist", String(80), nullable=False),
    Column("message", Text, nullable=False),
    Column("edits", Text, nullable=False),
    Column("seen_at", Float, nullable=False),
)
worked_fixes = Table(
    "worked_fixes",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("cause", String(64), primary_key=True),
    Column("proposal", String(64), primary_key=True),
    Column("shape", String(200), nullable=False),
    Column("specialist", String(80), nullable=False),
    Column("title", Text, nullable=False),
    Column("edits", Text, nullable=False),
    Column("seen_at", Float, nullable=False),
)
agent_endings = Table(
    "agent_endings",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("run_id", String(100), primary_key=True),
    Column("cause", String(64), primary_key=True),
    Column("specialist", String(80), primary_key=True),
    Column("proposal", String(64), nullable=False),
    Column("seen_at", Float, nullable=False),
)
trajectories = Table(
    "trajectories",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("run_id", String(100), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("body", Text, nullable=False),
    Column("seen_at", Float, nullable=False),
)
REMEMBERED = (failed_fixes, worked_fixes, agent_endings, trajectories)


class StoredMemory:
    """Memory of one repository, for one run. `now` returns Unix time in seconds. `learns`: whether lessons are kept.
    Those of a fork's run are not, as an untrusted author could influence the repository's agents with them."""

    def __init__(
        self, database: Database, repo_id: int, run_id: str, now: Callable[[], float], learns: bool = True
    ) -> None:
        self._db, self._repo_id, self._run_id, self._now, self._learns = database, repo_id, run_id, now, learns

    async def failed(self, causes: tuple[str, ...]) -> tuple[FailedFix, ...]:
        return tuple(
            FailedFix(cause=r.cause, edit=r.edit, specialist=r.specialist, edits=_read(r.edits), message=r.message)
            for r in await self._newest(failed_fixes, failed_fixes.c.cause.in_(causes))
        )

    async def worked(self, shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        refused = select(proposals.c.proposal_id).where(
            proposals.c.repo_id == self._repo_id, proposals.c.status.in_(NO)
        )
        which = and_(worked_fixes.c.shape.in_(shapes), worked_fixes.c.proposal.not_in(refused))
        return tuple(map(_worked, await self._newest(worked_fixes, which)))

    async def accepted(self, causes: tuple[str, ...], shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        mine = proposals.c.repo_id == self._repo_id
        applied = select(proposals.c.proposal_id).where(mine, proposals.c.status == "applied")
        offered = select(proposals.c.proposal_id).where(mine, proposals.c.status == "offered")
        same_cause = worked_fixes.c.cause.in_(causes)
        taken = and_(or_(same_cause, worked_fixes.c.shape.in_(shapes)), worked_fixes.c.proposal.in_(applied))
        which = or_(taken, and_(same_cause, worked_fixes.c.proposal.in_(offered)))
        return tuple(map(_worked, await self._newest(worked_fixes, which)))

    async def _newest(self, table: Table, which: Any) -> list[Row[Any]]:
        query = select(table).where(table.c.repo_id == self._repo_id, which)
        async with self._db.read() as connection:
            rows = await connection.execute(query.order_by(table.c.seen_at.desc(), table.c.cause).limit(FEW))
            return list(rows)

    async def records(self) -> Mapping[str, Record]:
        of_repo = proposals.c.repo_id == self._repo_id
        rejected = select(proposals.c.proposal_id).where(of_repo, proposals.c.status.in_(NO))
        query = select(agent_endings.c.specialist, agent_endings.c.proposal).where(
            agent_endings.c.repo_id == self._repo_id
        )
        async with self._db.read() as connection:
            no = set((await connection.execute(rejected)).scalars())
            ended = [
                (row.specialist, bool(row.proposal) and row.proposal not in no)
                for row in await connection.execute(query)
            ]
        count = Counter(ended)
        return {name: Record(good=count[name, True], bad=count[name, False]) for name in sorted({n for n, _ in ended})}

    async def learn(self, lesson: Lesson) -> None:
        if not self._learns:
            return
        mine = {"repo_id": self._repo_id, "seen_at": self._now()}
        rows: list[tuple[Table, dict[str, Any]]] = []
        for failed in lesson.failed:
            rows.append((failed_fixes, failed.model_dump(exclude={"edits"}) | {"edits": _written(failed.edits)}))
        for worked in lesson.worked:
            rows.append((worked_fixes, worked.model_dump(exclude={"edits"}) | {"edits": _written(worked.edits)}))
        rows += [(agent_endings, ended.model_dump() | {"run_id": self._run_id}) for ended in lesson.ended]
        async with self._db.write() as connection:
            for table, row in rows:
                await connection.execute(insert_new(connection, table, {**row, **mine}))

    async def save(self, trajectory: Trajectory) -> None:
        name = content_id(trajectory.cluster, trajectory.errors, trajectory.specialist, trajectory.model)
        row = {"repo_id": self._repo_id, "run_id": self._run_id, "name": name, "seen_at": self._now()}
        async with self._db.write() as connection:
            same = and_(*(trajectories.c[key] == row[key] for key in ("repo_id", "run_id", "name")))
            await connection.execute(delete(trajectories).where(same))
            row["body"] = trajectory.model_dump_json()
            await connection.execute(insert_new(connection, trajectories, row))

    async def trajectories(self) -> tuple[Trajectory, ...]:
        """Returns the trajectories of the run's agents; `healing.repair.agents.transcript` renders them for people."""
        mine = and_(trajectories.c.repo_id == self._repo_id, trajectories.c.run_id == self._run_id)
        query = select(trajectories.c.body).where(mine).order_by(trajectories.c.seen_at, trajectories.c.name)
        async with self._db.read() as connection:
            return tuple(map(Trajectory.model_validate_json, (await connection.execute(query)).scalars()))


def _worked(row: Row[Any]) -> WorkedFix:
    return WorkedFix(
        cause=row.cause,
        shape=row.shape,
        proposal=row.proposal,
        specialist=row.specialist,
        title=row.title,
        edits=_read(row.edits),
    )


async def forget_lessons(database: Database, before: float) -> int:
    """Deletes entries older than that time (Unix, seconds) in all repositories. Returns how many."""
    async with database.write() as connection:
        results = [await connection.execute(delete(table).where(table.c.seen_at < before)) for table in REMEMBERED]
    return sum(int(result.rowcount) for result in results)


def _written(edits: tuple[Edit, ...]) -> str:
    return json.dumps([edit.model_dump() for edit in edits])


def _read(text: str) -> tuple[Edit, ...]:
    return tuple(Edit.model_validate(edit) for edit in json.loads(text))
