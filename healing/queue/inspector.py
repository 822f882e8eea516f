"""The one hand that checks: the affected commands after each merge, the whole pipeline at a session's end.

Merging doesn't wait for it. What was not checked when the process died is checked by the next one.
"""

import asyncio
from dataclasses import dataclass

from healing.gitio.branches import Branches
from healing.queue import rules
from healing.queue.books import SessionRecords
from healing.queue.session import Merge, Ran, Session
from healing.queue.validation import Validation


@dataclass
class Inspector:
    """Without a validation sessions end unvalidated, and say so."""

    branches: Branches
    books: SessionRecords
    validation: Validation | None

    async def run(self) -> None:
        """Checks as long as it isn't cancelled."""
        while True:
            session, merge = await self.books.until(self._next)
            if merge is not None:
                await self._check(session.id, merge)
            else:
                await self._validate(session)

    def _next(self) -> tuple[Session, Merge | None] | None:
        going = [session for session in self.books.sessions.values() if not session.verdict]
        unchecked = [(merge.ticket, session, merge) for session in going if (merge := session.unchecked)]
        if unchecked:
            _, session, merge = min(unchecked, key=lambda one: one[0])
            return session, merge
        return next(((session, None) for session in going if session.state == "VALIDATING"), None)

    async def _check(self, session_id: str, merge: Merge) -> None:
        ran: tuple[Ran, ...] = ()
        if self.validation:
            paths = await asyncio.to_thread(self.branches.changed_paths, merge.before, merge.commit)
            ran = await self.validation.run(merge.commit, paths)
        async with self.books.lock:
            await self.books.put(rules.checked(self.books.session(session_id), merge, ran))

    async def _validate(self, session: Session) -> None:
        ran = await self.validation.run(session.tip) if self.validation else ()
        async with self.books.lock:
            there = self.books.session(session.id)
            if there.tip == session.tip and there.state == "VALIDATING":
                await self.books.put(rules.validated(there, ran, self.books.now(), self.books.limits))
