"""Whom the agents of a run ask: models in order, one budget for all of them."""

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
    """The models that agents ask, the one budget that they share, and documentation where the operator has some.
    `simple_seconds` bounds one call about simple errors."""

    fallback_chain: FallbackChain
    budget: Budget
    docs: Docs | None = None
    simple_seconds: float = 600.0
    overnight: PollPolicy | None = None  # how a batch is waited for; None: nobody waits for batches

    @property
    def names(self) -> tuple[str, ...]:
        """Who is asked, and with which means."""
        return names_of(self.fallback_chain, self.docs is not None)

    def reviewer(self, steps: Steps, shown: Shown) -> Reviewer:
        """Who gives second opinions: the first model, the cheap one where the operator named one, in a call of its own.
        `shown` gives errors as models may read them."""
        return Reviewer(self.fallback_chain.first, self.budget, steps, shown)

    def agent_context(self, tier: ModelTier, steps: Steps) -> AgentContext:
        """What an agent on one tier works with."""
        return AgentContext(tier.model, steps, self.budget, self.docs, tier.retry)
