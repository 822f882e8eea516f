"""GET /metrics: metrics for Prometheus, protected by the operator's token."""

import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from bot.store.database import Database

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric as Family

FRESH_SECONDS = 5.0  # how long a response is cached, so that several scrapers cost the database no more than one
OFF = "Metrics are off: set HEAL_METRICS_TOKEN, and give the same token to Prometheus as its bearer token.\n"
WRONG = "The bearer token is missing or wrong: it is the value of HEAL_METRICS_TOKEN.\n"


class Metrics:
    """The endpoint. It is off unless the operator configured a token."""

    def __init__(self, database: Database, token: SecretStr, now: Callable[[], float]) -> None:
        self._database, self._token, self._now = database, token.get_secret_value(), now
        self._families: list[Family] = []
        self._read_at = float("-inf")

    async def get(self, request: Request) -> Response:
        if not self._token:
            return PlainTextResponse(OFF, status_code=404)
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self._token.encode()):
            return PlainTextResponse(WRONG, status_code=401, headers={"WWW-Authenticate": "Bearer"})
        try:
            families = await self._fresh()
        except SQLAlchemyError as error:
            return PlainTextResponse(f"The database doesn't answer: {type(error).__name__}\n", status_code=503)
        return _written(families, request.headers.get("accept", ""))

    async def _fresh(self) -> "list[Family]":
        from bot.metrics.collecting import collect

        if self._now() - self._read_at >= FRESH_SECONDS:
            self._families = await collect(self._database, self._now)
            self._read_at = self._now()
        return self._families


def _written(families: "list[Family]", accept: str) -> Response:
    """Returns the metrics in the requested text format: Prometheus's or OpenMetrics."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.exposition import choose_encoder
    from prometheus_client.registry import Collector

    class Ready(Collector):
        def collect(self) -> "list[Family]":
            return families

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Ready())
    encode, content_type = choose_encoder(accept)
    return Response(encode(registry), headers={"Content-Type": content_type})
