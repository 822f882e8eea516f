"""The queue's session records: the state of every session, stored before a call is answered. One writer at a time."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from healing.verify.queue.records import RecordStore, changed, session_of
from healing.verify.queue.refusal import QueueRefusal
from healing.verify.queue.session import Agent, QueueLimits, Session

T = TypeVar("T")


@dataclass
class SessionRecords:
    """`now` returns Unix time. Hold `lock` while you read sessions and then write them."""

    ledger: RecordStore
    now: Callable[[], float]
    limits: QueueLimits
    sessions: dict[str, Session] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    last_ticket: int = 0
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def load(self) -> None:
        """Loads the sessions that the last process stored."""
        for name, records in (await self.ledger.load()).items():
            self.sessions[name] = session = session_of(records)
            self._count(session)

    async def put(self, session: Session) -> None:
        """Stores the session, then wakes the waiting tasks. Raises what the ledger raises; then nothing has changed."""
        before = self.sessions.get(session.id)
        if session is before:
            return
        if records := changed(before, session):
            await self.ledger.save(session.id, records)
        self.sessions[session.id] = session
        self._count(session)
        await self.nudge()

    async def nudge(self) -> None:
        """Wakes all waiting tasks so that they check again."""
        async with self._news:
            self._news.notify_all()

    def _count(self, session: Session) -> None:
        tickets = [agent.ticket or 0 for agent in session.agents.values()] + [m.ticket for m in session.merges[-1:]]
        self.last_ticket = max([self.last_ticket, *tickets])

    async def until(self, look: Callable[[], T | None]) -> T:
        """Waits until `look` returns something, and returns that."""
        async with self._news:
            while (value := look()) is None:
                await self._news.wait()
            return value

    def seen(self, session_id: str, agent: Agent) -> None:
        """Updates the time at which an agent was last seen; not worth a write of its own."""
        session = self.sessions[session_id]
        self.sessions[session_id] = session.with_agent(agent.model_copy(update={"seen_at": self.now()}))

    def session(self, session_id: str) -> Session:
        """The session. Raises Refusal."""
        if session_id not in self.sessions:
            raise QueueRefusal("UNKNOWN_SESSION", f"there is no session {session_id[:80]!r}; REGISTER starts one")
        return self.sessions[session_id]

    def agent(self, session_id: str, agent_id: str) -> Agent:
        """The agent. Raises Refusal."""
        agent = self.session(session_id).agents.get(agent_id)
        if agent is None:
            raise QueueRefusal(
                "UNKNOWN_AGENT", f"no agent {agent_id[:80]!r} in session {session_id}; REGISTER it first"
            )
        return agent

    def waiting(self) -> list[tuple[Session, Agent]]:
        """Every waiting entry, the next one first: first come, first served, across sessions."""
        entries = [(session, agent) for session in self.sessions.values() for agent in session.waiting]
        return sorted(entries, key=lambda pair: pair[1].ticket or 0)

    def at_work(self) -> int:
        """The number of agents at work."""
        return sum(len(session.at_work) for session in self.sessions.values() if not session.verdict)
