"""The state transitions of a session as pure functions: the session before in, the session after out, or a
QueueRefusal.

Every transition is idempotent: a client that lost the answer may simply ask again.
"""

import re

from healing.model import CIError
from healing.verify.queue.refusal import QueueRefusal
from healing.verify.queue.session import Agent, End, Handback, Merge, QueueLimits, Session, ValidationRun, Verdict

NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
KEPT_ERRORS = 200


def checked_name(name: str) -> str:
    """The name of an agent or session, which becomes part of branch and folder names. Raises QueueRefusal."""
    if not NAME.fullmatch(name) or ".." in name or name.endswith(".lock"):
        raise QueueRefusal("BAD_NAME", f"{name[:80]!r} can't be a name: use letters, digits, dots, dashes; at most 64")
    return name


def register(session: Session, agent: Agent, at_work: int, limits: QueueLimits) -> Session:
    """Registers a new agent, or a known one again: for another proposal if its last one has ended."""
    _require_open(session)
    known = session.agents.get(agent.id)
    if known and not known.ended and known.branch != agent.branch:
        raise QueueRefusal("TAKEN", f"agent {agent.id} is working on {known.branch}; choose another name")
    _require_own_branch(session, agent)
    if known and not known.ended:
        return session.with_agent(known.model_copy(update={"seen_at": agent.seen_at}))
    if session.ending:
        raise QueueRefusal(
            "ENDED", f"session {session.id} is being ended; wait for its validation, or start another one"
        )
    if at_work >= limits.agents:
        raise QueueRefusal(
            "TOO_MANY_AGENTS", f"{at_work} agents are running, which is the limit; wait for one to finish"
        )
    return session.with_agent(agent, seen_at=agent.seen_at)


def place(session: Session, agent: Agent, branch: str, worktree: str) -> Session:
    """Changes the branch and worktree that the agent works on."""
    after = agent.model_copy(update={"branch": branch, "worktree": worktree})
    _require_own_branch(session, after)
    return session.with_agent(after)


def _require_own_branch(session: Session, agent: Agent) -> None:
    if any(other.branch == agent.branch for other in session.agents.values() if other.id != agent.id):
        raise QueueRefusal("TAKEN", f"the branch {agent.branch} is another agent's; choose another name")


def enqueue(session: Session, agent: Agent, tip: str, message: str, ticket: int, now: float) -> Session:
    """Puts the agent's commit into the queue; `ticket` is its place unless it has one. The queue's depth is not
    checked."""
    if agent.tip == tip and (agent.waiting or agent.ended == "merged"):
        return session
    _require_open(session)
    if agent.ended in ("conflict", "broken", "withdrawn"):
        raise QueueRefusal("ENDED", f"agent {agent.id} has ended ({agent.ended}: {agent.why}); register again to go on")
    if session.ending and not (agent.at_work or agent.waiting):
        raise QueueRefusal("ENDED", f"session {session.id} is being ended; start another one")
    if agent.state == "CONFLICT" and agent.tip == tip:
        raise QueueRefusal(
            "UNCHANGED", f"{agent.branch} is still at {tip[:12]}, which conflicts; solve it and commit first"
        )
    again = agent.state in ("CONFLICT", "COMPLETE") and agent.ticket is not None  # it keeps its place
    update = {
        "state": "COMPLETE",
        "ticket": agent.ticket if again else ticket,
        "enqueued_at": agent.enqueued_at if again else now,
        "conflicts": agent.conflicts if again else 0,
        "tip": tip,
        "message": message,
        "handback": None,
        "ended": "",
        "why": "",
        "seen_at": now,
    }
    return session.with_agent(agent.model_copy(update=update), seen_at=now)


def withdraw(session: Session, agent: Agent, now: float) -> Session:
    """Removes the agent, and its entry if one waits, from the queue."""
    _require_open(session)
    if agent.ended == "withdrawn":
        return session
    if agent.ended:
        raise QueueRefusal("NOT_QUEUED", f"agent {agent.id} has nothing in the queue: it has ended ({agent.ended})")
    return end(session, agent, "withdrawn", "it was taken out", now)


def merged(
    session: Session, agent: Agent, commit: str, now: float, checks: tuple[ValidationRun, ...] | None
) -> Session:
    """Records that the merge `commit` brought the agent's commit into the integration branch. `checks` None: they are
    still to run."""
    assert agent.tip is not None
    assert agent.ticket is not None
    merge = Merge(
        ticket=agent.ticket, agent=agent.id, tip=agent.tip, commit=commit, before=session.tip, at=now, checks=checks
    )
    after = mark_already_merged(session, agent, commit, now)
    return after.model_copy(update={"tip": commit, "merges": (*session.merges, merge)})


