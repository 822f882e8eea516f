"""Reports for runs without a model, each with an estimate of what the agents would have cost."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from healing.model import CIError, Cluster, Unfixable
from healing.pipeline.baseline import unfixable
from healing.policy.fixes import POLICY
from healing.repair.agents.estimate import DEFAULT_MODEL, estimate
from healing.repair.fixers.any_language.merge_mark import lone_marks
from healing.verify.syntax import problem
from healing.view import TreeView

REEXPORT = (
    "an unused import in `__init__.py` may be a re-export, so tools leave it (remove it, or name it in `__all__`)"
)
MARKS = (b"<<<<<<< ", b"=======", b">>>>>>> ")  # of a conflict, in this order, as git writes them
MAX_READ = 1 << 20  # bytes of a file


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

    def report(self, errors: tuple[CIError, ...], dollars: float, view: TreeView, beyond: str = "") -> Unfixable:
        """Why its errors, which are of the tree of `view`, are left, and what to do. `beyond`: what a rule came to that
        got past one of them."""
        return unfixable(
            errors,
            self.reason,
            f"{_why_left(errors, view)}, and {self.why}",
            f"the tools' own fixes that Heal knows, and all its rules{beyond and f'; {beyond}'}",
            f"{self.remedy}, and run Heal again: about ${dollars:.2f}.",
        )


def _why_left(errors: tuple[CIError, ...], view: TreeView) -> str:
    for file in dict.fromkeys(error.file for error in errors if error.file):
        if count := _conflicts((view.read(file) or b"")[:MAX_READ]):
            several = "an unresolved merge conflict" if count == 1 else f"{count} unresolved merge conflicts"
            return f"{file} has {several} (`<<<<<<<`), and no rule decides which side is right"
        if left := _left_by_a_merge(file, (view.read(file) or b"")[:MAX_READ]):
            return f"{file} has a line that a merge left behind (`{left}`)"
    if all(e.code == "F401" and PurePosixPath(e.file or "").name == "__init__.py" for e in errors):
        return REEXPORT
    return "no rule-based fix worked"


def _conflicts(data: bytes) -> int:
    """How many merge conflicts are marked in a file."""
    count = found = 0
    for line in data.splitlines():
        if line.startswith(MARKS[found]):
            found = (found + 1) % len(MARKS)
            count += not found
    return count


def _left_by_a_merge(file: str, data: bytes) -> str:
    """The single mark of a conflict in a file that can't be read; empty where there is none."""
    rows = lone_marks(data) if problem(file, data) else []
    return data.splitlines()[rows[0]].decode("utf-8", "replace").strip()[:80] if rows else ""


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
