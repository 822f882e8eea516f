"""The paid phases, fast and slow, and bounded further rounds for what shows up only when they are done."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from healing.causes import find_causes
from healing.causes.hierarchy import explain
from healing.clusters import make_clusters, remark
from healing.graph import import_graph
from healing.model import CIError, Cluster, Proposal, RootCause
from healing.pipeline.agent_work.agent_pool import AgentPool
from healing.pipeline.agent_work.planning import lone_agent
from healing.pipeline.free import Free
from healing.pipeline.remaining import Remaining
from healing.verify.protection import Protection

PHASES = ("fast", "slow")
REPAIR_ROUNDS = 2


@dataclass
class Rounds:
    """`causes` and `clusters` are all that agents were given; `lap` is called when a phase ends. `remark` says where
    the import graph could not help to cut them."""

    free: Free
    agent_pool: AgentPool
    protection: Protection
    remaining: Remaining
    lap: Callable[[str], None]
    causes: tuple[RootCause, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    remark: str = ""

    async def work(self, left: tuple[CIError, ...]) -> tuple[CIError, ...]:
        """Works on these errors, then on what was revealed or broken meanwhile. Gives what is left."""
        todo = left
        for _ in range(1 + REPAIR_ROUNDS):
            clusters = await self._cluster(todo)
            left, withdrawn = await self._round(clusters, left)
            todo = self._new(left, withdrawn)
            if not todo or self.protection.stopped:
                break
        return left

    async def _round(
        self, clusters: tuple[Cluster, ...], left: tuple[CIError, ...]
    ) -> tuple[tuple[CIError, ...], tuple[Proposal, ...]]:
        withdrawn: tuple[Proposal, ...] = ()
        for phase in PHASES:
            before, mine = left, [c for c in clusters if c.phase == phase]
            if mine:
                await self.agent_pool.work(mine, left)
                withdrawn += await self.protection.settle()
                left = await self.remaining.after(phase)
            self.lap(phase)
            if mine and not self.protection.goes_on(before, left):
                break
        return left, withdrawn

    def _new(self, left: tuple[CIError, ...], withdrawn: Iterable[Proposal]) -> tuple[CIError, ...]:
        """What no agent has had yet. Where fixes were withdrawn, also what they had fixed: what is left then without a
        report was taken for fixed."""
        withdrawn = tuple(withdrawn)
        again = {i: p for p in withdrawn for i in p.error_ids}
        self.agent_pool.notes |= {
            i: f"The fix '{p.title}' was proven alone and withdrawn: with the other fixes it broke something."
            for i, p in again.items()
        }
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
        agent_of = lone_agent(self.agent_pool.profiles, self.agent_pool.rules)
        clusters = make_clusters(causes, errors, graph, batching=self.agent_pool.rules.batching, agent_of=agent_of)
        self.remark = self.remark or remark(graph, clusters)
        self.causes, self.clusters = (*self.causes, *causes), (*self.clusters, *clusters)
        return clusters
