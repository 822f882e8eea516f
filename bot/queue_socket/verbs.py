"""Answers requests by calling the queue."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from bot.queue_socket import answers, requests
from bot.queue_socket.answers import Answer
from healing.git import GitError
from healing.verify.queue.merge_queue import MergeQueue
from healing.verify.queue.merging import conflicting_files
from healing.verify.queue.refusal import QueueRefusal
from healing.verify.queue.rules import checked_name
from healing.verify.queue.session import Agent, Session

# Delivers a finished session's branch as a pull request with labels. Returns its address, or how to open it.
Deliver = Callable[[Session, tuple[str, ...]], Awaitable[str]]


async def manual_push_command(session: Session, _labels: tuple[str, ...] = ()) -> str:
    """How a person opens the pull request, for queues without a token."""
    return f"git push origin {session.feature}, then open a pull request from it into {session.base_branch}"


@dataclass
class Verbs:
    """Handles requests. `trees` is the folder for worktrees of agents that name no place of their own. SHUTDOWN sets
    `stop`."""

    queue: MergeQueue
    trees: Path
    deliver: Deliver = manual_push_command
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: requests.Request) -> Answer:
        """The answer to a request. Raises QueueRefusal."""
        match request:
            case requests.Register():
                return await self._register(request)
            case requests.Enqueue(agent_id=name, branch=branch, worktree=worktree):
                session = self._session(request.session_id, name)
                return self._queued(session, await self.queue.enqueue(session.id, name, branch, worktree))
            case requests.Retry(agent_id=name):
                session = self._session(request.session_id, name)
                return self._queued(session, await self.queue.retry(session.id, name))
            case requests.Dequeue(agent_id=name):
                agent = await self.queue.dequeue(self._session(request.session_id, name).id, name)
                return {"agent_id": name, "ended": agent.ended}
            case requests.Conflicts(agent_id=name):
                return await self._conflicts(self._session(request.session_id, name), name)
            case requests.Wait():
                return await self._wait(request)
            case requests.SessionEnd():
                session = self._session(request.session_id)
                session = await self.queue.end_session(session.id, request.force)
                return {"session_id": session.id, "state": session.state, "feature_branch": session.feature}
            case requests.Status():
                return self._status(request.session_id)
            case requests.Shutdown():
                self.stop.set()
                return {}

    async def _register(self, request: requests.Register) -> Answer:
        checked_name(request.agent_id)
        session_id = request.session_id or self._only_open() or f"s-{secrets.token_hex(4)}"
        base = request.base_branch or self.queue.branches.current()
        if base is None:
            raise QueueRefusal("NO_BRANCH", "the clone is on no branch; name the one to start from (base_branch)")
        session = await self.queue.begin(session_id, base)
        if request.base_branch not in ("", session.base_branch):
            raise QueueRefusal("TAKEN", f"session {session_id} starts from {session.base_branch}; name another session")
        branch = request.branch or f"agent/{session_id}/{request.agent_id}"
        worktree = request.worktree or str(self.trees / session_id / request.agent_id)
        agent = await self.queue.register(session_id, request.agent_id, branch, worktree)
        answer = {"session_id": session_id, "agent_id": agent.id, "branch": agent.branch, "worktree": agent.worktree}
        return {**answer, "base_commit": agent.base, "feature_branch": session.feature}

    def _queued(self, session: Session, agent: Agent) -> Answer:
        place = answers.position(self.queue.session_records.sessions.values(), agent)
        return {"session_id": session.id, "agent_id": agent.id, "position": place, "state": agent.state}

    async def _wait(self, request: requests.Wait) -> Answer:
        try:
            async with asyncio.timeout(request.timeout):
                return await self._waited(request)
        except TimeoutError:
            session = self._session(request.session_id, request.agent_id)
            agent = session.agents.get(request.agent_id or "")
            place = answers.position(self.queue.session_records.sessions.values(), agent) if agent else 0
            return {"result": "WAITING", "state": session.state, "position": place}

    async def _waited(self, request: requests.Wait) -> Answer:
        session = self._session(request.session_id, request.agent_id)
        if request.agent_id is not None:
            agent = await self.queue.wait(session.id, request.agent_id)
            session = self.queue.session_records.session(session.id)
            result = agent.state if agent.state in ("MERGED", "CONFLICT") else "ENDED"
            return {"result": result, "details": answers.details(agent, session)}
        session = await self.queue.wait_session(session.id)
        answer: Answer = {"result": session.state, "details": answers.session_details(session)}
        if request.pull_request and session.verdict in ("green", "unvalidated"):
            answer["pull_request"] = await self.deliver(session, tuple(request.labels))
        return {**answer, "deleted_branches": list(await self.queue.tidy(session.id))}

    async def _conflicts(self, session: Session, name: str) -> Answer:
        agent = self.queue.session_records.agent(session.id, name)
        self.queue.session_records.seen(session.id, agent)
        back = agent.handback
        if back is None:
            return {"files": [], "base_commit": None}
        try:
            files = await asyncio.to_thread(conflicting_files, self.queue.branches, back)
        except GitError as error:
            raise QueueRefusal("GIT", str(error)) from error
        left = 0 if agent.ended else self.queue.session_records.limits.retries - agent.conflicts + 1
        commits = {"base_commit": back.base, "ours_commit": back.ours, "theirs_commit": back.theirs}
        advice = f"In the worktree: git merge {session.feature}, solve, commit; then RETRY (or: heal queue done)"
        return {"files": files, "names": list(back.files), **commits, "retries_left": left, "advice": advice}

    def _status(self, only: str | None) -> Answer:
        if only is not None:
            self.queue.session_records.session(only)
        return answers.status(self.queue.session_records.sessions, self.queue.merger.problems, only)

    def _session(self, name: str | None, agent: str | None = None) -> Session:
        """The named session, else the only one with the agent. Raises QueueRefusal."""
        if name is not None:
            return self.queue.session_records.session(name)
        sessions = self.queue.session_records.sessions.values()
        fitting = [session for session in sessions if agent is None or agent in session.agents]
        found = [session for session in fitting if not session.verdict] or fitting[-1:]
        if len(found) > 1:
            names = ", ".join(session.id for session in found)
            raise QueueRefusal("AMBIGUOUS", f"several sessions fit ({names}); name one (session_id)")
        if not found and agent is not None:
            raise QueueRefusal("UNKNOWN_AGENT", f"no agent {agent!r} is known; REGISTER it first")
        if not found:
            raise QueueRefusal("UNKNOWN_SESSION", "there is no session yet; REGISTER starts one")
        return found[0]

    def _only_open(self) -> str | None:
        open_ = [session for session in self.queue.session_records.sessions.values() if not session.verdict]
        if len(open_) > 1:
            raise QueueRefusal("AMBIGUOUS", "several sessions are open; name one (session_id)")
        return open_[0].id if open_ else None
