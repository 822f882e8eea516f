"""Group commit: what several tasks write at the same time is one transaction, and one wait for the disk."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")
MOST = 200  # items of one transaction


class Together(Generic[Item, Answer]):
    """`write` writes items in one transaction and gives an answer for each, in their order."""

    def __init__(self, write: Callable[[list[Item]], Awaitable[list[Answer]]]) -> None:
        self._write = write
        self._waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._writing: asyncio.Future[list[Answer]] | None = None  # the transaction under way

    async def add(self, item: Item) -> Answer:
        """Durable when it comes back. Raises what `write` raises; somebody's cancellation changes nothing for others,
        nor for what is under way."""
        mine: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, mine))
        if self._writing is None:
            self._next()
        return await mine

    def _next(self) -> None:
        """Writes what has gathered while the last transaction was under way."""
        batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        self._writing = asyncio.ensure_future(self._write([item for item, _ in batch]))  # noqa: RUF006 -- kept here
        self._writing.add_done_callback(lambda done: self._written(done, [future for _, future in batch]))

    def _written(self, done: "asyncio.Future[list[Answer]]", futures: list["asyncio.Future[Answer]"]) -> None:
        self._writing = None
        _tell(done, futures)
        if self._waiting:
            self._next()


def _tell(written: "asyncio.Future[list[Answer]]", futures: list["asyncio.Future[Answer]"]) -> None:
    """Hands each its answer, or all the same error; who was cancelled meanwhile receives nothing."""
    waiting = [(at, future) for at, future in enumerate(futures) if not future.done()]
    error = None if written.cancelled() else written.exception()
    for at, future in waiting:
        if written.cancelled():
            future.cancel()
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(written.result()[at])
