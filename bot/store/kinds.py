"""The kinds of each fix, and how people decided on each kind."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import BigInteger, Column, Float, Integer, Select, String, Table, and_, case, func, select

from bot.store.database import Database, insert_new
from bot.store.proposals import proposals
from bot.store.tables import metadata
from handlers.model import Tally

HALF_YEAR = 180 * 86_400.0  # seconds that a decision counts; after that a muted kind may be offered again

proposal_kinds = Table(
    "proposal_kinds",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("proposal_id", String(64), primary_key=True),
    Column("kind", String(200), primary_key=True),
    Column("seen_at", Float, nullable=False),
)
_NO = proposals.c.status.in_(("rejected", "rolled-back"))
_YES = proposals.c.status == "applied"


class KindRows:
    """Kinds of fixes in one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def save_kinds(self, number: int, kinds: Mapping[str, tuple[str, ...]]) -> None:
        """See `handlers.model.Store`."""
        mine = {"repo_id": self._repo_id, "number": number, "seen_at": self._now()}
        async with self._db.write() as connection:
            for proposal_id, named in kinds.items():
                for kind in named:
                    row = {**mine, "proposal_id": proposal_id, "kind": kind}
                    await connection.execute(insert_new(connection, proposal_kinds, row))

    async def tallies(self, kinds: tuple[str, ...]) -> tuple[Tally, ...]:
        """See `handlers.model.Store`."""
        query = _counted(self._now()).where(proposal_kinds.c.repo_id == self._repo_id, proposal_kinds.c.kind.in_(kinds))
        async with self._db.read() as connection:
            return tuple(map(_tally, await connection.execute(query)))


def _counted(now: float) -> Select[Any]:
    """Selects one row for each repository and kind that people decided on."""
    same = and_(*(proposal_kinds.c[key] == proposals.c[key] for key in ("repo_id", "number", "proposal_id")))
    yes, no = (func.sum(case((which, 1), else_=0)) for which in (_YES, _NO))
    return (
        select(proposal_kinds.c.repo_id, proposal_kinds.c.kind, yes.label("accepted"), no.label("rejected"))
        .join(proposals, same)
        .where(_YES | _NO, proposal_kinds.c.seen_at >= now - HALF_YEAR)
        .group_by(proposal_kinds.c.repo_id, proposal_kinds.c.kind)
        .order_by(proposal_kinds.c.repo_id, proposal_kinds.c.kind)
    )


def _tally(row: Any) -> Tally:
    return Tally(kind=row.kind, accepted=row.accepted, rejected=row.rejected)


async def tallies_of(database: Database, now: float, repo_id: int) -> tuple[Tally, ...]:
    """Returns a tally of each kind that people decided on in one repository. `now` is Unix time in seconds."""
    query = _counted(now).where(proposal_kinds.c.repo_id == repo_id)
    async with database.read() as connection:
        return tuple(map(_tally, await connection.execute(query)))
