"""Durable steps: the result of every expensive or outward act is stored before it is used.

The code between steps is deterministic and is simply run again after a crash. A step is identified by its content (kind
and key), never by its position in the code, so replay, take-over, retry and a new version of Heal all reuse results
that were already paid for.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from healing.model import content_id

Json = Any  # what json.dumps takes: None, bool, int, float, str, list, dict


class Steps(Protocol):
    """Stores results by (run, kind, key)."""

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        """Returns the stored result of this step; otherwise awaits `fn`, stores its JSON-serialisable result and
        returns it.

        `key` is any JSON-serialisable value that names all inputs (and a sample number where a step is repeated on
        purpose). A step that raises stores nothing.
        """
        ...


class MemorySteps:
    """Steps kept in memory for the life of the process: for a one-off run on a laptop, and for tests of the engine."""

    def __init__(self) -> None:
        self.results: dict[str, Json] = {}

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        name = content_id(kind, key, length=64)
        if name not in self.results:
            self.results[name] = await fn()
        return self.results[name]
