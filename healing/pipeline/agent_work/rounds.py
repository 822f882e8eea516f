"""The paid phases, fast and slow, and a bounded number of further rounds for errors that show only afterwards."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from healing.causes import find_causes
from healing.causes.hierarchy import explain
from healing.clusters import make_clusters, remark
from healing.graph import import_graph
from healing.model import CIError, Cluster, Proposal, RootCause
from healing.pipeline.agent_work.agent_pool import AgentPool
from healing.pipeline.agent_work.planning import specialist_chooser
from healing.pipeline.free import Free
from healing.pipeline.remaining import Remaining
from healing.repair.agents.fences import one_line
from healing.verify.protection import Protection

PHASES = ("fast", "slow")
REPAIR_ROUNDS = 2
HARMFUL = "proven alone and withdrawn: with the other fixes it broke something."
Withdrawn = tuple[Proposal, str]  # with the reason that agents are given


@dataclass
class Rounds:
    """`causes` and `clusters` are everything that agents were given; `lap` is called when a phase ends. `remark` is set
    where the import graph could not help to form them."""

    free: Free
    agent_pool: AgentPool
    protection: Protection
    remaining: Remaining
    lap: Callable[[str], None]
    causes: tuple[RootCause, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    remark: str = ""
    known_withdrawn: int = 0  # number of withdrawals by authors that were handled

    async def work(self, left: tuple[CIError, ...]) -> tuple[CIError, ...]:
        """Works on these errors, then on what was revealed or broken meanwhile. Returns what is left."""
        todo = left
        for _ in range(1 + REPAIR_ROUNDS):
            clusters = await self._cluster(todo)
            left, withdrawn = await self._round(clusters, left)
            todo = self.new(left, withdrawn)
            if not todo or self.protection.stopped:
                break
        return left

    async def _round(
        self, clusters: tuple[Cluster, ...], left: tuple[CIError, ...]
    ) -> tuple[tuple[CIError, ...], list[Withdrawn]]:
        withdrawn: list[Withdrawn] = []
        for phase in PHASES:
            before, phase_clusters = left, [c for c in clusters if c.phase == phase]
            if phase_clusters:
                await self.agent_pool.work(phase_clusters, left)
                withdrawn += self.withdrawn_by_authors()
                withdrawn += [(p, HARMFUL) for p in await self.protection.settle()]
                left = await self.remaining.after(phase)
            self.lap(phase)
            if phase_clusters and not self.protection.goes_on(before, left):
                break
        return left, withdrawn

    def withdrawn_by_authors(self) -> list[Withdrawn]:
        """Fixes that their authors withdrew since the last call."""
        new = self.free.verifier.withdrawn[self.known_withdrawn :]
        self.known_withdrawn += len(new)
        return [(proposal, f"accepted, and then {one_line(why)}") for proposal, why in new]

    def new(self, left: tuple[CIError, ...], withdrawn: list[Withdrawn]) -> tuple[CIError, ...]:
        """Errors that no agent has had yet. Where fixes were withdrawn, also the errors that these had fixed: without a
        report they had counted as fixed."""
        self.agent_pool.notes |= {i: f"The fix '{p.title}' was {why}" for p, why in withdrawn for i in p.error_ids}
        had = set() if withdrawn else {i for cluster in self.clusters for i in cluster.error_ids}
        reported = {i for report in self.agent_pool.reports for i in report.error_ids}
        return tuple(e for e in left if e.id not in had | reported)

    async def _cluster(self, errors: tuple[CIError, ...]) -> tuple[Cluster, ...]:
        view = self.free.verifier.git.view(self.free.verifier.integration)
        causes = find_causes(errors, view)
        if not causes:
            return ()
        graph = await asyncio.to_thread(import_graph, view, self.free.imports)
        causes = explain(causes, errors, graph)
        agent_of = specialist_chooser(self.agent_pool.profiles, self.agent_pool.rules)
        clusters = make_clusters(causes, errors, graph, batching=self.agent_pool.rules.batching, agent_of=agent_of)
        self.remark = self.remark or remark(graph, clusters)
        self.causes, self.clusters = (*self.causes, *causes), (*self.clusters, *clusters)
        return clusters
