"""Records of the merge queue (healing/verify/queue) of one clone, one row each."""

from collections.abc import Mapping

from sqlalchemy import BigInteger, Column, String, Table, Text, delete, select

from bot.store.database import Database
from bot.store.tables import metadata
from healing.verify.queue.records import Records

queue_records = Table(
    "queue_records",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("session_id", String(64), primary_key=True),
    Column("name", String(100), primary_key=True),
    Column("body", Text, nullable=False),
)


class StoredQueueRecords:
    """`healing.verify.queue.records.RecordStore` on the database."""

    def __init__(self, database: Database, repo_id: int) -> None:
        self._db = database
        self._repo_id = repo_id

    async def load(self) -> Mapping[str, Records]:
        query = select(queue_records).where(queue_records.c.repo_id == self._repo_id)
        sessions: dict[str, dict[str, str]] = {}
        async with self._db.read() as connection:
            for row in await connection.execute(query):
                sessions.setdefault(row.session_id, {})[row.name] = row.body
        return sessions

    async def save(self, session: str, records: Records) -> None:
        mine = (queue_records.c.repo_id == self._repo_id) & (queue_records.c.session_id == session)
        rows = [{"repo_id": self._repo_id, "session_id": session, "name": n, "body": b} for n, b in records.items()]
        async with self._db.write() as connection:
            await connection.execute(delete(queue_records).where(mine & queue_records.c.name.in_(list(records))))
            await connection.execute(queue_records.insert(), rows)

    async def forget(self, session: str) -> None:
        """Deletes a session whose worktrees were removed."""
        mine = (queue_records.c.repo_id == self._repo_id) & (queue_records.c.session_id == session)
        async with self._db.write() as connection:
            await connection.execute(delete(queue_records).where(mine))
