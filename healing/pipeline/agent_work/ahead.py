"""Prefetches a cluster of a run that another worker has: agents ask models and prove fixes here, and nothing is merged.

It only leaves durable steps in the run's store (`healing.pipeline.agent_work.spreading`).
"""

import asyncio
from dataclasses import dataclass

from healing.checks.running import Checker
from healing.git import Git, GitError
from healing.pipeline.agent_work.agent_runner import AgentRunner
from healing.pipeline.agent_work.error_texts import ErrorTexts
from healing.pipeline.agent_work.model_set import ModelSet
from healing.pipeline.agent_work.spreading import ClusterOrder, names_of, tree_with_changes
from healing.policy.fixes import FixPolicy
from healing.policy.unsent import UnsentFiles
from healing.repair.agents.strategies.attempt import unwrapped
from healing.steps import MemorySteps
from healing.verify.queue.integration import Integration
from healing.verify.verifier import Verifier


@dataclass
class Prefetcher:
    """Prefetches clusters with this worker's own tools. `model_set` has the part of the run's budget that is lent to
    it."""

    git: Git
    checker: Checker
    model_set: ModelSet
    unsent: UnsentFiles
    policy: FixPolicy

    async def work(self, order: ClusterOrder) -> bool:
        """The first attempt at the cluster's first part: what follows depends on what the run has merged by then.
        Returns False where it can't be done as the run would do it: the tree can't be made here, or other models would
        be asked. Raises what agents raise."""
        job = order.job
        if order.models != names_of(self.model_set.fallback_chain, self.model_set.docs is not None):
            return False
        try:
            tree = await asyncio.to_thread(tree_with_changes, self.git, order.trees.head, order.changes)
        except GitError:
            return False
        if tree != job.base:
            return False
        self.checker.seconds["before"] = order.check_seconds
        verifier, steps = await self._verifier(order), self.checker.steps
        runner = AgentRunner(verifier, self.model_set, steps, order.rules, None, order.phase)
        part = job.task.batches(order.rules.batch)[0]
        await runner.agent(job, part.model_copy(update={"profile": job.candidates[0]}), 0, unwrapped)
        return True

    async def _verifier(self, order: ClusterOrder) -> Verifier:
        """The run's verifier as it was, with a branch of its own, so that what is merged there stays here."""
        errors = {error.id: error for error in order.errors}
        verifier = Verifier(self.git, self.checker, order.trees, order.checks, errors, order.shown_by, self.unsent)
        verifier.policy = self.policy
        verifier.branch = Integration(self.git, order.trees.head, MemorySteps())
        await verifier.branch.continue_from(order.job.base, order.accepted)
        verifier.reviewer = self.model_set.reviewer(self.checker.steps, ErrorTexts(verifier).shown)
        return verifier
