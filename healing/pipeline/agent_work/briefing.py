"""Builds what the agents of a cluster are given: its errors with the code around them, what is remembered, and which
specialists work on it."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from healing.model import CIError, Cluster
from healing.pipeline.agent_work.commands_here import commands_here, whole_commands
from healing.pipeline.agent_work.spreading import ClusterJob
from healing.repair.agents.changes import diff_of
from healing.repair.agents.contexts import excerpts
from healing.repair.agents.history import remembered, remembered_records
from healing.repair.agents.house_style import house_style
from healing.repair.agents.memory import Memory
from healing.repair.agents.profiles import GENERALIST, Profile, load_profile
from healing.repair.agents.routing import route
from healing.repair.agents.rules import AgentRules
from healing.repair.agents.task import AgentTask
from healing.repair.agents.warming import trunk_ttl
from healing.steps import Steps
from healing.verify.verifier import Verifier

MAX_LABELS = 50  # CI steps that an agent is shown

log = logging.getLogger("heal.agents")


@dataclass(frozen=True)
class Briefing:
    """Builds the jobs of one run. `hint` is a person's hint; `notes` is what an agent on an error (by id) should
    know."""

    verifier: Verifier
    steps: Steps
    rules: AgentRules
    memory: Memory | None
    profiles: tuple[Profile, ...]
    hint: str
    notes: Mapping[str, str]

    async def job(self, number: int, cluster: Cluster, left: dict[str, CIError], base: str) -> ClusterJob:
        """A cluster as a job, with what is remembered about it and the specialists that it is routed to, the generalist
        last."""
        task = await self._task(cluster, left, base)
        profiles = {profile.name: profile for profile in self.profiles}
        rules = self.rules
        records = await remembered_records(self.memory, self.steps)
        routing = route(task.cluster, task.errors, self.profiles, records, rules.min_confidence, rules.candidates)
        log.info("routed", extra={"run_id": self.verifier.checker.run_id, "routing": routing.model_dump(mode="json")})
        names = dict.fromkeys((*routing.chosen, GENERALIST))
        candidates = tuple(profiles[name] for name in names)[: rules.candidates]
        ttl = await trunk_ttl(self.steps, cluster.id, self.verifier.checker.seconds.values())
        task = task.model_copy(update={"profile": candidates[0], "routing": routing, "trunk_ttl": ttl})
        return ClusterJob(
            number=number,
            base=base,
            accepted=tuple(proposal.id for proposal in self.verifier.accepted),
            task=await remembered(self.memory, self.steps, task),
            candidates=candidates,
            strategy=rules.strategy_of(routing.chosen),
        )

    async def _task(self, cluster: Cluster, left: dict[str, CIError], base: str) -> AgentTask:
        errors = tuple(left[i] for i in cluster.error_ids if i in left)
        checks = self.verifier.whole_checks_of(errors)
        whole = whole_commands(self.verifier.checks)
        whole = whole if len(whole) <= MAX_LABELS else ()
        allowed = await commands_here(self.verifier, checks or self.verifier.checks, self.rules.allowed())
        task = AgentTask(
            cluster=cluster.model_copy(update={"error_ids": tuple(e.id for e in errors)}),
            errors=errors,
            hint=self.hint,
            findings="\n".join(dict.fromkeys(filter(None, (self.notes.get(e.id) for e in errors)))),
            steps=tuple(dict.fromkeys(check.title for check in self.verifier.checks))[:MAX_LABELS],
            commands=tuple(dict.fromkeys((*whole, *allowed))),
            steps_are_commands=bool(whole),
            never_touched=self.verifier.policy.never_touch.paths,
            profile=load_profile(GENERALIST),
        )
        return with_code(task, base, self.verifier)


def with_code(task: AgentTask, tree: str, verifier: Verifier) -> AgentTask:
    """The task with the code as it is in that tree, without files that no model may see."""
    view = verifier.git.view(tree)
    shown = verifier.unsent.hide(view)
    code = excerpts(task.cluster, task.errors, shown, view.paths())
    files = (*task.cluster.zone, *(excerpt.file for excerpt in code))
    return task.model_copy(
        update={"contexts": code, "change": _change(files, verifier), "style": house_style(files, _base(verifier))}
    )


def _base(verifier: Verifier) -> Callable[[str], bytes | None]:
    """Reads files of the base branch, which no pull request can change; of the head where there is no base."""
    return verifier.unsent.hide(verifier.git.view(verifier.trees.before or verifier.trees.head))


def _change(files: Iterable[str], verifier: Verifier) -> str:
    """What the branch changed in these files since its merge base; empty where that is unknown."""
    trees = verifier.trees
    if trees.merge_base is None:
        return ""
    before, after = (verifier.unsent.hide(verifier.git.view(tree)) for tree in (trees.merge_base, trees.head))
    return diff_of(files, before, after)
