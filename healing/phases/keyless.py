"""What is left where there is no model to ask: reports, each with what asking one would have cost (LM-7)."""

from dataclasses import dataclass

from healing.agents.estimate import DEFAULT_MODEL, estimate
from healing.model import CIError, Cluster, Unfixable
from healing.phases.baseline import unfixable
from healing.view import TreeView


@dataclass(frozen=True)
class MissingKey:
    """Why there is no team: the environment variable that is not set, and the model that would have been asked."""

    variable: str = "ANTHROPIC_API_KEY"
    model: str = DEFAULT_MODEL

    def cost(self, cluster: Cluster, errors: tuple[CIError, ...], view: TreeView) -> float:
        """Dollars that asking about the cluster would have cost, about."""
        return estimate([cluster], errors, view, self.model)

    def report(self, errors: tuple[CIError, ...], dollars: float) -> Unfixable:
        """Why its errors are left, and what to do."""
        return unfixable(
            errors,
            "no-key",
            "no rule-based fix worked, and no AI key is configured",
            "the repository's own tools and all fixers",
            f"Set {self.variable} where Heal runs, and run it again: about ${dollars:.2f}.",
        )
