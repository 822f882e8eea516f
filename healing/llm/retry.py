"""Heal's own retry: a deadline, jittered back-off, and the provider's Retry-After, capped by the deadline.

The SDK's retry is off: it sleeps a long Retry-After in full and never repeats a cut stream.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from healing.llm.errors import Retryable, Unavailable

T = TypeVar("T")


@dataclass(frozen=True)
class Retry:
    """A retry policy. `deadline` is seconds for all attempts together, pauses included; `jitter` returns 0..1;
    `attempt_seconds` bounds one attempt."""

    jitter: Callable[[], float]
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    attempts: int = 4
    deadline: float = 600.0
    base: float = 0.5
    longest: float = 8.0
    attempt_seconds: float = 600.0

    async def run(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Returns the first result. Raises Unavailable; other exceptions than Retryable are raised at once."""
        ends = self.now() + self.deadline
        number = 0
        while True:
            number += 1
            try:
                return await self._once(attempt, ends)
            except Retryable as error:
                pause = self._pause(number, error)
                if number >= self.attempts or self.now() + pause > ends:
                    raise self._given_up(number, str(error)) from error
                await self.sleep(pause)

    async def _once(self, attempt: Callable[[], Awaitable[T]], ends: float) -> T:
        """One attempt within its own limit and the time that the deadline leaves. Raises Retryable also where that time
        is up."""
        seconds = max(min(ends - self.now(), self.attempt_seconds), 0.0)
        try:
            async with asyncio.timeout(seconds):
                return await attempt()
        except TimeoutError as error:
            raise Retryable(f"no reply within {seconds:.0f} s.", billed=True) from error

    def _pause(self, number: int, error: Retryable) -> float:
        backoff = min(self.base * 2.0 ** (number - 1), self.longest) * (0.5 + self.jitter() / 2)
        return max(error.after or 0.0, backoff)

    def _given_up(self, number: int, last: str) -> Unavailable:
        return Unavailable(
            f"The model did not answer: {number} attempts within {self.deadline:.0f} s, the last one: {last} "
            f"Retry later, or configure another provider."
        )


PATIENT = Retry(jitter=random.random, now=time.monotonic, sleep=asyncio.sleep)
