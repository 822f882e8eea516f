"""Stored values: fixes with their status on GitHub, runs, and rate limits of questions."""

from typing import Literal, TypedDict

from healing.model import Frozen, Outcome, Proposal

ProposalStatus = Literal["pending", "offered", "applied", "rejected", "rolled-back", "outdated", "muted", "resolved"]
Delivery = Literal["suggestion", "fixup", "patch", "none"]
FixupState = Literal["new", "waiting", "red", "ready"]
ASKED = "asked"  # the `source` of the row that records a person's request among the failures of an attempt
UNFINISHED = ("gathering", "running")  # states of a run that is not over
STANDING: tuple[ProposalStatus, ...] = ("pending", "offered")  # undecided
EVERY: tuple[ProposalStatus, ...] = (*STANDING, "applied", "rejected", "rolled-back", "outdated", "muted", "resolved")


class StoredProposal(Frozen):
    """A proposal with its status on GitHub. `resolved`: people resolved its suggestion's threads without committing it,
    which is no rejection; unresolving one offers it again. `delivery` is how it was offered. `reference` is a commit
    (on a laptop a tree) at which it is known whether the proposal is applied: its edits or their reverse fit there."""

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
    """Changes of a stored proposal; missing keys stay unchanged."""

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
    without one). `state`: its CI wasn't checked yet (`new`); it waits for its CI; its CI is red; it is ready."""

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
    """How people decided on fixes of one kind (`fixer:missing_import ruff F821`); a revert counts as rejection."""

    kind: str
    accepted: int = 0
    rejected: int = 0


class Allowance(Frozen):
    """Whether a person's question is answered. `answer`: yes. `say`: no, and reply once that they may ask again at
    `until` (Unix time in seconds). `silent`: no, without a reply."""

    verdict: Literal["answer", "say", "silent"]
    until: float = 0.0


class Run(Frozen):
    """One run for one commit; `attempt` counts from 1. `started_at` is when the debounce window ended, in Unix seconds;
    a restart keeps it. `branch` is the checked branch if there is no pull request. `reason` is a sentence why the run
    ended without a result, or why errors are left."""

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
