"""Group commit: concurrent writes of several tasks share one transaction and one wait for the disk."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")
LIMIT = 200  # items per transaction


class BatchWriter(Generic[Item, Answer]):
    """`write` writes items in one transaction and returns a result for each, in their order."""

    def __init__(self, write: Callable[[list[Item]], Awaitable[list[Answer]]]) -> None:
        self._write = write
        self._waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._writing: asyncio.Future[list[Answer]] | None = None  # the transaction under way

    async def add(self, item: Item) -> Answer:
        """Writes the item and returns its result once it is durable. Raises what `write` raises. Cancelling one caller
        affects neither the others nor the transaction in progress."""
        result: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, result))
        if self._writing is None:
            self._next()
        return await result

    def _next(self) -> None:
        """Writes the items that were added during the last transaction."""
        batch, self._waiting = self._waiting[:LIMIT], self._waiting[LIMIT:]
        self._writing = asyncio.ensure_future(self._write([item for item, _ in batch]))  # noqa: RUF006 -- kept here
        self._writing.add_done_callback(lambda done: self._written(done, [future for _, future in batch]))

    def _written(self, done: "asyncio.Future[list[Answer]]", futures: list["asyncio.Future[Answer]"]) -> None:
        self._writing = None
        _resolve(done, futures)
        if self._waiting:
            self._next()


def _resolve(written: "asyncio.Future[list[Answer]]", futures: list["asyncio.Future[Answer]"]) -> None:
    """Gives each future its result, or all the same error; futures that were cancelled meanwhile are skipped."""
    waiting = [(at, future) for at, future in enumerate(futures) if not future.done()]
    error = None if written.cancelled() else written.exception()
    for at, future in waiting:
        if written.cancelled():
            future.cancel()
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(written.result()[at])
