"""What the files for pytest and for unittest share: the connection to Heal, and the check whether a runner was altered.

Executed by `sitecustomize.py`, as text, when one of them is imported. Its state lives in closures, so the code under
test can't find it as an attribute.
"""

import os
import stat
import sys
from types import FunctionType, MethodType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

CHUNK = 400  # ids in a line
SECONDS = 20.0
MAX_ID = 500  # characters


def connected(path: str) -> "Callable[[dict[str, Any]], None]":
    """Returns a function that sends one message to Heal; its first call connects. If Heal does not answer, nothing is
    sent."""
    import json
    from hashlib import sha256

    pid, dumps = os.getpid(), json.dumps
    state: list[Any] = [None, "", 0, ""]  # the write function, the key, the number of lines, the prefix of each

    def connect() -> None:
        if stat.S_ISFIFO(os.stat(path).st_mode):
            pipe, key = os.open(path, os.O_WRONLY | os.O_CLOEXEC), os.urandom(16).hex()
            os.write(pipe, f"{pid} key {key}\n".encode())
            state[:] = [lambda text: os.write(pipe, text), key, 0, f"{pid} "]
            return
        import socket

        line = socket.socket(socket.AF_UNIX)
        line.settimeout(SECONDS)
        line.connect(path)
        state[:2] = [line.sendall, key_from(line)]

    def write(event: "dict[str, Any]") -> None:
        text = dumps(event).encode("ascii")
        mark = sha256(f"{state[1]}{state[2]}".encode() + text).hexdigest()[:16]
        state[0](state[3].encode() + mark.encode() + b" " + text + b"\n")
        state[2] += 1

    pending: list[list[str]] = []

    def flush() -> None:
        if pending:
            write({"k": "tests", "tests": pending})
            pending.clear()

    def send(event: "dict[str, Any]") -> None:
        if os.getpid() != pid or state[2] < 0:  # a fork of the runner is not the runner
            return
        try:
            if state[0] is None:
                connect()
            if event["k"] == "test" and not state[3]:  # writing each one separately would take as long as a small test
                pending.append([shortened_id(event["id"]), event["o"]])
                if len(pending) >= CHUNK:
                    flush()
                return
            flush()
            if "ids" in event:
                ids = [shortened_id(test) for test in event["ids"]]
                size = 1 if state[3] else CHUNK
                for start in range(0, len(ids), size):
                    write({"k": "ids", "ids": ids[start : start + size]})
            else:
                write({**event, "id": shortened_id(event.get("id"))} if "id" in event else event)
        except OSError:
            state[2] = -1

    return send


def key_from(line: "Any") -> str:
    """The key: the first line that Heal sends."""
    received = b""
    while not received.endswith(b"\n"):
        chunk = line.recv(64)
        if not chunk:
            raise OSError("no key")
        received += chunk
    return received.decode().strip()


def shortened_id(test: "Any") -> "Any":
    """An id short enough for a pipe to write it in one piece."""
    if not isinstance(test, str) or len(test) <= MAX_ID:
        return test
    from hashlib import sha256

    return test[:MAX_ID] + sha256(test.encode("utf-8", "surrogatepass")).hexdigest()


def origin(function: "Any") -> str:
    """The file of a test's code: a test whose code comes from elsewhere is another test."""
    while isinstance(function, (FunctionType, MethodType)) and "__wrapped__" in vars(function):
        function = vars(function)["__wrapped__"]
    code = code_of(function)
    return code.co_filename if code is not None else ""


def functions(prefixes: "tuple[str, ...]") -> "Iterator[tuple[str, Any, str, Any]]":
    """Every function of the runner's modules: its name, its holder and attribute name, and its value."""
    for name, module in sorted(sys.modules.items()):
        if name in prefixes or name.startswith(tuple(prefix + "." for prefix in prefixes)):
            for key, value in list(vars(module).items()):
                if not isinstance(value, (type, FunctionType)) or value.__module__ != name:
                    continue
                yield name + "." + key, module, key, value
                if isinstance(value, type):
                    for attribute, held in list(vars(value).items()):
                        if callable(held) or isinstance(held, (classmethod, staticmethod, property)):
                            yield name + "." + key + "." + attribute, value, attribute, held


def code_of(value: "Any") -> "Any":
    """The code of a function, also inside a property, classmethod, staticmethod or bound method; None for anything
    else, whose attributes are not read."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, (classmethod, staticmethod, MethodType)):
        value = value.__func__
    return value.__code__ if isinstance(value, FunctionType) else None


def foreign(value: "Any") -> bool:
    """Whether a function may be the repository's: its code is in no installed package and no conftest.py."""
    code = code_of(value)
    file = code.co_filename if code is not None else ""
    parts = file.replace(os.sep, "/").split("/")
    if "site-packages" in parts or "dist-packages" in parts or parts[-1] == "conftest.py":
        return False
    modules = (sys.modules.get(name) for name in ("os", "_pytest"))
    installed = tuple(os.path.dirname(module.__file__ or "") + os.sep for module in modules if module)
    return not (file.startswith(installed) or file.startswith("<frozen") or file == "<report>")


def guarded(prefixes: "tuple[str, ...]") -> "Callable[[], list[str]]":
    """Returns a function that names, when it is called, the runner's functions that have been replaced or added since
    now by code of the repository, not by an installed plug-in."""
    originals = [(name, holder, key, held, code_of(held)) for name, holder, key, held in functions(prefixes)]
    classes = {
        id(holder): (name.rpartition(".")[0], holder) for name, holder, _, _, _ in originals if isinstance(holder, type)
    }
    attributes = {number: set(vars(holder)) for number, (_, holder) in classes.items()}

    def altered() -> "list[str]":
        names = []
        for name, holder, key, held, code in originals:
            current = vars(holder).get(key)
            if (current is not held or code_of(current) is not code) and foreign(current):
                names.append(name)
        for number, (name, holder) in classes.items():
            added = set(vars(holder)) - attributes[number]
            names += [
                name + "." + key for key in sorted(added) if code_of(vars(holder)[key]) and foreign(vars(holder)[key])
            ]
        return names[:20]

    return altered
