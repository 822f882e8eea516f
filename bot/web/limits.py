"""Rate limits per client address, with token buckets; deliveries have none."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MAX_ADDRESSES = 10_000  # kept per process; the least recently seen are dropped first
TOO_MANY = (
    "Too many requests from your address. Wait, then try again; the Retry-After header says for how many seconds.\n"
)


@dataclass(frozen=True)
class Rate:
    """The size of a bucket in requests, and how many are added per second."""

    at_once: float
    a_second: float


# By path prefix; the first match applies. None: no limit. GitHub's deliveries come in bursts and are authenticated by
# their signature; /healthz is for the operator's monitoring.
RATES: tuple[tuple[str, Rate | None], ...] = (
    ("/webhook", None),
    ("/healthz", None),
    ("/auth/start", Rate(20, 1 / 15)),
    ("/auth/", Rate(30, 0.2)),
    ("/sign-out", Rate(30, 0.2)),
    ("/ask/", Rate(30, 0.2)),
    ("/setup", Rate(60, 0.5)),
    ("", Rate(300, 20)),
)


class Buckets:
    """The buckets of all addresses. `now` returns Unix time in seconds; a clock that is set back removes no
    requests."""

    def __init__(self, rate: Rate, now: Callable[[], float]) -> None:
        self._rate, self._now = rate, now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address → (requests left, time)

    def take(self, address: str) -> float:
        """Takes one request from the bucket; returns 0.0 if there was one, else the seconds until there is."""
        now = self._now()
        left, at = self._left.get(address, (self._rate.at_once, now))
        left = min(self._rate.at_once, left + max(now - at, 0.0) * self._rate.a_second)
        wait = 0.0 if left >= 1 else (1 - left) / self._rate.a_second
        self._left[address] = (left if wait else left - 1, now)
        self._left.move_to_end(address)
        while len(self._left) > MAX_ADDRESSES:
            self._left.popitem(last=False)
        return wait

    def __len__(self) -> int:
        return len(self._left)


class RequestLimits:
    """The middleware around all routes. The client's address comes from the server: behind a proxy it is the one in
    `X-Forwarded-For`, if the proxy is in `FORWARDED_ALLOW_IPS` (by default only this machine)."""

    def __init__(self, app: ASGIApp, now: Callable[[], float]) -> None:
        self._app = app
        self._buckets = tuple((start, Buckets(rate, now) if rate else None) for start, rate in RATES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        buckets = self._of(scope["path"]) if scope["type"] == "http" else None
        wait = buckets.take(source(scope["client"])) if buckets is not None else 0.0
        if not wait:
            await self._app(scope, receive, send)
            return
        headers = {"Retry-After": str(ceil(wait)), "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        await PlainTextResponse(TOO_MANY, 429, headers)(scope, receive, send)

    def _of(self, path: str) -> Buckets | None:
        return next(buckets for start, buckets in self._buckets if path.startswith(start))


def source(client: tuple[str, int] | None) -> str:
    """Returns the key under which a client's requests are counted: its IPv4 address, or the /64 prefix of its IPv6
    address, which belongs to one customer."""
    host = client[0] if client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host[:64]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return address.exploded[:19]
    return str(getattr(address, "ipv4_mapped", None) or address)
