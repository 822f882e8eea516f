"""The one subprocess door of the engine."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Completed:
    """A command that ended. `exit_code` is None when it was killed at a limit (`why` says which); `output` is stdout
    and stderr as they came, cut in the middle when over the limit (`truncated`)."""

    argv: tuple[str, ...]
    exit_code: int | None
    output: bytes
    seconds: float
    truncated: bool = False
    why: str = ""
