"""A cluster for another worker: all that it has to know as one value, and the port by which it is asked.

Whoever goes ahead through a cluster walks exactly the run's own way, and every answer and every check on it is a
durable step. The run then walks it too, finds all of that done, and merges: so what is merged is decided in one place,
in one order, and nothing is lost where the other one dies on the way.
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

IN_TURN = ("single", "sequential")  # strategies whose first specialist begins alone, from the phase's own tree


class ClusterJob(Frozen):
    """One cluster of a phase: its number there, the tree that its first agent starts from, the proposals (by id) that
    are in that tree, its specialists."""

    number: int
    base: str
    accepted: tuple[str, ...] = ()
    task: AgentTask
    candidates: tuple[Profile, ...]
    strategy: Strategy

    @property
    def key(self) -> str:
        """The same for the same cluster of the same phase, begun on the same tree."""
        return content_id(self.task.cluster.phase, self.number, self.task.cluster.id, self.task.ids(), self.base)

    @property
    def alone_first(self) -> bool:
        """Whether its first agent does the same wherever it works: nobody works on the cluster beside it."""
        return len(self.candidates) == 1 or self.strategy in IN_TURN


class FileState(Frozen):
    """A file as it is in a tree; `content` None: it isn't there."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")

    path: str
    content: bytes | None
    mode: str = "100644"


class ClusterOrder(Frozen):
    """A cluster with the state of its run: anyone who has the branch's commits can work on it. `changes` make the job's
    tree of the head's; `checks`, `errors`, `shown_by` and `accepted` are the verifier's; `phase` is all that is worked
    on
    in this one; `check_seconds` is what checks have taken so far. `models` names who is asked: whoever would ask others
    leaves it. `dollars` is the part of the run's budget that may be spent on it, None: any."""

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


class Spread(Protocol):
    """Where clusters of a run can be worked on."""

    async def wanted(self, job: ClusterJob) -> bool:
        """Whether somebody else is to go ahead through that cluster. Says the same in every life of the run: who was
        asked once may still be at it."""
        ...

    async def go_ahead(self, order: ClusterOrder) -> None:
        """Has somebody work on a cluster ahead of its run. Returns when that is over, however it went."""
        ...


class AtHome:
    """`Spread` where there is one worker: nobody goes ahead."""

    async def wanted(self, job: ClusterJob) -> bool:
        del job
        return False

    async def go_ahead(self, order: ClusterOrder) -> None:
        del order


def order_of(
    job: ClusterJob, verifier: Verifier, phase: tuple[AgentTask, ...], rules: AgentRules, models: tuple[str, ...]
) -> ClusterOrder | None:
    """The order; None where the tree holds something that edits can't say."""
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
        accepted=tuple(one for one in verifier.accepted if one.id in job.accepted),
        job=job,
        phase=tuple(task.model_copy(update={"contexts": (), "history": "", "examples": ""}) for task in phase),
        rules=rules,
        models=models,
        check_seconds=sum(verifier.checker.seconds.values()),
    )


def changes_of(git: Git, head: str, tree: str) -> tuple[FileState, ...] | None:
    """What makes `tree` of `head`; None where edits can't say it."""
    try:
        changed = git.changed(head, tree)
        modes = git.modes(tree, changed)
        found = tuple(FileState(path=p, content=new, mode=modes.get(p, "100644")) for p, (_, new) in changed.items())
        return found if made_of(git, head, found) == tree else None
    except GitError:
        return None


def made_of(git: Git, head: str, changes: tuple[FileState, ...]) -> str:
    """The tree that the changes make of `head`. Raises GitError."""
    modes = {one.path: one.mode for one in changes if one.content is not None}
    return git.write_tree(head, {one.path: one.content for one in changes}, modes)


def names_of(fallback_chain: FallbackChain, documented: bool) -> tuple[str, ...]:
    """Who is asked, in order, and with which means."""
    found = [name.name for tier in fallback_chain.tiers for name in (tier.model, tier.second_model) if name is not None]
    return (*found, *(("documentation",) if documented else ()))
