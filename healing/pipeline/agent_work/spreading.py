"""A cluster as work for another worker: everything that it needs as one value, and the interface for handing it over.

A worker that prefetches a cluster goes exactly the way that the run itself goes, and every model reply and check is a
durable step. The run then goes the same way, finds these steps done, and merges. So merging is decided in one place and
one order, and nothing is lost if the other worker dies.
"""

from typing import Protocol

from pydantic import ConfigDict

from healing.checks.check import Check
from healing.failed_jobs import Trees
from healing.git import Git, GitError
from healing.llm.fallback import FallbackChain
from healing.model import CIError, Frozen, Proposal, content_id
from healing.repair.agents.profiles import Profile
from healing.repair.agents.rules import AgentRules
from healing.repair.agents.strategies import Strategy
from healing.repair.agents.task import AgentTask
from healing.verify.verifier import Verifier

IN_TURN = ("single", "sequential")  # strategies whose first specialist starts alone, from the phase's own tree


class ClusterJob(Frozen):
    """One cluster of a phase: its number there, the tree that its first agent starts from, the proposals (by id) that
    are in that tree, and its specialists."""

    number: int
    base: str
    accepted: tuple[str, ...] = ()
    task: AgentTask
    candidates: tuple[Profile, ...]
    strategy: Strategy

    @property
    def key(self) -> str:
        """The same for the same cluster of the same phase, started on the same tree."""
        return content_id(self.task.cluster.phase, self.number, self.task.cluster.id, self.task.ids(), self.base)

    @property
    def alone_first(self) -> bool:
        """Whether its first agent does the same wherever it runs, because no other agent works on the cluster at the
        same time."""
        return len(self.candidates) == 1 or self.strategy in IN_TURN


class FileState(Frozen):
    """A file as it is in a tree; `content` None: it doesn't exist."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")

    path: str
    content: bytes | None
    mode: str = "100644"


class ClusterOrder(Frozen):
    """A cluster with the state of its run: any worker with the branch's commits can work on it. `changes` turn the
    head's tree into the job's tree; `checks`, `errors`, `shown_by` and `accepted` are the verifier's; `phase` is
    everything that is worked on in this phase; `check_seconds` is what checks have taken so far. `models` names the
    models that are asked: a worker that would ask others leaves the order. `dollars` is the part of the run's budget
    that may be spent on it, None: no limit."""

    run_id: str
    trees: Trees
    changes: tuple[FileState, ...]
    checks: tuple[Check, ...]
    errors: tuple[CIError, ...]
    shown_by: dict[str, frozenset[str]]
    accepted: tuple[Proposal, ...]
    job: ClusterJob
    phase: tuple[AgentTask, ...]
    rules: AgentRules
    models: tuple[str, ...]
    check_seconds: float = 0.0
    dollars: float | None = None


class Distributor(Protocol):
    """Other workers that a run's clusters can be handed to."""

    async def wanted(self, job: ClusterJob) -> bool:
        """Whether another worker is to prefetch that cluster. Returns the same in every replay of the run, since a
        worker that was asked before may still be working on it."""
        ...

    async def prefetch(self, order: ClusterOrder) -> None:
        """Has another worker prefetch a cluster. Returns when that is over, whatever the result."""
        ...


class NoDistributor:
    """`Distributor` for a single worker: nothing is prefetched."""

    async def wanted(self, job: ClusterJob) -> bool:
        del job
        return False

    async def prefetch(self, order: ClusterOrder) -> None:
        del order


def order_of(
    job: ClusterJob, verifier: Verifier, phase: tuple[AgentTask, ...], rules: AgentRules, models: tuple[str, ...]
) -> ClusterOrder | None:
    """The order; None where the difference between the trees can't be written as edits."""
    head = verifier.trees.head
    if (changes := changes_of(verifier.git, head, job.base)) is None:
        return None
    return ClusterOrder(
        run_id=verifier.checker.run_id,
        trees=verifier.trees,
        changes=changes,
        checks=verifier.checks,
        errors=tuple(verifier.errors.values()),
        shown_by=verifier.shown_by,
        accepted=tuple(proposal for proposal in verifier.accepted if proposal.id in job.accepted),
        job=job,
        phase=tuple(task.model_copy(update={"contexts": (), "history": "", "examples": ""}) for task in phase),
        rules=rules,
        models=models,
        check_seconds=sum(verifier.checker.seconds.values()),
    )


def changes_of(git: Git, head: str, tree: str) -> tuple[FileState, ...] | None:
    """The changes that turn `head` into `tree`; None where they can't be written as edits."""
    try:
        changed = git.changed(head, tree)
        modes = git.modes(tree, changed)
        states = tuple(FileState(path=p, content=new, mode=modes.get(p, "100644")) for p, (_, new) in changed.items())
        return states if tree_with_changes(git, head, states) == tree else None
    except GitError:
        return None


def tree_with_changes(git: Git, head: str, changes: tuple[FileState, ...]) -> str:
    """The tree that results from applying the changes to `head`. Raises GitError."""
    modes = {change.path: change.mode for change in changes if change.content is not None}
    return git.write_tree(head, {change.path: change.content for change in changes}, modes)


def names_of(fallback_chain: FallbackChain, documented: bool) -> tuple[str, ...]:
    """The names of the models that are asked, in order, plus `documentation` where it can be looked up."""
    models = [
        model.name for tier in fallback_chain.tiers for model in (tier.model, tier.second_model) if model is not None
    ]
    return (*models, *(("documentation",) if documented else ()))
