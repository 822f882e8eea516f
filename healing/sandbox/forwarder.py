"""The small program that accepts connections on the sandbox's loopback and passes them to Heal's proxy, whose socket is
the only way out.

Standard library only: `bubblewrap.py` starts it as `python -I -S -c <this text> <socket> <port> <command…>`, inside;
Heal never imports it. It becomes the command as soon as it accepts connections.
"""

import os
import socket
import sys

CHUNK = 64 << 10


def forward(listening: socket.socket, path: str) -> None:
    """Pass every connection on, until the sandbox ends."""
    import asyncio

    async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(CHUNK):
                sink.write(data)
                await sink.drain()
            sink.write_eof()
        except OSError:
            sink.close()

    async def taken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_unix_connection(path)
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, back), copy(there, writer))
        for sink in (back, writer):
            sink.close()

    async def serve() -> None:
        server = await asyncio.start_server(taken, sock=listening)
        await server.serve_forever()

    asyncio.run(serve())


def main() -> None:
    path, port, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    listening = socket.create_server(("127.0.0.1", port), backlog=128)
    if os.fork() == 0:
        if os.fork() == 0:  # orphaned, so that the command has no child that it didn't start
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDWR)
            for fd in range(3):
                os.dup2(nowhere, fd)
            forward(listening, path)
        os._exit(0)
    os.wait()
    listening.close()
    os.execv(command[0], command)  # noqa: S606 - that is what this program is for


if __name__ == "__main__":
    main()
