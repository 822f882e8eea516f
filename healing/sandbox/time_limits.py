"""How long commands may take, in seconds, where nobody says otherwise (WT-6)."""

from collections.abc import Mapping
from types import MappingProxyType

# One targeted run of a few tests. What takes longer shows its failure in the whole step, or not at all.
TARGETED: Mapping[str, float] = MappingProxyType({"pytest": 90.0, "jest": 60.0})
SETUP = 300.0  # on top, where set-up steps run before


def targeted_seconds(tool: str, allowed: float | None, setup: bool) -> float | None:
    """How long a targeted run of `tool` may take, never longer than what CI allows the whole step; None: no limit of
    its own. `setup`: whether set-up steps run before it."""
    if tool not in TARGETED:
        return allowed
    own = TARGETED[tool] + (SETUP if setup else 0.0)
    return own if allowed is None else min(own, allowed)
