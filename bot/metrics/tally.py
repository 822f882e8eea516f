"""What one process asked of GitHub since it last reported so: kept in memory, written down with the worker's beat."""

from collections import Counter
from typing import TYPE_CHECKING

from bot.store.counters import Count, add, put
from bot.store.database import Database
from bot.store.metric_names import RATE_LIMIT, REQUESTS

if TYPE_CHECKING:
    import httpx

UNNAMED = "core"  # GitHub's own word for what is not counted apart


class Tally:
    """Requests by method and status, and the least that GitHub still allows. What a killed process had not written
    down yet is lost: 15 seconds of counts, and nothing else."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str]] = Counter()
        self._left: dict[str, float] = {}

    def observe(self, method: str, answer: "httpx.Response | None") -> None:
        """To be called for every request; None: no answer came."""
        self._requests[method, "none" if answer is None else str(answer.status_code)] += 1
        left = "" if answer is None else answer.headers.get("x-ratelimit-remaining", "")
        if answer is not None and left.isdigit() and len(left) < 10:
            resource = answer.headers.get("x-ratelimit-resource", UNNAMED)
            resource = resource if resource.isidentifier() and len(resource) < 50 else UNNAMED
            self._left[resource] = min(float(left), self._left.get(resource, float("inf")))

    async def write_down(self, database: Database) -> None:
        """Adds it to the counters and begins again. Raises SQLAlchemyError, and then nothing is lost."""
        requests, left = dict(self._requests), dict(self._left)
        if not requests:
            return
        async with database.write() as connection:
            await add(connection, [Count(REQUESTS, key, value) for key, value in requests.items()])
            await put(connection, [Count(RATE_LIMIT, (resource,), value) for resource, value in left.items()])
        self._requests.subtract(requests)
        self._left = {}
