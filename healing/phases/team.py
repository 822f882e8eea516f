"""Whom the agents of a run ask: models in order, one budget for all of them."""

from dataclasses import dataclass

from healing.agents.docs import Docs
from healing.agents.means import Means
from healing.llm.batches import PollPolicy
from healing.llm.budget import Budget
from healing.llm.choice import Ladder, ModelTier
from healing.phases.spreading import names_of
from healing.review.reviewer import Reviewer, Shown
from healing.steps import Steps


@dataclass
class Team:
    """The models that agents ask, the one budget that they share, and documentation where the operator has some.
    `simple_seconds` bounds one call about simple errors."""

    ladder: Ladder
    budget: Budget
    docs: Docs | None = None
    simple_seconds: float = 600.0
    overnight: PollPolicy | None = None  # how a batch is waited for; None: nobody waits for batches

    @property
    def names(self) -> tuple[str, ...]:
        """Who is asked, and with which means."""
        return names_of(self.ladder, self.docs is not None)

    def reviewer(self, steps: Steps, shown: Shown) -> Reviewer:
        """Who gives second opinions: the first model, the cheap one where the operator named one, in a call of its own.
        `shown` gives errors as models may read them."""
        return Reviewer(self.ladder.first, self.budget, steps, shown)

    def means(self, tier: ModelTier, steps: Steps) -> Means:
        """What an agent on one tier works with."""
        return Means(tier.model, steps, self.budget, self.docs, tier.retry)
