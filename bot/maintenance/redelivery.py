"""Asks GitHub to send webhook deliveries again that failed. GitHub keeps them for three days and never retries by
itself."""

import logging
from collections import defaultdict
from datetime import datetime
from typing import Any

from bot.github.tokens import App
from bot.store.beats import Heartbeat
from bot.store.deliveries import Deliveries
from handlers.intake import HANDLED

KEPT_SECONDS = 3 * 86_400.0  # GitHub can't send older deliveries again
OVERLAP_SECONDS = 900.0  # before the last search, because GitHub's list may lag
MAX_TRIES = 3  # how often a delivery is requested again

log = logging.getLogger("heal.redelivery")


class Redelivery:
    """`last_search` stores for all processes when GitHub's list was last searched."""

    def __init__(self, app: App, deliveries: Deliveries, last_search: Heartbeat, now: float) -> None:
        self._app = app
        self._deliveries = deliveries
        self._last_search = last_search
        self._now = now

    async def sweep(self) -> int:
        """Requests all deliveries since the last search that got no 2xx response. Returns how many. Raises Refused."""
        silence = await self._last_search.silence()
        span = KEPT_SECONDS if silence is None else min(silence + OVERLAP_SECONDS, KEPT_SECONDS)
        asked = 0
        for guid, tries in (await self._tries(self._now - span)).items():
            if await self._wanted(guid, tries):
                await self._app.call("POST", f"/app/hook/deliveries/{int(tries[0]['id'])}/attempts")
                asked += 1
        await self._last_search.beat()
        if asked:
            log.info("asked GitHub for %d deliveries that had not arrived", asked)
        return asked

    async def _tries(self, since: float) -> dict[str, list[dict[str, Any]]]:
        """The attempts of each delivery by its id, the newest first."""
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        async for item in self._app.pages("/app/hook/deliveries"):
            at = datetime.fromisoformat(str(item["delivered_at"]).replace("Z", "+00:00")).timestamp()
            if at < since:
                break
            found[str(item["guid"])].append(item)
        return found

    async def _wanted(self, guid: str, tries: list[dict[str, Any]]) -> bool:
        if tries[0]["event"] not in HANDLED or any(200 <= int(one["status_code"] or 0) < 300 for one in tries):
            return False
        if sum(bool(one["redelivery"]) for one in tries) >= MAX_TRIES:
            return False
        known = await self._deliveries.get(guid)  # it may be stored although GitHub did not wait for the response
        return known is None or known.state == "failed"
