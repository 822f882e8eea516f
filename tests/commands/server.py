"""Loads all that `heal` may need once, and forks a process for each call: `python -m tests.commands.server SOCKET`.

A call is one connection. It sends the three standard streams as file descriptors with a JSON object: argv, folder and
environment. It gets two lines, the number of the process that was forked for it and, at its end, its exit code.
"""

import atexit
import gc
import io
import json
import os
import select
import socket
import sys
import threading
from importlib import import_module

from bot.__main__ import main

# Each is what a command imports when it is called; the rest of Heal comes with them.
LOADED = (
    "bot.cli", "bot.laptop.clone", "bot.app", "bot.runs.healers", "bot.runs.replaying", "bot.store.database",
    "healing.pipeline.pipeline", "healing.logs.reading", "anthropic", "sqlalchemy.dialects.sqlite.aiosqlite",
)  # fmt: skip


def serve() -> None:
    """Serves until whoever started it closes its standard input."""
    for name in LOADED:
        import_module(name)
    import_module("healing.logs.formats").formats()
    gc.freeze()  # or each child would copy what it only looks at
    with socket.socket(socket.AF_UNIX) as verifier:
        verifier.bind(sys.argv[1])
        verifier.listen()
        print("ready", flush=True)
        _serve(verifier)


def _serve(verifier: socket.socket) -> None:
    while sys.stdin not in (ready := select.select([verifier, sys.stdin], [], [])[0]):
        if verifier in ready:
            caller, _ = verifier.accept()
            if os.fork() == 0:
                verifier.close()
                _supervise(caller)
            caller.close()
        _reap()


def _reap() -> None:
    """Takes note of callers' supervisors that ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _supervise(caller: socket.socket) -> None:
    """Starts the command in another process, waits for it and reports how it ended; then this process is over."""
    message, streams, _, _ = socket.recv_fds(caller, 1 << 20, 3)
    call = json.loads(message)
    child = os.fork()
    if child == 0:
        caller.close()
        os.setsid()
        _become(call, streams)
    for stream in streams:
        os.close(stream)
    caller.sendall(f"{child}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    caller.sendall(f"{code}\n".encode())
    os._exit(0)


def _become(call: dict[str, object], streams: list[int]) -> None:
    """What the interpreter does at its start, as far as a program notices, and then `main`."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(str(call["folder"]))
    environment = call["environment"]
    assert isinstance(environment, dict)
    os.environ.clear()
    os.environ.update(environment)
    argv = call["argv"]
    assert isinstance(argv, list)
    sys.argv = ["heal", *argv]
    sys.path[0] = str(call["folder"])
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8", "surrogateescape")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8", "surrogateescape")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=True
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    try:
        main()
    except SystemExit as end:
        _leave(end.code if isinstance(end.code, int) else int(end.code is not None))


def _leave(code: int) -> None:
    """Ends as an interpreter does, but for taking apart all that was loaded: each page of it would be copied first."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, ends the idle ones of executors
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve()
