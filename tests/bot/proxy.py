"""A network between two programs that can be cut: everything is passed on, until it is told not to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Proxy:
    """Passes on what comes to `port` of loopback. `hold` is a cut cable: nobody is told, nothing passes."""

    def __init__(self, to: int) -> None:
        self.port = 0
        self._to = to
        self._open = asyncio.Event()
        self._open.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ends: set[asyncio.StreamWriter] = set()

    def hold(self) -> None:
        """Nothing passes from now on, in either direction; connections stay open."""
        self._open.clear()

    def release(self) -> None:
        """Everything passes again, also what waited."""
        self._open.set()

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        await self._open.wait()
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.close()
            return
        self._ends.update((writer, back))
        ways = [asyncio.create_task(self._pipe(reader, back)), asyncio.create_task(self._pipe(there, writer))]
        self._tasks.update(ways)
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await self._end(back, writer)

    async def _end(self, *ends: asyncio.StreamWriter) -> None:
        self._ends.difference_update(ends)
        for end in ends:
            end.close()
            with suppress(OSError):
                await end.wait_closed()

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._open.wait()
                writer.write(data)
                await writer.drain()

    async def close(self) -> None:
        """Breaks everything off."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._end(*self._ends)


@asynccontextmanager
async def proxying(to: int) -> AsyncIterator[Proxy]:
    """A proxy to that port of loopback."""
    proxy = Proxy(to)
    server = await asyncio.start_server(proxy.pass_on, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
