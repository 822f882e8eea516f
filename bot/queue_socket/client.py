"""The client: sends one request over the socket and returns its answer."""

import json
import socket
from pathlib import Path
from typing import Any

from handlers.errors import UserError

MAX_BYTES = 64 << 20  # of an answer


class NotServed(Exception):
    """No answer on the socket: the queue isn't served, or its process ended before it answered."""


class QueueRefused(UserError):
    """The queue refused the request; `code` is the protocol's error code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def ask(path: Path, verb: str, *, limit: float | None = 60, **more: object) -> dict[str, Any]:
    """The queue's answer. Keys without a value are not sent. `limit`: seconds; None: no limit.

    Raises NotServed, QueueRefused.
    """
    request = {"type": verb, **{key: value for key, value in more.items() if value not in (None, "", False)}}
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(limit)
            connection.connect(str(path))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as answers:
                reply = answers.readline(MAX_BYTES)
    except (OSError, TimeoutError) as error:
        raise NotServed(f"nobody serves the queue at {path} ({error}); start it: heal queue serve") from error
    if not reply.endswith(b"\n"):
        raise NotServed(f"the queue at {path} went away; what it had answered is kept: start it and ask again")
    answer: dict[str, Any] = json.loads(reply)
    if answer.get("status") != "OK":
        raise QueueRefused(str(answer.get("code")), str(answer.get("message")))
    return answer
