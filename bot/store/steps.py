"""Durable step results: a step that has completed is read back after a crash instead of being run again
(see healing/steps.py)."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Float, LargeBinary, String, Table, Text, delete, select

from bot.store.counters import Count, add_at_once
from bot.store.counting import of_step
from bot.store.database import Database, insert_new
from bot.store.tables import metadata
from healing.model import content_id
from healing.steps import Json

INLINE_BYTES = 64 * 1024

steps = Table(
    "steps",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("run_key", String(150), primary_key=True),
    Column("kind", String(80), primary_key=True),
    Column("key_hash", String(64), primary_key=True),
    Column("result", Text),  # JSON; null: it is the blob
    Column("blob", String(64)),
    Column("made_at", Float, nullable=False),
)

blobs = Table(
    "blobs",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),  # never shared between repositories
    Column("hash", String(64), primary_key=True),
    Column("body", LargeBinary, nullable=False),
)


class StoredSteps:
    """`healing.steps.Steps` on the database, for one run of one repository. `run_key` names the run: after a crash
    the same key finds the same results. A step asked for twice at the same time in this process runs once.

    `on_hit(kind, key, made_at)` is called for each result that is read back instead of computed; `made_at` (Unix,
    seconds) says how old it is."""

    def __init__(
        self,
        database: Database,
        repo_id: int,
        run_key: str,
        now: Callable[[], float],
        on_hit: Callable[[str, Json, float], None] | None = None,
    ) -> None:
        self._db = database
        self._repo_id = repo_id
        self._run_key = run_key
        self._now = now
        self._on_hit = on_hit
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        """Returns the stored result, else that of `fn`, which is stored before it is returned. Raises what `fn` raises,
        and TypeError or ValueError if its result is not JSON."""
        name = (kind, content_id(kind, key, length=64))
        async with self._locks.setdefault(name, asyncio.Lock()):
            loaded = await self._load(*name)
            if loaded is None:
                result = await fn()
                text = json.dumps(result, separators=(",", ":"), allow_nan=False)
                return json.loads(await self._save(*name, text, of_step(kind, result)))
        stored, made_at = loaded
        if self._on_hit:
            self._on_hit(kind, key, made_at)
        return json.loads(stored)

    async def forget(self, kind: str) -> None:
        """Deletes the run's results of one kind, so that they are computed again."""
        mine = (steps.c.repo_id == self._repo_id) & (steps.c.run_key == self._run_key) & (steps.c.kind == kind)
        await self._db.run_transaction(lambda connection: connection.execute(delete(steps).where(mine)))

    async def _load(self, kind: str, key_hash: str) -> tuple[str, float] | None:
        joined = steps.outerjoin(blobs, (blobs.c.repo_id == steps.c.repo_id) & (blobs.c.hash == steps.c.blob))
        query = select(steps.c.result, blobs.c.body, steps.c.made_at).select_from(joined)
        query = query.where(self._is(kind, key_hash))
        row = await self._db.look(lambda connection: connection.execute(query).first())
        if row is None:
            return None
        return (str(row.result) if row.result is not None else bytes(row.body).decode()), float(row.made_at)

    async def _save(self, kind: str, key_hash: str, result: str, counts: Iterable[Count]) -> str:
        """Stores the result and returns it; if another process was first, returns that process's result."""
        body = result.encode()
        row: dict[str, Any] = {"repo_id": self._repo_id, "run_key": self._run_key, "kind": kind}
        row |= {"key_hash": key_hash, "result": result, "blob": None, "made_at": self._now()}
        blob = {"repo_id": self._repo_id, "hash": hashlib.sha256(body).hexdigest(), "body": body}
        if outside := len(body) > INLINE_BYTES:
            row |= {"result": None, "blob": blob["hash"]}

        def save(connection: Connection) -> bool:
            if outside:
                connection.execute(insert_new(connection, blobs, blob))
            inserted = bool(connection.execute(insert_new(connection, steps, row)).rowcount)
            if inserted:
                add_at_once(connection, counts)
            return inserted

        if await self._db.run_transaction(save):
            return result
        first = await self._load(kind, key_hash)
        return first[0] if first else result

    def _is(self, kind: str, key_hash: str) -> Any:
        run = (steps.c.repo_id == self._repo_id) & (steps.c.run_key == self._run_key)
        return run & (steps.c.kind == kind) & (steps.c.key_hash == key_hash)
