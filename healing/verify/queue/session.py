"""The queue's state as values: a session with its integration branch, its agents and its merges.

An agent's proposal is one *entry*: it gets a ticket when it is submitted, keeps it while conflicts are resolved, and
ends exactly once (`Agent.ended`). The state of a session is not stored: it follows from the rest.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from healing.model import CIError, Frozen

AgentState = Literal["WORKING", "COMPLETE", "MERGED", "CONFLICT"]
SessionState = Literal["WORKING", "MERGING", "VALIDATING", "COMPLETE"]
StageName = Literal["tests", "lint", "types"]
# How an agent's entry ended; empty: it hasn't. conflict: handed back once too often. broken: git can't merge it.
End = Literal["", "merged", "conflict", "withdrawn", "stale", "broken"]
# How a session ended; empty: it hasn't. unvalidated: no command was configured. aborted: see `problem`.
Verdict = Literal["", "green", "red", "unvalidated", "could-not-look", "stale", "aborted"]


class QueueLimits(Frozen):
    """Bounds of a queue; times are seconds."""

    depth: int = 100  # waiting entries
    agents: int = 8  # at work at a time
    retries: int = 3  # how often an entry may come again after a conflict
    rounds: int = 2  # how often a red validation sends a session back to work
    stale_after: float = 3600
    merge_seconds: float = 120  # then a merge is considered hung


class Handback(Frozen):
    """Why an entry was handed back: merging the commit `theirs` into `ours` conflicts in these files."""

    base: str
    ours: str
    theirs: str
    files: tuple[str, ...]


class Agent(Frozen):
    """One agent; the times are Unix time. `base` is the integration branch's commit at its start."""

    id: str
    branch: str
    worktree: str
    base: str
    state: AgentState = "WORKING"
    ticket: int | None = None
    tip: str | None = None  # the submitted commit
    message: str = ""  # its message
    conflicts: int = 0  # how often this entry was handed back
    handback: Handback | None = None
    merged: str | None = None  # the merge commit
    merged_at: float | None = None
    ended: End = ""
    why: str = ""
    seen_at: float
    enqueued_at: float | None = None

    @property
    def waiting(self) -> bool:
        """Whether its entry is in the queue."""
        return self.state == "COMPLETE" and not self.ended

    @property
    def at_work(self) -> bool:
        """Whether it has a proposal to make or a conflict to resolve."""
        return self.state in ("WORKING", "CONFLICT") and not self.ended


class ValidationRun(Frozen):
    """One command of the validation on one commit. `exit_code` None: it did not finish, for the reason in `why`."""

    stage: StageName
    command: str
    exit_code: int | None
    why: str = ""
    output: str = ""  # its end
    errors: tuple[CIError, ...] = ()

    @property
    def green(self) -> bool:
        return self.exit_code == 0 and not self.why


class Merge(Frozen):
    """One merge of the integration branch. `checks` None: the affected ones have not run yet."""

    ticket: int
    agent: str
    tip: str
    commit: str
    before: str
    at: float
    checks: tuple[ValidationRun, ...] | None = None


class Session(Frozen):
    """Agents that work towards one branch `feature`, which began at the commit `base` and is now at `tip`."""

    id: str
    feature: str
    base_branch: str
    base: str
    tip: str
    created_at: float
    seen_at: float
    ending: bool = False  # its end was requested: validate as soon as nothing waits
    round: int = 0  # repair rounds so far
    validation: tuple[ValidationRun, ...] = ()  # the last run of the whole pipeline
    errors: tuple[CIError, ...] = ()  # what is red on the integration branch, for the repair round
    verdict: Verdict = ""
    problem: str = ""
    agents: Mapping[str, Agent] = Field(default_factory=dict)
    merges: tuple[Merge, ...] = ()

    @property
    def state(self) -> SessionState:
        """The session's progress, as clients of the socket read it."""
        if self.verdict:
            return "COMPLETE"
        if self.waiting:
            return "MERGING"
        return "VALIDATING" if self.ending and not self.at_work else "WORKING"

    @property
    def waiting(self) -> tuple[Agent, ...]:
        """Agents whose entries wait, the next one first."""
        return tuple(sorted((a for a in self.agents.values() if a.waiting), key=lambda a: a.ticket or 0))

    @property
    def at_work(self) -> tuple[Agent, ...]:
        return tuple(agent for agent in self.agents.values() if agent.at_work)

    @property
    def unchecked(self) -> Merge | None:
        """The oldest merge whose checks have not run."""
        return next((merge for merge in self.merges if merge.checks is None), None)

    def with_agent(self, agent: Agent, **more: object) -> "Session":
        """The session with this agent added or updated."""
        return self.model_copy(update={"agents": {**self.agents, agent.id: agent}, **more})
