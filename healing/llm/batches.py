"""Many calls as one batch: slower but cheaper. Sending, waiting and reading are durable steps.

What was sent is never sent again: before a batch is sent, this is recorded together with the newest batch that the
provider knows at that time. A replay, or a second attempt after a broken connection, looks for its own batch among the
newer ones.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from healing.llm.asking import booking_of
from healing.llm.budget import Budget, Reservation
from healing.llm.errors import NoAccess, Retryable, Unavailable
from healing.llm.prices import price_of, worst_case
from healing.llm.protocol import Request, Turn
from healing.model import Frozen
from healing.steps import Json, Steps

T = TypeVar("T")
STARTS = 4  # attempts to send a batch
CALM = 1_800.0  # seconds that a cancelled batch may take to end


class Item(Frozen):
    """How one request of a batch ended: with a reply, or why not. `billed`: it may have been charged without a
    reply."""

    key: str
    turn: Turn | None = None
    why: str = ""
    billed: bool = False


class Batches(Protocol):
    """One model's batches at its provider. All methods raise a ModelError."""

    name: str

    async def newest(self) -> str:
        """The id of the most recently created batch; empty where there is none."""
        ...

    async def since(self, batch: str, size: int) -> tuple[str, ...]:
        """Ids of batches of that many requests that were created after this one, newest first."""
        ...

    async def start(self, requests: Mapping[str, Request]) -> str:
        """Sends requests under their keys. Returns the batch's id."""
        ...

    async def ended(self, batch: str) -> bool:
        """Whether all of its requests have ended."""
        ...

    async def cancel(self, batch: str) -> None:
        """Cancels requests that have not begun; those that have are still answered."""
        ...

    async def results(self, batch: str) -> tuple[Item, ...]:
        """The results of an ended batch's requests, in any order."""
        ...


