"""Which model is asked, and who is asked next: a ladder of rungs (LM-1, LM-2).

A rung never takes over a conversation: thinking, tool ids and caches don't travel. What a rung leaves for the next one
is begun anew there, as a branch of its own.
"""

from dataclasses import dataclass, replace

from healing.llm.protocol import Model
from healing.llm.retry import PATIENT, Retry

# How an error ended where it was the provider's fault, not the work's: another provider may do better.
OUTAGE = frozenset({"model-unavailable", "model-failed", "model-rejected", "no-access", "model-refusal", "context"})
# How it ended where a stronger model may do better. `given-up` is an honest report and is believed of a full rung.
STUCK = frozenset({"limit", "refused", "repeated", "unchanged", "worse", "time", "conflict"})
# What a cheap first rung leaves to the next: all but a spent budget, its reports too.
CHEAP = OUTAGE | STUCK | {"given-up"}


@dataclass(frozen=True)
class Rung:
    """One model. `takes` are the endings of earlier rungs that bring an error here; the first rung takes all. `rival`
    is asked at the same time where errors are hard."""

    model: Model
    retry: Retry = PATIENT
    takes: frozenset[str] = frozenset()
    rival: Model | None = None


@dataclass(frozen=True)
class Ladder:
    """The rungs in order, the first one first."""

    rungs: tuple[Rung, ...]

    @property
    def first(self) -> Model:
        """The model that is asked first."""
        return self.rungs[0].model

    def hasty(self, seconds: float) -> "Ladder":
        """The ladder for simple errors: a call may take so many seconds at most, and nobody has a rival."""
        return Ladder(
            tuple(replace(r, retry=replace(r.retry, attempt_seconds=seconds), rival=None) for r in self.rungs)
        )

    def after(self, number: int, ending: str) -> int | None:
        """The number of the rung that takes an error which ended so on rung `number`; None: that is its end."""
        for later in range(number + 1, len(self.rungs)):
            if ending in self.rungs[later].takes:
                return later
        return None


def alone(model: Model) -> Ladder:
    """A ladder of one rung."""
    return Ladder((Rung(model),))
