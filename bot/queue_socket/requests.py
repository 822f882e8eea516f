"""The requests of the socket's protocol: one JSON object on each line, strictly validated. See docs/queue.md."""

import json
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from healing.model import Frozen

MAX_LINE = 64 << 10  # bytes of a request, including its newline
Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Branch = Annotated[str, StringConstraints(max_length=200)]
Place = Annotated[str, StringConstraints(max_length=4096)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=50, pattern=r"^[^\x00-\x1f\x7f]+$")]
Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


class _Request(Frozen):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    session_id: Name | None = None


class _OfAgent(_Request):
    agent_id: Name


class Register(_OfAgent):
    type: Literal["REGISTER"]
    base_branch: Branch = ""
    branch: Branch = ""
    worktree: Place = ""


class Enqueue(_OfAgent):
    type: Literal["ENQUEUE"]
    branch: Branch = ""
    worktree: Place = ""


class Dequeue(_OfAgent):
    type: Literal["DEQUEUE"]


class Status(_Request):
    type: Literal["STATUS"]


class Conflicts(_OfAgent):
    type: Literal["CONFLICTS"]


class Retry(_OfAgent):
    type: Literal["RETRY"]


class Wait(_Request):
    """Waits for an agent's merge, or without an agent for the end of the session. `timeout` null: without a limit."""

    type: Literal["WAIT"]
    agent_id: Name | None = None
    timeout: Seconds | None = None
    pull_request: bool = False
    labels: Annotated[list[Label], Field(max_length=20, default_factory=list)]  # of the pull request


class SessionEnd(_Request):
    type: Literal["SESSION_END"]
    force: bool = False


class Shutdown(_Request):
    type: Literal["SHUTDOWN"]


Request = Register | Enqueue | Dequeue | Status | Conflicts | Retry | Wait | SessionEnd | Shutdown
VERBS = ("REGISTER", "ENQUEUE", "DEQUEUE", "STATUS", "CONFLICTS", "RETRY", "WAIT", "SESSION_END", "SHUTDOWN")
_READER: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


class BadRequest(Exception):
    """A line is no valid request. `code` is for programs, the message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def read_request(line: bytes) -> Request:
    """Parses a line. Raises BadRequest for any line that is no valid request."""
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadRequest("BAD_JSON", f"the line is no JSON ({type(error).__name__}); send one object a line") from None
    if not isinstance(value, dict):
        raise BadRequest("BAD_JSON", 'the line is no JSON object; send one like {"type": "STATUS"}')
    verb = value.get("type")
    if verb not in VERBS:
        raise BadRequest("UNKNOWN_VERB", f"{str(verb)[:40]!r} is no verb; known are {', '.join(VERBS)}")
    try:
        return _READER.validate_python(value)
    except ValidationError as error:
        problems = "; ".join(_problem(one["loc"], one["msg"]) for one in error.errors()[:5])
        raise BadRequest("BAD_REQUEST", f"{verb}: {problems}") from None


def _problem(loc: tuple[int | str, ...], message: str) -> str:
    name = ".".join(str(part)[:40] for part in loc[1:])
    return f"{name}: {message}" if name else message
