"""Proposals with their status on GitHub, and reports of errors that could not be fixed."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database, insert_new
from bot.store.runs import ROW_ID
from bot.store.tables import metadata
from handlers.model import ProposalChange, ProposalStatus, StoredProposal
from healing.model import Proposal, Unfixable

proposals = Table(
    "proposals",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("proposal_id", String(64), nullable=False),
    Column("run_id", String(100), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("status", String(12), nullable=False),
    Column("delivery", String(12), nullable=False),
    Column("comment_id", BigInteger),
    Column("fixup_number", Integer),
    Column("reason", Text, nullable=False),
    Column("applied_sha", String(64)),
    Column("reference", String(64)),
    Column("body", Text, nullable=False),
    Column("made_at", Float),
    Column("offered_at", Float),
    Column("decided_at", Float),
    UniqueConstraint("repo_id", "number", "proposal_id", name="proposals_once"),
    Index("proposals_by_status", "repo_id", "status", "offered_at"),
    Index("proposals_by_id", "proposal_id", "repo_id", "run_id"),
    Index("proposals_of_run", "repo_id", "run_id"),
    Index("proposals_decided", "repo_id", "decided_at", "status"),
    Index("proposals_offered", "repo_id", "offered_at", "run_id"),
)

unfixables = Table(
    "unfixables",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("run_id", String(100), nullable=False),
    Column("report_id", String(64), nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("repo_id", "number", "run_id", "report_id", name="unfixables_once"),
    Index("unfixables_of_run", "repo_id", "run_id"),
)

# With one of these statuses a later run that finds the same fix may offer it again; a rejected fix stays rejected.
_RENEWABLE = ("applied", "rolled-back", "outdated", "muted", "resolved")
DECIDED = ("applied", "rejected", "rolled-back")
_LIFE = (
    "run_id",
    "attempt",
    "status",
    "delivery",
    "comment_id",
    "fixup_number",
    "reason",
    "applied_sha",
    "reference",
)


class ProposalRows:
    """Proposals and reports of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def save_proposals(self, items: tuple[StoredProposal, ...]) -> None:
        """Saves new proposals. A known one is left unchanged (so a replayed run changes nothing), unless another run
        found it again after it was applied, rolled back, outdated, muted or resolved."""
        async with self._db.write() as connection:
            for stored in items:
                row = {**_row(stored), "repo_id": self._repo_id, "made_at": self._now()}
                if (await connection.execute(insert_new(connection, proposals, row))).rowcount == 0:
                    await self._renew(connection, stored)

    async def _renew(self, connection: AsyncConnection, stored: StoredProposal) -> None:
        earlier = self._known(stored) & proposals.c.status.in_(_RENEWABLE) & (proposals.c.run_id != stored.run_id)
        offered_again = {"made_at": self._now(), "offered_at": None, "decided_at": None}
        await connection.execute(update(proposals).where(earlier).values(**_row(stored), **offered_again))

    async def update_proposal(
        self, known: StoredProposal, change: ProposalChange, only: tuple[ProposalStatus, ...]
    ) -> bool:
        """See `handlers.model.Store`. Compares the status and sets only the named columns in one statement."""
        values: dict[str, Any] = {key: value for key, value in change.items() if key != "proposal"}
        if "proposal" in change:
            values["body"] = change["proposal"].model_dump_json()
        values |= self._moments(change)
        still = self._known(known) & proposals.c.status.in_(only)
        async with self._db.write() as connection:
            return bool((await connection.execute(update(proposals).where(still).values(**values))).rowcount)

    def _moments(self, change: ProposalChange) -> dict[str, Any]:
        """The times that the change sets: when it was first offered, or when somebody last decided about it."""
        if change.get("status") == "offered":
            return {"offered_at": func.coalesce(proposals.c.offered_at, self._now())}
        return {"decided_at": self._now()} if change.get("status") in DECIDED else {}

    async def proposals(self, number: int) -> tuple[StoredProposal, ...]:
        """Returns the proposals of one pull request, in the order in which they were made."""
        mine = (proposals.c.repo_id == self._repo_id) & (proposals.c.number == number)
        async with self._db.read() as connection:
            rows = (await connection.execute(select(proposals).where(mine).order_by(proposals.c.id))).mappings().all()
        return tuple(_stored(row) for row in rows)

    async def save_unfixables(self, number: int, run_id: str, reports: tuple[Unfixable, ...]) -> None:
        async with self._db.write() as connection:
            for report in reports:
                row = {"repo_id": self._repo_id, "number": number, "run_id": run_id, "report_id": report.id}
                row["body"] = report.model_dump_json()
                await connection.execute(insert_new(connection, unfixables, row))

    async def unfixables(self, number: int) -> tuple[Unfixable, ...]:
        """Returns the reports of one pull request, in the order in which they were made; a report that two runs made is
        returned once."""
        mine = (unfixables.c.repo_id == self._repo_id) & (unfixables.c.number == number)
        query = select(unfixables.c.report_id, unfixables.c.body).where(mine).order_by(unfixables.c.id)
        async with self._db.read() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(Unfixable.model_validate_json(body) for body in {row.report_id: row.body for row in rows}.values())

    def _known(self, stored: StoredProposal) -> Any:
        mine = (proposals.c.repo_id == self._repo_id) & (proposals.c.number == stored.number)
        return mine & (proposals.c.proposal_id == stored.proposal.id)


def _row(stored: StoredProposal) -> dict[str, Any]:
    life = stored.model_dump(include={*_LIFE, "number"})
    return {**life, "proposal_id": stored.proposal.id, "body": stored.proposal.model_dump_json()}


def _stored(row: Any) -> StoredProposal:
    life = {key: row[key] for key in (*_LIFE, "number")}
    return StoredProposal(proposal=Proposal.model_validate_json(row["body"]), **life)
