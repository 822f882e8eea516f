"""Records of every paid call, and the limits of the next one: of a run, a pull request, a month."""

from collections.abc import Mapping
from typing import Protocol

from healing.llm.protocol import Usage
from healing.model import Frozen


class Booking(Frozen):
    """One answered call. `key` is its key among the run's durable steps; `dollars` includes the worst case of the
    `lost` calls before it, whose replies never arrived."""

    key: str
    model: str
    usage: Usage
    dollars: float
    lost: int = 0
    seconds: float = 0.0
    request_id: str = ""
    cache_miss: str = ""


class UsageRecords(Protocol):
    """Stores bookings permanently. Storing the same booking again has no effect: a stored reply was recorded before."""

    async def book(self, booking: Booking) -> None:
        """Records one call."""
        ...

    async def booked(self) -> Mapping[str, float]:
        """The dollars of all recorded calls of this run, by key, whichever process recorded them."""
        ...


class NoUsageRecords:
    """Records nothing: for tests of the engine, and one-off runs."""

    async def book(self, booking: Booking) -> None:
        """Does nothing."""

    async def booked(self) -> Mapping[str, float]:
        return {}


class SpendingLimit(Frozen):
    """A limit, and what of it was spent before this run's calls, in US dollars. `whose` completes "… $10.00"."""

    whose: str
    dollars: float
    before: float = 0.0

    @property
    def room(self) -> float:
        """What is left of it, never below zero."""
        return max(self.dollars - self.before, 0.0)


def tightest(limits: tuple[SpendingLimit, ...]) -> SpendingLimit:
    """The limit with the least room, which is reached first."""
    return min(limits, key=lambda limit: limit.room)
