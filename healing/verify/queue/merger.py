"""Merges entries: the head of the queue into its integration branch, one at a time.

A merge has three steps: the commit is created (nothing points to it), the branch is moved to it by compare-and-swap,
and the entry is stored as merged. After a kill between the last two, the branch is ahead of the records; `reconcile`
updates these from the branch, so that no entry is merged twice and none is lost.
"""

import asyncio
from dataclasses import dataclass, field

from healing.git import GitError, RefMoved
from healing.git.branches import Branches
from healing.verify.queue import rules
from healing.verify.queue.merging import MergeCommit, merge_agent
from healing.verify.queue.session import Agent, Handback, Session
from healing.verify.queue.session_records import SessionRecords

PAUSE = 0.5  # seconds before a branch that another git process has locked is tried again


@dataclass
class Merger:
    """`checked_later`: merges are checked after they are stored. `problems`: session id → what blocks its entries."""

    branches: Branches
    session_records: SessionRecords
    checked_later: bool
    problems: dict[str, str] = field(default_factory=dict)

    async def run(self) -> None:
        """Merges until it is cancelled. Raises what the records' ledger raises."""
        while True:
            await self._merge(*await self.session_records.until(self._head))

    async def serve(self) -> bool:
        """Merges the next entry, for callers that don't run `run`; False if none waits."""
        head = self._head()
        if head is not None:
            await self._merge(*head)
        return head is not None

    def _head(self) -> tuple[Session, Agent] | None:
        """The next entry; a session whose branch is locked holds up only its own entries."""
        free = (pair for pair in self.session_records.waiting() if pair[0].id not in self.problems)
        return next(free, None)

    async def _merge(self, session: Session, agent: Agent) -> None:
        result: MergeCommit | Handback | str
        limit = self.session_records.limits.merge_seconds
        try:
            async with asyncio.timeout(limit):
                result = await asyncio.to_thread(merge_agent, self.branches, session.tip, agent)
        except TimeoutError:
            result = f"its merge did not end within {limit:g} s; it is taken for hung"
        except GitError as error:
            result = str(error)
        async with self.session_records.lock:
            current = self.session_records.session(session.id)
            entry = current.agents[agent.id]
            if current.tip == session.tip and entry.waiting and entry.tip == agent.tip:
                await self._settle(current, entry, result)

    async def _settle(self, session: Session, agent: Agent, result: MergeCommit | Handback | str) -> None:
        now, put = self.session_records.now(), self.session_records.put
        match result:
            case MergeCommit(commit, new=True):
                if await self._moved(session, commit):
                    checks = None if self.checked_later else ()
                    await put(rules.merged(session, agent, commit, now, checks))
            case MergeCommit(commit):
                await put(rules.mark_already_merged(session, agent, commit, now))
            case Handback():
                await put(rules.return_conflict(session, agent, result, now, self.session_records.limits))
            case str():
                why = await asyncio.to_thread(self._corrupt, session)
                after = rules.abort(session, why, now) if why else rules.end(session, agent, "broken", result, now)
                await put(after)

    async def _moved(self, session: Session, commit: str) -> bool:
        try:
            await asyncio.to_thread(self.branches.move, session.feature, commit, session.tip)
        except RefMoved:
            await self.reconcile(session)
            return False
        except GitError as error:
            self.problems[session.id] = str(error)
            asyncio.get_running_loop().call_later(PAUSE, self._again, session.id)
            return False
        return True

    def _again(self, session_id: str) -> None:
        self.problems.pop(session_id, None)
        self._nudging = asyncio.ensure_future(self.session_records.nudge())

    def _corrupt(self, session: Session) -> str:
        """Why nothing can be merged into the session's branch any more; empty if only the entry is at fault."""
        try:
            self.branches.git.tree_of(session.tip)
        except GitError as error:
            return f"the branch {session.feature} can't be read: {error}. Look at the clone with: git fsck"
        return ""

    async def reconcile(self, session: Session) -> None:
        """Updates the records from the branch: merges that a kill kept from being stored, and commits that a person put
        on top. A branch that leads elsewhere ends the session. The caller holds the lock."""
        try:
            after = await asyncio.to_thread(self._reconciled, session)
        except GitError as error:
            after = rules.abort(
                session, f"the branch {session.feature} can't be read: {error}", self.session_records.now()
            )
        await self.session_records.put(after)

    def _reconciled(self, session: Session) -> Session:
        tip = self.branches.tip(session.feature)
        if tip == session.tip:
            return session
        chain = self.branches.first_parents(tip, session.tip) if tip else None
        if chain is None:
            why = f"somebody moved {session.feature} from {session.tip[:12]} to {tip[:12] if tip else 'nowhere'}"
            return rules.abort(session, why, self.session_records.now())
        for commit in reversed(chain):
            _, *others = self.branches.git.parents(commit)
            agent = next((a for a in session.waiting if [a.tip] == others), None)
            if agent:
                checks = None if self.checked_later else ()
                session = rules.merged(session, agent, commit, self.session_records.now(), checks)
            else:
                session = session.model_copy(update={"tip": commit})
        return session
