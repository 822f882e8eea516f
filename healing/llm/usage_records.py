"""Where every paid call is written down, and what limits the next one: a run, a pull request, a month."""

from collections.abc import Mapping
from typing import Protocol

from healing.llm.protocol import Usage
from healing.model import Frozen


class Booking(Frozen):
    """One call that was answered. `key` names it among the run's durable steps; `dollars` holds the worst case of the
    `lost` calls before it, whose answers never came."""

    key: str
    model: str
    usage: Usage
    dollars: float
    lost: int = 0
    seconds: float = 0.0
    request_id: str = ""
    cache_miss: str = ""


class UsageRecords(Protocol):
    """Keeps bookings for good. The same booking again changes nothing: a reply that is read back was booked before."""

    async def book(self, booking: Booking) -> None:
        """Writes one call down."""
        ...

    async def booked(self) -> Mapping[str, float]:
        """The dollars of all that is written down of this run, by key, whoever wrote it."""
        ...


class NoUsageRecords:
    """For anyone who keeps none: tests of the engine, and one-off runs."""

    async def book(self, booking: Booking) -> None:
        """Forgets it."""

    async def booked(self) -> Mapping[str, float]:
        return {}


class SpendingLimit(Frozen):
    """A limit with what was spent of it before this run's calls, in US dollars. `whose` completes "… $10.00"."""

    whose: str
    dollars: float
    before: float = 0.0

    @property
    def room(self) -> float:
        """What is left of it, never below zero."""
        return max(self.dollars - self.before, 0.0)


def tightest(limits: tuple[SpendingLimit, ...]) -> SpendingLimit:
    """The one with the least room: it ends first."""
    return min(limits, key=lambda limit: limit.room)