@dataclass(frozen=True)
class PollPolicy:
    """How to wait for a batch, in seconds: pauses grow from `first` to `longest`; after `deadline` it is cancelled.
    With one batch per phase, a run stays below the time for which it may hold its reserved money."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    first: float = 5.0
    longest: float = 120.0
    deadline: float = 2 * 3600.0


async def ask_in_batch(
    batches: Batches, requests: Iterable[Request], steps: Steps, budget: Budget, poll_policy: PollPolicy
) -> dict[str, Turn]:
    """Returns the replies by the requests' keys; requests that ended without one are missing. Raises BudgetSpent before
    anything is sent, ModelError, UnknownModel."""
    by_key = {request.key(): request for request in requests}
    worst = {key: _worst(request) for key, request in by_key.items()}
    asking = _Asking(batches, by_key, steps, poll_policy)
    fresh = False

    async def work() -> Json:
        nonlocal fresh
        fresh = True
        held = await _reserve(budget, worst)
        try:
            items = await asking.items()
            _settle(budget, batches.name, held, items)
        except NoAccess as error:
            budget.stop(str(error))
            raise
        finally:
            for reservation in held.values():
                (budget.count_as_spent if asking.sent else budget.release)(reservation)
        return [item.model_dump(mode="json") for item in items]

    stored = await steps.run("batch-results", sorted(by_key), work)
    turns: dict[str, Turn] = {}
    for item in map(Item.model_validate, stored):
        if item.turn is None:
            if item.billed and not fresh:
                budget.lose(*worst[item.key])
            continue
        turns[item.key] = item.turn
        if fresh:
            budget.made(item.key)
        else:
            budget.read_back(batches.name, item.turn.usage)
        await budget.usage_records.book(booking_of(item.key, batches.name, item.turn, 0, worst[item.key][0]))
    return turns


def _worst(request: Request) -> tuple[float, int]:
    dollars, tokens = worst_case(request)
    return dollars * price_of(request.model, tokens).batch, tokens


async def _reserve(budget: Budget, worst: Mapping[str, tuple[float, int]]) -> dict[str, Reservation]:
    """Reserves room for all requests at once. Raises BudgetSpent, and holds nothing then."""
    dollars, tokens = (sum(column) for column in zip(*worst.values(), strict=True))
    whole = await budget.reserve(dollars, tokens)
    budget.release(whole)  # then one by one, so that each is settled by itself; nothing awaits in between
    return {key: await budget.reserve(*room) for key, room in worst.items()}


def _settle(budget: Budget, model: str, held: dict[str, Reservation], items: tuple[Item, ...]) -> None:
    for item in items:
        reservation = held.pop(item.key)
        if item.turn is not None:
            budget.settle(reservation, model, item.turn.usage)
        elif item.billed:
            budget.count_as_spent(reservation)
        else:
            budget.release(reservation)


@dataclass
class _Asking:
    """Sends one batch and waits for it. `sent`: it may be charged."""

    batches: Batches
    named: dict[str, Request]
    steps: Steps
    poll_policy: PollPolicy
    sent: bool = False

    async def items(self) -> tuple[Item, ...]:
        """The result of every request. Raises ModelError."""
        batch = await self.steps.run("batch", sorted(self.named), self._start)
        self.sent = True
        await self._wait(batch)
        items = {item.key: item for item in await self._results(batch)}
        return tuple(items.get(key, Item(key=key, why="the batch holds no answer to it")) for key in sorted(self.named))

    async def _start(self) -> Json:
        announced: list[str] = []

        async def note() -> Json:
            announced.append(await self._with_retry(self.batches.newest))
            return announced[0]

        before = await self.steps.run("batch-announced", sorted(self.named), note)
        first = bool(announced)
        why = ""
        for number in range(STARTS):
            own_batch = None if first and not number else await self._ours(before)
            if own_batch:
                return own_batch
            try:
                return await self.batches.start(self.named)
            except Retryable as error:
                why = str(error)
                await self.poll_policy.sleep(max(error.after or 0.0, self.poll_policy.first))
        raise Unavailable(f"The batch could not be sent in {STARTS} tries; the last one: {why}")

    async def _ours(self, before: str) -> str | None:
        """The batch that was sent before its id could be stored; None where there is none."""
        for batch in await self._with_retry(lambda: self.batches.since(before, len(self.named))):
            await self._wait(batch, cancel=False)
            if {item.key for item in await self._results(batch)} == set(self.named):
                return batch
        return None

    async def _results(self, batch: str) -> tuple[Item, ...]:
        return await self._with_retry(lambda: self.batches.results(batch))

    async def _wait(self, batch: str, cancel: bool = True) -> None:
        """Waits until the batch has ended. Raises Unavailable where it does not, even after it was cancelled."""
        poll_policy, ends, pause, cancelled = (
            self.poll_policy,
            self.poll_policy.now() + self.poll_policy.deadline,
            0.0,
            False,
        )
        while not await self._with_retry(lambda: self.batches.ended(batch)):
            if poll_policy.now() >= ends:
                if cancelled or not cancel:
                    raise Unavailable(f"Batch {batch} did not end in time. Retry: its answers are read then.")
                await self.batches.cancel(batch)
                cancelled, ends, pause = True, poll_policy.now() + CALM, 0.0
            pause = min(pause * 1.5 or poll_policy.first, poll_policy.longest)
            await poll_policy.sleep(pause)

    async def _with_retry(self, look: Callable[[], Awaitable[T]]) -> T:
        """Retries a free request to the provider until the deadline. Raises Unavailable."""
        ends, pause = self.poll_policy.now() + self.poll_policy.deadline, self.poll_policy.first
        while True:
            try:
                return await look()
            except Retryable as error:
                if self.poll_policy.now() + pause >= ends:
                    raise Unavailable(str(error)) from error
                await self.poll_policy.sleep(max(error.after or 0.0, pause))
                pause = min(pause * 1.5, self.poll_policy.longest)
