"""Reports for runs without a model, each with an estimate of what the agents would have cost."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from healing.model import CIError, Cluster, Unfixable
from healing.pipeline.baseline import unfixable
from healing.policy.fixes import POLICY
from healing.repair.agents.estimate import DEFAULT_MODEL, estimate
from healing.view import TreeView

REEXPORT = (
    "an unused import in `__init__.py` may be a re-export, so tools leave it (remove it, or name it in `__all__`)"
)


@dataclass(frozen=True)
class NoModel:
    """Why no model is asked: `why` and `remedy` are parts of sentences, `reason` is the report's reason; `model` is the
    one that would have been asked."""

    why: str
    remedy: str
    reason: str = "no-key"
    model: str = DEFAULT_MODEL

    def cost(self, cluster: Cluster, errors: tuple[CIError, ...], view: TreeView) -> float:
        """Estimated dollars that agents would have cost for the cluster."""
        return estimate([cluster], errors, view, self.model)

    def report(self, errors: tuple[CIError, ...], dollars: float) -> Unfixable:
        """Why its errors are left, and what to do."""
        reexport = all(e.code == "F401" and PurePosixPath(e.file or "").name == "__init__.py" for e in errors)
        return unfixable(
            errors,
            self.reason,
            f"{REEXPORT if reexport else 'no rule-based fix worked'}, and {self.why}",
            "the tools' own fixes that Heal knows, and all its rules",
            f"{self.remedy}, and run Heal again: about ${dollars:.2f}.",
        )


def missing_key(variable: str = "ANTHROPIC_API_KEY", model: str = DEFAULT_MODEL) -> NoModel:
    """The case that the model's environment variable is not set."""
    return NoModel("no AI key is configured", f"Set {variable} in Heal's environment", model=model)


def none_allowed(names: tuple[str, ...], model: str = DEFAULT_MODEL) -> NoModel:
    """The case that the repository allows none of the operator's models, which have these names."""
    listed = ", ".join(names)
    return NoModel(
        f"`agents.models` in .github/heal.yml allows none of the models of this Heal ({listed})",
        "Name one of them there",
        POLICY,
        model,
    )
