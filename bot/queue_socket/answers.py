"""The queue's answers as JSON objects."""

from collections.abc import Iterable, Mapping

from healing.verify.queue.session import Agent, Merge, Session, ValidationRun

Answer = dict[str, object]
KEPT_MERGES = 1000


def status(sessions: Mapping[str, Session], problems: Mapping[str, str], only: str | None = None) -> Answer:
    """All sessions, or one: what `heal queue status --json` prints."""
    chosen = [session for name, session in sessions.items() if only in (None, name)]
    waiting = sorted((agent.ticket or 0, session.id, agent.id) for session in chosen for agent in session.waiting)
    return {
        "queue_length": len(waiting),
        "processing": waiting[0][2] if waiting else None,
        "agents": [_agent(agent, session) for session in chosen for agent in session.agents.values()],
        "sessions": [_session(session, problems.get(session.id, "")) for session in chosen],
    }


def position(sessions: Iterable[Session], agent: Agent) -> int:
    """The agent's place in the queue, from 1; 0 if it doesn't wait."""
    if not agent.waiting:
        return 0
    return sum((other.ticket or 0) <= (agent.ticket or 0) for session in sessions for other in session.waiting)


def details(agent: Agent, session: Session) -> Answer:
    """The result of an agent's entry."""
    checks = next((m.checks for m in session.merges if m.commit == agent.merged), None)
    return {
        "merge_commit": agent.merged,
        "feature_branch": session.feature,
        "ended": agent.ended,
        "why": agent.why,
        "files": list(agent.handback.files) if agent.handback else [],
        "conflict_count": agent.conflicts,
        "checks": None if checks is None else [_validation_run(one) for one in checks],
    }


def session_details(session: Session) -> Answer:
    """The result of a session, or what has to be repaired before it can end."""
    return {
        "verdict": session.verdict,
        "feature_branch": session.feature,
        "repair_round": session.round,
        "problem": session.problem,
        "validation": [_validation_run(one) for one in session.validation],
        "errors": [error.model_dump(mode="json", exclude_defaults=True) for error in session.errors],
    }


def _session(session: Session, problem: str) -> Answer:
    return {
        "session_id": session.id,
        "feature_branch": session.feature,
        "base_branch": session.base_branch,
        "base_commit": session.base,
        "tip": session.tip,
        "created_at": session.created_at,
        "state": session.state,
        "agents": [_agent(agent, session) for agent in session.agents.values()],
        "merged_commits": [_merge(merge) for merge in session.merges[-KEPT_MERGES:]],
        **session_details(session),
        "problem": session.problem or problem,
    }


def _agent(agent: Agent, session: Session) -> Answer:
    return {
        "agent_id": agent.id,
        "session_id": session.id,
        "worktree": agent.worktree,
        "branch": agent.branch,
        "status": agent.state,
        "ended": agent.ended,
        "why": agent.why,
        "ticket": agent.ticket,
        "tip": agent.tip,
        "commit_message": agent.message,
        "merged_at": agent.merged_at,
        "merge_commit": agent.merged,
        "conflict_count": agent.conflicts,
    }


def _merge(merge: Merge) -> Answer:
    checks = None if merge.checks is None else [_validation_run(one) for one in merge.checks]
    return {"ticket": merge.ticket, "agent_id": merge.agent, "commit": merge.commit, "at": merge.at, "checks": checks}


def _validation_run(run: ValidationRun) -> Answer:
    answer: Answer = {"stage": run.stage, "command": run.command, "exit_code": run.exit_code, "why": run.why}
    return answer if run.green else {**answer, "output": run.output}
