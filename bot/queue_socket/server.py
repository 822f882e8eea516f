"""The server: only the socket's owner may connect, lines have a limit, and every line gets an answer."""

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
TICK = 30.0  # seconds between two checks for stale agents and sessions
PEER = struct.Struct("3i")  # pid, uid, gid: Linux's struct ucred


async def serve(verbs: Verbs, path: Path, ready: Callable[[], None]) -> None:
    """Serves until SHUTDOWN; calls `ready` once it listens. The folder of `path` must be private already.

    Raises the error that ended the queue's work.
    """
    path.unlink(missing_ok=True)  # left by a killed process, since the caller holds the lock
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
        """Serves one connection until it closes."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if refusal := self._refusal(writer):
                await _send(writer, refusal)
            else:
                await self._serve_lines(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client left or the server stops; each request was either stored or never begun
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def _refusal(self, writer: asyncio.StreamWriter) -> Answer | None:
        """Why this client may not connect; None if it may."""
        peer: socket.socket = writer.get_extra_info("socket")
        _, uid, _ = PEER.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))
        if uid != os.geteuid():
            return _error("NOT_YOURS", f"this queue is user {os.geteuid()}'s; user {uid} is not let in")
        if len(self._tasks) > MAX_CONNECTIONS:
            return _error("BUSY", f"{MAX_CONNECTIONS} connections are open already; try again in a moment")
        return None

    async def _serve_lines(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                line = await reader.readline()
            except ValueError:
                await _send(writer, _error("TOO_LONG", f"a line may have {MAX_LINE} bytes; nothing of it was done"))
                return
            if not line.endswith(b"\n"):
                return  # the client closed the connection; an incomplete line is no request
            if line.strip():
                await _send(writer, await self._answer(line))

    async def _answer(self, line: bytes) -> Answer:
        try:
            answer = await self._verbs.answer(read_request(line))
        except (BadRequest, QueueRefusal) as error:
            return _error(error.code, str(error))
        except SQLAlchemyError as error:
            return _error("STORE", f"it could not be stored, so it was not done: {str(error).splitlines()[0][:300]}")
        return {"status": "OK", **answer}

    async def close(self) -> None:
        """Closes all connections, after a short pause in which answers that are ready are sent."""
        await asyncio.sleep(0.05)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _error(code: str, message: str) -> Answer:
    return {"status": "ERROR", "code": code, "message": message}


async def _send(writer: asyncio.StreamWriter, answer: Answer) -> None:
    writer.write(json.dumps(answer, default=str).encode() + b"\n")
    await writer.drain()
