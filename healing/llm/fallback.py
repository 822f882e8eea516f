"""Which model is asked, and who is asked next: a fallback chain of tiers.

A tier never takes over a conversation: thinking, tool ids and caches don't travel. What a tier leaves for the next one
is begun again there, as a branch of its own.
"""

from dataclasses import dataclass, replace

from healing.llm.protocol import Model
from healing.llm.retry import PATIENT, Retry

# How an error ended where it was the provider's fault, not the work's: another provider may do better.
OUTAGE = frozenset({"model-unavailable", "model-failed", "model-rejected", "no-access", "model-refusal", "context"})
# How it ended where a stronger model may do better. `given-up` is an honest report and is believed of a full tier.
STUCK = frozenset({"limit", "refused", "repeated", "unchanged", "worse", "time", "conflict"})
# What a cheap first tier leaves to the next: all but a spent budget, its reports too.
CHEAP = OUTAGE | STUCK | {"given-up"}


@dataclass(frozen=True)
class ModelTier:
    """One model. `takes` are the endings of earlier tiers that bring an error here; the first tier takes all.
    `second_model` is asked at the same time where errors are hard."""

    model: Model
    retry: Retry = PATIENT
    takes: frozenset[str] = frozenset()
    second_model: Model | None = None


@dataclass(frozen=True)
class FallbackChain:
    """The tiers in order, the first one first."""

    tiers: tuple[ModelTier, ...]

    @property
    def first(self) -> Model:
        """The model that is asked first."""
        return self.tiers[0].model

    def hasty(self, seconds: float) -> "FallbackChain":
        """The chain for simple errors: a call may take so many seconds at most, and nobody has a second model."""
        return FallbackChain(
            tuple(replace(r, retry=replace(r.retry, attempt_seconds=seconds), second_model=None) for r in self.tiers)
        )

    def after(self, number: int, ending: str) -> int | None:
        """The number of the tier that takes an error which ended so on tier `number`; None: that is its end."""
        for later in range(number + 1, len(self.tiers)):
            if ending in self.tiers[later].takes:
                return later
        return None


def alone(model: Model) -> FallbackChain:
    """A chain of one tier."""
    return FallbackChain((ModelTier(model),))