def mark_already_merged(session: Session, agent: Agent, commit: str, now: float) -> Session:
    """Records that the integration branch has the agent's commit, through another agent's merge."""
    update = {"state": "MERGED", "merged": commit, "merged_at": now, "ended": "merged", "handback": None, "why": ""}
    return session.with_agent(agent.model_copy(update=update), seen_at=now)


def return_conflict(session: Session, agent: Agent, handback: Handback, now: float, limits: QueueLimits) -> Session:
    """Returns a conflict to its agent, or ends the entry if it came back too often."""
    count = agent.conflicts + 1
    last = count > limits.retries
    why = f"conflicts in {', '.join(handback.files[:5])}" + (f", after {limits.retries} retries" if last else "")
    update = {"state": "CONFLICT", "conflicts": count, "handback": handback, "why": why, "seen_at": now}
    ended: End = "conflict" if last else ""
    return session.with_agent(agent.model_copy(update={**update, "ended": ended}), seen_at=now)


def end(session: Session, agent: Agent, how: End, why: str, now: float) -> Session:
    """Ends an agent's entry without a merge."""
    return session.with_agent(agent.model_copy(update={"ended": how, "why": why}), seen_at=now)


def ask_end(session: Session, force: bool, now: float) -> Session:
    """Marks the session to be validated once nothing waits. With `force`, agents at work are withdrawn."""
    if session.verdict or session.ending:
        return session
    if session.at_work and not force:
        names = ", ".join(agent.id for agent in session.at_work)
        raise QueueRefusal("AT_WORK", f"still running: {names}. Wait for them, or end it by force")
    for agent in session.at_work:
        session = end(session, agent, "withdrawn", "the session was ended by force", now)
    return session.model_copy(update={"ending": True, "seen_at": now})


def checked(session: Session, merge: Merge, ran: tuple[ValidationRun, ...]) -> Session:
    """Records the affected checks of one merge; their errors are the branch's errors now."""
    merges = tuple(m.model_copy(update={"checks": ran}) if m.ticket == merge.ticket else m for m in session.merges)
    errors = _errors(ran) if ran else session.errors
    return session.model_copy(update={"merges": merges, "errors": errors})


def validated(session: Session, ran: tuple[ValidationRun, ...], now: float, limits: QueueLimits) -> Session:
    """Records a run of the whole pipeline: the session ends, or gets a repair round if it is red and one is left."""
    update = {"validation": ran, "errors": _errors(ran), "ending": False, "seen_at": now}
    red = [run for run in ran if not run.green]
    verdict: Verdict = "red" if red else "green" if ran else "unvalidated"
    if red and all(run.exit_code is None for run in red):
        verdict = "could-not-look"
    if red and verdict == "red" and session.round < limits.rounds:
        return session.model_copy(update={**update, "round": session.round + 1})
    return session.model_copy(update={**update, "verdict": verdict})


def abort(session: Session, why: str, now: float) -> Session:
    """Aborts a session; its entries end here, but their commits stay on their branches."""
    for agent in session.agents.values():
        if not agent.ended:
            session = end(session, agent, "broken", "its session was aborted", now)
    return session.model_copy(update={"verdict": "aborted", "problem": why, "ending": False})


def expire(session: Session, now: float, limits: QueueLimits) -> Session:
    """Ends agents, and finally the session, that have been inactive too long. Waiting entries are merged first."""
    if session.verdict:
        return session
    late = now - limits.stale_after
    for agent in session.at_work:
        if agent.seen_at < late:
            session = session.with_agent(agent.model_copy(update={"ended": "stale", "why": "no heartbeat"}))
    idle = not session.at_work and not session.waiting and not session.ending
    if idle and session.seen_at < late and all(agent.seen_at < late for agent in session.agents.values()):
        return session.model_copy(update={"verdict": "stale", "problem": "nothing happened for too long"})
    return session


def _errors(ran: tuple[ValidationRun, ...]) -> tuple[CIError, ...]:
    return tuple({error.id: error for run in ran for error in run.errors}.values())[:KEPT_ERRORS]


def _require_open(session: Session) -> None:
    if session.verdict:
        raise QueueRefusal("ENDED", f"session {session.id} has ended ({session.verdict}); start another one")
