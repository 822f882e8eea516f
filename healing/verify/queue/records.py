"""A session as small named JSON records, so that a step of a long session writes only what it changed."""

from collections.abc import Mapping
from typing import Protocol

from healing.verify.queue.session import Agent, Merge, Session

Records = Mapping[str, str]  # `session`, `agent/<id>` or `merge/<ticket>` → JSON


class RecordStore(Protocol):
    """Stores records so that they survive a crash."""

    async def load(self) -> Mapping[str, Records]:
        """All sessions' records, by session id."""
        ...

    async def save(self, session: str, records: Records) -> None:
        """Inserts or replaces these records, all or none, durably."""
        ...


class RecordsInMemory:
    """A ledger for a queue that ends with its process."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, str]] = {}

    async def load(self) -> Mapping[str, Records]:
        return self.sessions

    async def save(self, session: str, records: Records) -> None:
        self.sessions.setdefault(session, {}).update(records)


def changed(before: Session | None, after: Session) -> dict[str, str]:
    """The records that differ."""
    records: dict[str, str] = {}
    if before is None or _head(before) != _head(after):
        records["session"] = _head(after).model_dump_json()
    old = before.agents if before else {}
    records |= {f"agent/{a.id}": a.model_dump_json() for a in after.agents.values() if old.get(a.id) is not a}
    known = set(map(id, before.merges)) if before else set()
    return records | {f"merge/{m.ticket}": m.model_dump_json() for m in after.merges if id(m) not in known}


def session_of(records: Records) -> Session:
    """The session that these records were made from. Raises pydantic's ValidationError, and KeyError, for damaged
    records."""
    agents = [Agent.model_validate_json(text) for name, text in records.items() if name.startswith("agent/")]
    merges = [Merge.model_validate_json(text) for name, text in records.items() if name.startswith("merge/")]
    head = Session.model_validate_json(records["session"])
    update = {"agents": {agent.id: agent for agent in agents}, "merges": tuple(sorted(merges, key=lambda m: m.ticket))}
    return head.model_copy(update=update)


def _head(session: Session) -> Session:
    return session.model_copy(update={"agents": {}, "merges": ()})
