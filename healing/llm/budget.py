"""One budget per run, in dollars and tokens: the worst case is reserved before a call and settled after it.

Parallel agents share one budget. A call waits while others' reservations may still turn out smaller, and is refused
only when the money actually spent leaves no room for it: so the limits are never exceeded, and no call is refused too
early.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from healing.llm.prices import cost
from healing.llm.protocol import Usage
from healing.llm.usage_records import NoUsageRecords, SpendingLimit, UsageRecords
from healing.model import Spending

WhyNot = Callable[[], Awaitable[str | None]]  # why no call may be made now; None: calls are allowed


class BudgetSpent(Exception):
    """There is no room for another call, or no further call is allowed; the message says why."""

    reason = "budget"  # the reason in reports


class StoppedByOperator(BudgetSpent):
    """The operator stopped Heal, or the run is over; it has nothing to do with money."""

    reason = "stopped"


async def always_allowed() -> str | None:
    """The default `why_not`: calls are always allowed."""
    return None


@dataclass(eq=False)
class Reservation:
    """Room held for one call."""

    dollars: float
    tokens: int


@dataclass(eq=False)
class Budget:
    """The limits of one run, for the tasks of one event loop.

    `dollars` is US dollars, of which `before` were spent when this process took up the run, on the calls `known` (keys
    of bookings); `tokens` counts input and output alike; None: no limit. Stored replies count as this run's spending
    but take no room, because `before` includes them; a part `borrowed` from another worker's budget counts them.
    `whose` completes "… $10.00". `why_not` is called before every call.
    """

    dollars: float | None
    tokens: int | None = None
    before: float = 0.0
    whose: str = "this run's"
    usage_records: UsageRecords = field(default_factory=NoUsageRecords)
    why_not: WhyNot = always_allowed
    known: frozenset[str] = frozenset()
    borrowed: bool = False
    _spent: Spending = field(default_factory=Spending)
    _fresh: float = 0.0  # dollars of the calls that were made by this process
    _elsewhere: float = 0.0  # dollars of the calls that other workers made for this run
    _mine: set[str] = field(default_factory=set)  # keys of the calls that were made here
    _tokens: int = 0
    _held: set[Reservation] = field(default_factory=set)
    _stopped: BudgetSpent | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def within(
        cls,
        limit: SpendingLimit,
        usage_records: UsageRecords,
        why_not: WhyNot = always_allowed,
        known: frozenset[str] = frozenset(),
    ) -> "Budget":
        """The budget of a run whose calls are recorded in `usage_records`; `known` are the keys of earlier ones."""
        return cls(
            limit.dollars,
            before=limit.before,
            whose=limit.whose,
            usage_records=usage_records,
            why_not=why_not,
            known=known,
        )

    async def reserve(self, dollars: float, tokens: int) -> Reservation:
        """Reserves room for one call, waiting for others to settle. Raises BudgetSpent."""
        while True:
            if reason := await self.why_not():
                self._end(StoppedByOperator(reason))
            self._refuse_if_full(dollars, tokens)
            held = Reservation(dollars, tokens)
            if self._fits(held):
                self._held.add(held)
                return held
            await self._changed.wait()

    def _refuse_if_full(self, dollars: float, tokens: int) -> None:
        if self._stopped is not None:
            raise type(self._stopped)(str(self._stopped))
        spent = self._gone
        if self.dollars is not None and spent + dollars > self.dollars:
            raise BudgetSpent(
                f"${spent:.2f} of {self.whose} ${self.dollars:.2f} are spent and the next call may cost "
                f"${dollars:.2f}. Raise the budget and retry: what is done is kept."
            )
        if self.tokens is not None and self._tokens + tokens > self.tokens:
            raise BudgetSpent(
                f"{self._tokens} of this run's {self.tokens} tokens are used and the next call may take {tokens}. "
                f"Raise the budget and retry: what is done is kept."
            )

    def _fits(self, new: Reservation) -> bool:
        held = (*self._held, new)
        dollars = self._gone + sum(r.dollars for r in held)
        return (self.dollars is None or dollars <= self.dollars) and (
            self.tokens is None or self._tokens + sum(r.tokens for r in held) <= self.tokens
        )

    @property
    def _gone(self) -> float:
        return self.before + self._fresh + self._elsewhere

    def share(self, borrowers: int) -> float | None:
        """The US dollars that may be lent to each of so many other workers, so that as much is left here; None: no
        limit."""
        return None if self.dollars is None else max(self.dollars - self._gone, 0.0) / (borrowers + 1)

    @asynccontextmanager
    async def reserved_for_worker(self, dollars: float | None) -> AsyncIterator[None]:
        """Reserves a part of what is left for another worker; what it actually spent is deducted afterwards."""
        loan = Reservation(dollars or 0.0, 0)
        self._held.add(loan)
        try:
            yield
            own_keys = self.known | self._mine
            booked = await self.usage_records.booked()
            self._elsewhere = sum(dollars for key, dollars in booked.items() if key not in own_keys)
        finally:
            self.release(loan)

    def settle(self, held: Reservation, model: str, usage: Usage) -> None:
        """Replaces a reservation by what the call actually cost."""
        self._fresh += cost(model, usage)
        self.count(model, usage)
        self.release(held)

    def release(self, held: Reservation) -> None:
        """Returns the reserved room, unspent."""
        self._held.discard(held)
        self._wake()

    def count_as_spent(self, held: Reservation) -> bool:
        """Counts a reservation that is still held as spent in full, since a reply that never arrived may have been
        charged. Returns whether it was held."""
        if held not in self._held:
            return False
        self._fresh += held.dollars
        self.lose(held.dollars, held.tokens)
        self.release(held)
        return True

    def made(self, key: str) -> None:
        """Notes a call made by this process. Must be called before it is recorded in `usage_records`."""
        self._mine.add(key)

    def read_back(self, model: str, usage: Usage, lost: float = 0.0) -> None:
        """Counts a stored reply; `lost` dollars were lost before it arrived."""
        self.count(model, usage)
        if self.borrowed:
            self._fresh += cost(model, usage) + lost

    def lose(self, dollars: float, tokens: int) -> None:
        """Counts a call without a reply at its worst case: its reservation stays spent."""
        spent = self._spent
        self._tokens += tokens
        self._spent = spent.model_copy(update={"dollars": spent.dollars + dollars, "lost": spent.lost + 1})

    def count(self, model: str, usage: Usage) -> None:
        """Adds one call's tokens at the table's price, also for a stored reply."""
        spent = self._spent
        self._tokens += usage.prompt_tokens + usage.output_tokens
        self._spent = Spending(
            calls=spent.calls + 1,
            lost=spent.lost,
            input_tokens=spent.input_tokens + usage.input_tokens,
            cache_write_tokens=spent.cache_write_tokens + usage.write_5m_tokens + usage.write_1h_tokens,
            cache_read_tokens=spent.cache_read_tokens + usage.cache_read_tokens,
            output_tokens=spent.output_tokens + usage.output_tokens,
            dollars=spent.dollars + cost(model, usage),
            estimate_dollars=spent.estimate_dollars,
        )

    def stop(self, why: str) -> None:
        """Refuses every further call of this run, also waiting ones."""
        self._end(BudgetSpent(why))

    def _end(self, ending: BudgetSpent) -> None:
        self._stopped = ending
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    @property
    def spending(self) -> Spending:
        """What was spent so far, without reservations."""
        return self._spent
