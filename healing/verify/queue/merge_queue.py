"""The merge queue's commands, for agents in this process and, through bot/queue_socket, for external ones."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from healing.git import GitError
from healing.git.branches import Branches
from healing.verify.queue import rules
from healing.verify.queue.merger import Merger
from healing.verify.queue.refusal import QueueRefusal
from healing.verify.queue.session import Agent, Merge, Session, ValidationRun
from healing.verify.queue.session_records import SessionRecords
from healing.verify.queue.validation import Validation

P = ParamSpec("P")
R = TypeVar("R")


# The only task that runs checks: the affected commands after each merge, the whole pipeline at a session's end.
# Merging doesn't wait for it. What was not checked when the process died is checked by the next one.
@dataclass
class Inspector:
    """Without a validation, sessions end with the verdict "unvalidated"."""

    branches: Branches
    session_records: SessionRecords
    validation: Validation | None

    async def run(self) -> None:
        """Runs checks until it is cancelled."""
        while True:
            session, merge = await self.session_records.until(self._next)
            if merge is not None:
                await self._check(session.id, merge)
            else:
                await self._validate(session)

    def _next(self) -> tuple[Session, Merge | None] | None:
        going = [session for session in self.session_records.sessions.values() if not session.verdict]
        unchecked = [(merge.ticket, session, merge) for session in going if (merge := session.unchecked)]
        if unchecked:
            _, session, merge = min(unchecked, key=lambda one: one[0])
            return session, merge
        return next(((session, None) for session in going if session.state == "VALIDATING"), None)

    async def _check(self, session_id: str, merge: Merge) -> None:
        ran: tuple[ValidationRun, ...] = ()
        if self.validation:
            paths = await asyncio.to_thread(self.branches.changed_paths, merge.before, merge.commit)
            ran = await self.validation.run(merge.commit, paths)
        async with self.session_records.lock:
            await self.session_records.put(rules.checked(self.session_records.session(session_id), merge, ran))

    async def _validate(self, session: Session) -> None:
        ran = await self.validation.run(session.tip) if self.validation else ()
        async with self.session_records.lock:
            current = self.session_records.session(session.id)
            if current.tip == session.tip and current.state == "VALIDATING":
                await self.session_records.put(
                    rules.validated(current, ran, self.session_records.now(), self.session_records.limits)
                )


class MergeQueue:
    """All sessions of one clone. Every command is stored before it returns, and raises QueueRefusal with a way out."""

    def __init__(
        self, branches: Branches, session_records: SessionRecords, validation: Validation | None = None
    ) -> None:
        self.branches = branches
        self.session_records = session_records
        self.merger = Merger(branches, session_records, checked_later=validation is not None)
        self.inspector = Inspector(branches, session_records, validation)
        self._work: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Resumes where the last process stopped, and starts the background tasks."""
        await self.session_records.load()
        async with self.session_records.lock:
            for session in list(self.session_records.sessions.values()):
                if not session.verdict:
                    self.branches.unlock(session.feature)
                    await self.merger.reconcile(session)
        self._work = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.merger.run())
            group.create_task(self.inspector.run())

    async def failed(self) -> None:
        """Never returns; raises what ended the background tasks, such as a database that can't be written."""
        assert self._work is not None, "it was started"
        await asyncio.shield(self._work)

    async def close(self) -> None:
        """Stops immediately; everything that was answered is stored."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    async def begin(self, session_id: str, base_branch: str) -> Session:
        """Returns the session; creates it, with its integration branch `heal/<session>`, if it doesn't exist."""
        rules.checked_name(session_id)
        async with self.session_records.lock:
            if session_id in self.session_records.sessions:
                return self.session_records.sessions[session_id]
            base = await _git(self.branches.tip, base_branch)
            if base is None:
                raise QueueRefusal("NO_BRANCH", f"there is no branch {base_branch!r}; name the one to start from")
            feature, now = f"heal/{session_id}", self.session_records.now()
            tip = await _git(self.branches.tip, feature)
            if tip not in (None, base):
                raise QueueRefusal("TAKEN", f"the branch {feature} is there already; choose another session name")
            if tip is None:
                await _git(self.branches.move, feature, base, None)
            fields = {"id": session_id, "feature": feature, "base_branch": base_branch, "base": base, "tip": base}
            session = Session.model_validate({**fields, "created_at": now, "seen_at": now})
            await self.session_records.put(session)
            return session

    async def register(self, session_id: str, agent_id: str, branch: str, worktree: str) -> Agent:
        """Registers an agent that works on its own branch, starting at the integration branch."""
        rules.checked_name(agent_id)
        async with self.session_records.lock:
            session = self.session_records.session(session_id)
            await _git(self.branches.tip, branch)
            self._own(session, branch)
            agent = Agent(
                id=agent_id, branch=branch, worktree=worktree, base=session.tip, seen_at=self.session_records.now()
            )
            await self.session_records.put(
                rules.register(session, agent, self.session_records.at_work(), self.session_records.limits)
            )
            return self.session_records.agent(session_id, agent_id)

    async def enqueue(self, session_id: str, agent_id: str, branch: str = "", worktree: str = "") -> Agent:
        """Puts the commit at the agent's branch into the queue; a resolved conflict keeps its place. An agent may name
        its branch and worktree as late as here."""
        async with self.session_records.lock:
            session = self._placed(self.session_records.session(session_id), agent_id, branch, worktree)
            agent = session.agents[agent_id]
            tip = await _git(self.branches.tip, agent.branch)
            if tip is None:
                raise QueueRefusal("NO_BRANCH", f"there is no branch {agent.branch}; commit to it first")
            if tip == agent.base:
                raise QueueRefusal("NOTHING_TO_MERGE", f"{agent.branch} has no commit of its own; commit, or DEQUEUE")
            message = await _git(self.branches.git.message, tip)
            waiting = len(self.session_records.waiting())
            if waiting >= self.session_records.limits.depth and not agent.waiting:
                raise QueueRefusal(
                    "QUEUE_FULL", f"{waiting} entries wait, the most there may be; try again in a moment"
                )
            ticket = self.session_records.last_ticket + 1
            await self.session_records.put(
                rules.enqueue(session, agent, tip, message[:2000], ticket, self.session_records.now())
            )
            return self.session_records.agent(session_id, agent_id)

    def _placed(self, session: Session, agent_id: str, branch: str, worktree: str) -> Session:
        agent = self.session_records.agent(session.id, agent_id)
        update = {"branch": branch or agent.branch, "worktree": worktree or agent.worktree}
        if agent.model_copy(update=update) == agent:
            return session
        self._own(session, update["branch"])
        return rules.place(session, agent, **update)

    def _own(self, session: Session, branch: str) -> None:
        if branch in {each.feature for each in self.session_records.sessions.values()} | {session.base_branch}:
            raise QueueRefusal("TAKEN", f"{branch} is no agent's own branch; choose another name")

    async def retry(self, session_id: str, agent_id: str) -> Agent:
        """Puts a resolved conflict back in its place in the queue."""
        if self.session_records.agent(session_id, agent_id).state == "WORKING":
            raise QueueRefusal("NO_CONFLICT", f"agent {agent_id} has no conflict to retry; hand in with ENQUEUE")
        return await self.enqueue(session_id, agent_id)

    async def dequeue(self, session_id: str, agent_id: str) -> Agent:
        """Removes the agent, and its entry with it."""
        async with self.session_records.lock:
            session, agent = self.session_records.session(session_id), self.session_records.agent(session_id, agent_id)
            await self.session_records.put(rules.withdraw(session, agent, self.session_records.now()))
            return self.session_records.agent(session_id, agent_id)

    async def end_session(self, session_id: str, force: bool = False) -> Session:
        """Asks for the session's validation and end; `wait_session` returns the result."""
        async with self.session_records.lock:
            await self.session_records.put(
                rules.ask_end(self.session_records.session(session_id), force, self.session_records.now())
            )
            return self.session_records.session(session_id)

    async def tidy(self, session_id: str) -> tuple[str, ...]:
        """Deletes the branches that `join` created for agents of a session that ended well: their work is on its
        branch. A branch stays if it moved since, is checked out in a worktree, or was chosen by the agent. Returns the
        names of the deleted branches."""
        session = self.session_records.session(session_id)
        if session.verdict not in ("green", "unvalidated"):
            return ()
        deleted: list[str] = []
        for agent in session.agents.values():
            is_ours = agent.branch.startswith(f"agent/{session.id}/") and agent.ended == "merged"
            if is_ours and agent.tip and await _git(self.branches.remove, agent.branch, agent.tip):
                deleted.append(agent.branch)
        return tuple(deleted)

    async def wait(self, session_id: str, agent_id: str) -> Agent:
        """Waits until no entry of the agent is in the queue, and returns the agent: merged, in conflict or ended. An
        agent that has submitted nothing is refused, as that wait would never end."""
        agent = self.session_records.agent(session_id, agent_id)
        if agent.state == "WORKING" and not agent.ended:
            raise QueueRefusal("NOT_QUEUED", f"agent {agent_id} has nothing in the queue; hand in with ENQUEUE first")

        def settled() -> Agent | None:
            current = self.session_records.agent(session_id, agent_id)
            return None if current.waiting else current

        done = await self.session_records.until(settled)
        self.session_records.seen(session_id, done)
        return done

    async def wait_session(self, session_id: str) -> Session:
        """Waits until the session's validation is over: it has ended, or went back to work for a repair round."""
        session = self.session_records.session(session_id)
        if not (session.ending or session.verdict or session.validation):
            raise QueueRefusal(
                "NOT_QUEUED", f"the end of session {session_id} was not asked for; use SESSION_END first"
            )

        def settled() -> Session | None:
            current = self.session_records.session(session_id)
            return None if current.ending else current

        return await self.session_records.until(settled)

    async def tick(self) -> None:
        """Ends stale agents and sessions; to be called from time to time."""
        async with self.session_records.lock:
            for session in list(self.session_records.sessions.values()):
                await self.session_records.put(
                    rules.expire(session, self.session_records.now(), self.session_records.limits)
                )


async def _git(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs a git operation in a thread. Raises QueueRefusal if git fails."""
    try:
        return await asyncio.to_thread(work, *args, **kwargs)
    except GitError as error:
        raise QueueRefusal("GIT", str(error)) from error
