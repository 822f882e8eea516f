"""GitHub's expression language (`${{ … }}` and `if:`), evaluated as far as values are known outside GitHub."""

from healing.checks.expressions.evaluating import HOLE, Contexts, Filled, condition, evaluate, fill, resolve
from healing.checks.expressions.values import Partial, Unknown, Value, text, truth, unknowns

__all__ = [
    "HOLE", "Contexts", "Filled", "Partial", "Unknown", "Value", "condition", "evaluate", "fill", "resolve", "text",
    "truth", "unknowns",
]  # fmt: skip
