"""What Heal remembers, as values: fixes with their life on GitHub, runs, and what a person may still ask."""

from typing import Literal, TypedDict

from healing.model import Frozen, Outcome, Proposal

ProposalStatus = Literal["pending", "offered", "applied", "rejected", "rolled-back", "outdated", "muted", "resolved"]
Delivery = Literal["suggestion", "fixup", "patch", "none"]
FixupState = Literal["new", "waiting", "red", "ready"]
ASKED = "asked"  # the `source` of the row that records a person's wish among the failures of an attempt
UNFINISHED = ("gathering", "running")  # states of a run that is not over
STANDING: tuple[ProposalStatus, ...] = ("pending", "offered")  # still to be decided by a person
EVERY: tuple[ProposalStatus, ...] = (*STANDING, "applied", "rejected", "rolled-back", "outdated", "muted", "resolved")


class StoredProposal(Frozen):
    """A proposal with its life on GitHub. `resolved`: people resolved its suggestion's threads without committing it,
    which is no rejection; it is back when they open one again. `delivery` is how it was offered; `reference` is a
    commit (on a laptop a tree) at which it is known whether it is applied: one of its two directions fits there, and
    its text says which."""

    proposal: Proposal
    run_id: str
    attempt: int
    number: int
    status: ProposalStatus
    delivery: Delivery = "none"
    comment_id: int | None = None
    fixup_number: int | None = None
    reason: str = ""
    applied_sha: str | None = None
    reference: str | None = None


class ProposalChange(TypedDict, total=False):
    """What may change in a stored proposal's life; what is not named stays as it is."""

    proposal: Proposal
    run_id: str
    attempt: int
    status: ProposalStatus
    delivery: Delivery
    comment_id: int | None
    fixup_number: int | None
    reason: str
    applied_sha: str | None
    reference: str | None


class Fixup(Frozen):
    """An open fixup pull request of Heal's: `number` is its own, `target` the pull request that it is for (0: a branch
    without one). `state`: nobody has looked at its CI yet; it waits for its CI; its CI is red; it is ready."""

    number: int
    target: int
    branch: str
    head_sha: str
    state: FixupState = "new"


class CIWait(Frozen):
    """A head of a pull request on which CI is expected to start, because a fix was applied or reverted there."""

    number: int
    sha: str


class Tally(Frozen):
    """How people decided on fixes of one kind (`fixer:missing_import ruff F821`); taking one back is a no."""

    kind: str
    accepted: int = 0
    rejected: int = 0


class Allowance(Frozen):
    """Whether a person may ask now. `answer`: yes. `say`: no, and tell them once that it is until `until` (Unix time
    in seconds). `silent`: no, and they know."""

    verdict: Literal["answer", "say", "silent"]
    until: float = 0.0


class Run(Frozen):
    """One healing of one commit; `attempt` counts from 1. `started_at` is when gathering ended, in seconds since
    the Epoch: a later life of the run keeps it. `branch` is the one without a pull request that was checked. `reason`
    says in a sentence why it ended without a result."""

    repo_id: int
    full_name: str
    installation_id: int
    sha: str
    attempt: int
    number: int | None
    state: Literal["gathering", "running", "done", "superseded", "stopped"]
    run_id: str | None = None
    started_at: float | None = None
    outcome: Outcome | None = None
    branch: str | None = None
    reason: str | None = None
