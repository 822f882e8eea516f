"""Durable step results: what was paid for once is read back, whatever died in between (healing/steps.py, OP-3)."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy import BigInteger, Column, Float, LargeBinary, String, Table, Text, select

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
    the same key finds the same results. A step asked for twice at the same time in this process runs once."""

    def __init__(self, database: Database, repo_id: int, run_key: str, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._run_key = run_key
        self._now = now
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        """The stored result, else that of `fn`, which is stored before it is given. Raises what `fn` raises, and
        TypeError or ValueError where its result is not JSON."""
        name = (kind, content_id(kind, key, length=64))
        async with self._locks.setdefault(name, asyncio.Lock()):
            stored = await self._load(*name)
            if stored is None:
                stored = json.dumps(await fn(), separators=(",", ":"), allow_nan=False)
                stored = await self._save(*name, stored)
        return json.loads(stored)

    async def _load(self, kind: str, key_hash: str) -> str | None:
        joined = steps.outerjoin(blobs, (blobs.c.repo_id == steps.c.repo_id) & (blobs.c.hash == steps.c.blob))
        query = select(steps.c.result, blobs.c.body).select_from(joined).where(self._is(kind, key_hash))
        async with self._db.read() as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            return None
        return str(row.result) if row.result is not None else bytes(row.body).decode()

    async def _save(self, kind: str, key_hash: str, result: str) -> str:
        """Stores it; if another process was first, its result is the one that counts."""
        body = result.encode()
        row: dict[str, Any] = {"repo_id": self._repo_id, "run_key": self._run_key, "kind": kind}
        row |= {"key_hash": key_hash, "result": result, "blob": None, "made_at": self._now()}
        async with self._db.write() as connection:
            if len(body) > INLINE_BYTES:
                row |= {"result": None, "blob": hashlib.sha256(body).hexdigest()}
                blob = {"repo_id": self._repo_id, "hash": row["blob"], "body": body}
                await connection.execute(insert_new(connection, blobs, blob))
            made = await connection.execute(insert_new(connection, steps, row))
        return result if made.rowcount else await self._load(kind, key_hash) or result

    def _is(self, kind: str, key_hash: str) -> Any:
        run = (steps.c.repo_id == self._repo_id) & (steps.c.run_key == self._run_key)
        return run & (steps.c.kind == kind) & (steps.c.key_hash == key_hash)
