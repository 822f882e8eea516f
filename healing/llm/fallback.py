"""Which model is asked, and which one next: a fallback chain of tiers.

A tier never continues another tier's conversation: thinking, tool ids and caches can't be transferred. What a tier
leaves is started again on the next one, as a new branch.
"""

from dataclasses import dataclass, replace

from healing.llm.protocol import Model
from healing.llm.retry import PATIENT, Retry

# Endings that are the provider's fault, not the work's: another provider may do better.
OUTAGE = frozenset({"model-unavailable", "model-failed", "model-rejected", "no-access", "model-refusal", "context"})
# Endings where a stronger model may do better. `given-up` is not among them: a full tier's report is believed.
STUCK = frozenset({"limit", "refused", "repeated", "unchanged", "worse", "time", "conflict"})
# What a cheap first tier leaves to the next: everything but a spent budget, also its reports.
CHEAP = OUTAGE | STUCK | {"given-up"}


@dataclass(frozen=True)
class ModelTier:
    """One model. `takes` are the endings of earlier tiers after which it is asked; the first tier takes everything.
    `second_model` is asked at the same time where errors are hard."""

    model: Model
    retry: Retry = PATIENT
    takes: frozenset[str] = frozenset()
    second_model: Model | None = None


@dataclass(frozen=True)
class FallbackChain:
    """The tiers in order."""

    tiers: tuple[ModelTier, ...]

    @property
    def first(self) -> Model:
        """The model that is asked first."""
        return self.tiers[0].model

    def for_simple_errors(self, seconds: float) -> "FallbackChain":
        """The chain for simple errors: each call may take at most that many seconds, and no second model is asked."""
        return FallbackChain(
            tuple(replace(r, retry=replace(r.retry, attempt_seconds=seconds), second_model=None) for r in self.tiers)
        )

    def after(self, number: int, ending: str) -> int | None:
        """The number of the tier that takes an error which ended with `ending` on tier `number`; None: no further tier
        does."""
        for later in range(number + 1, len(self.tiers)):
            if ending in self.tiers[later].takes:
                return later
        return None


def alone(model: Model) -> FallbackChain:
    """A chain of one tier."""
    return FallbackChain((ModelTier(model),))
