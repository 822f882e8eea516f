"""The models that a run's agents ask, in order, with one budget for all of them."""

from dataclasses import dataclass

from healing.llm.batches import PollPolicy
from healing.llm.budget import Budget
from healing.llm.fallback import FallbackChain, ModelTier
from healing.pipeline.agent_work.spreading import names_of
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.docs import Docs
from healing.repair.review.reviewer import Reviewer, Shown
from healing.steps import Steps


@dataclass
class ModelSet:
    """The models that agents ask, their shared budget, and documentation where the operator configured some.
    `simple_seconds` bounds one call about simple errors."""

    fallback_chain: FallbackChain
    budget: Budget
    docs: Docs | None = None
    simple_seconds: float = 600.0
    overnight: PollPolicy | None = None  # how to wait for a batch; None: no batches

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names in order, and whether documentation can be looked up."""
        return names_of(self.fallback_chain, self.docs is not None)

    def reviewer(self, steps: Steps, shown: Shown) -> Reviewer:
        """The reviewer for second opinions: the first model (the cheap one where the operator named one), in separate
        calls. `shown` gives errors as models may read them."""
        return Reviewer(self.fallback_chain.first, self.budget, steps, shown)

    def agent_context(self, tier: ModelTier, steps: Steps) -> AgentContext:
        """What an agent on one tier works with."""
        return AgentContext(tier.model, steps, self.budget, self.docs, tier.retry)
