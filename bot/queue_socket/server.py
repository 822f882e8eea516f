"""The socket: only its owner gets in, a line is bounded, and every line gets an answer, never a crash."""

import asyncio
import json
import os
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from bot.queue_socket.answers import Answer
from bot.queue_socket.requests import MAX_LINE, BadRequest, read_request
from bot.queue_socket.verbs import Verbs
from healing.verify.queue.refusal import QueueRefusal

MAX_CONNECTIONS = 200
TICK = 30.0  # seconds between two looks for what has gone stale
PEER = struct.Struct("3i")  # pid, uid, gid: Linux's struct ucred


async def serve(verbs: Verbs, path: Path, ready: Callable[[], None]) -> None:
    """Listens until SHUTDOWN; calls `ready` when it does. The folder of `path` is the owner's alone already.

    Raises what ends the queue's work.
    """
    path.unlink(missing_ok=True)  # of a process that was killed: the caller holds the lock
    connections = _Connections(verbs)
    server = await asyncio.start_unix_server(connections.take, path, limit=MAX_LINE)
    path.chmod(0o600)
    ready()
    jobs = [asyncio.create_task(verbs.queue.failed()), asyncio.create_task(_tick(verbs))]
    stopping = asyncio.create_task(verbs.stop.wait())
    try:
        done, _ = await asyncio.wait([*jobs, stopping], return_when=asyncio.FIRST_COMPLETED)
        for ended in done:
            ended.result()
    finally:
        server.close()
        path.unlink(missing_ok=True)
        for task in (*jobs, stopping):
            task.cancel()
        await asyncio.gather(*jobs, stopping, return_exceptions=True)
        await connections.close()


async def _tick(verbs: Verbs) -> None:
    while True:
        await asyncio.sleep(TICK)
        await verbs.queue.tick()


class _Connections:
    def __init__(self, verbs: Verbs) -> None:
        self._verbs = verbs
        self._tasks: set[asyncio.Task[None]] = set()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if why := self._barred(writer):
                await _say(writer, why)
            else:
                await self._talk(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # gone, or we stop: what it asked for is stored or was never begun
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def _barred(self, writer: asyncio.StreamWriter) -> Answer | None:
        found: socket.socket = writer.get_extra_info("socket")
        _, uid, _ = PEER.unpack(found.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))
        if uid != os.geteuid():
            return _error("NOT_YOURS", f"this queue is user {os.geteuid()}'s; user {uid} is not let in")
        if len(self._tasks) > MAX_CONNECTIONS:
            return _error("BUSY", f"{MAX_CONNECTIONS} connections are open already; try again in a moment")
        return None

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                line = await reader.readline()
            except ValueError:
                await _say(writer, _error("TOO_LONG", f"a line may have {MAX_LINE} bytes; nothing of it was done"))
                return
            if not line.endswith(b"\n"):
                return  # the end, or half a line: who hung up in the middle of it asked for nothing
            if line.strip():
                await _say(writer, await self._answer(line))

    async def _answer(self, line: bytes) -> Answer:
        try:
            answer = await self._verbs.answer(read_request(line))
        except (BadRequest, QueueRefusal) as error:
            return _error(error.code, str(error))
        except SQLAlchemyError as error:
            return _error("STORE", f"it could not be stored, so it was not done: {str(error).splitlines()[0][:300]}")
        return {"status": "OK", **answer}

    async def close(self) -> None:
        """Ends all connections; one that is being answered gets its answer first if that is at hand."""
        await asyncio.sleep(0.05)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _error(code: str, message: str) -> Answer:
    return {"status": "ERROR", "code": code, "message": message}


async def _say(writer: asyncio.StreamWriter, answer: Answer) -> None:
    writer.write(json.dumps(answer, default=str).encode() + b"\n")
    await writer.drain()
