"""Durable steps: every expensive or outward act is one, and its result is stored before it is used.

The code between steps is deterministic and is simply run again after a crash. A step's name is its content (kind and
key), never its position in the code, so replay, take-over, retry and a new version of Heal all reuse what was paid for.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from healing.model import content_id

Json = Any  # what json.dumps takes: None, bool, int, float, str, list, dict


class Steps(Protocol):
    """Stores results by (run, kind, key)."""

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        """Gives the stored result of this step, else awaits `fn`, stores its JSON-serialisable result and gives it.

        `key` is any JSON-serialisable value that names all inputs (and a sample number where a step is repeated on
        purpose). A step that raises stores nothing.
        """
        ...


class MemorySteps:
    """Steps that live as long as the process: for a laptop's one-off run, and for tests of the engine."""

    def __init__(self) -> None:
        self.results: dict[str, Json] = {}

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        name = content_id(kind, key, length=64)
        if name not in self.results:
            self.results[name] = await fn()
        return self.results[name]
