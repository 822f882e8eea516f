"""What one address may ask: enough for people, too little to wear the process out, and never too little for GitHub."""

from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from bot.app import create_web
from bot.settings import Settings
from bot.web.limits import MAX_ADDRESSES, RATES, Buckets, Rate, source
from bot.web.setup import create_setup
from tests.bot.conftest import Clock
from tests.bot.hooks import SECRET, failed_check, headers, raw


def asking(app: Starlette, address: str = "203.0.113.9") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, client=(address, 4711))
    return httpx.AsyncClient(transport=transport, base_url="http://heal")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, client_id="c", client_secret=SecretStr("s"), webhook_secret=SecretStr(SECRET))


PATHS = (
    "/", "/sign-in", "/auth/start", "/auth/callback", "/repositories", "/metrics", "/readyz", "/assets/no.css",
    "/ask/fixes/a/b/1", "/no",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
async def test_every_public_route_refuses_an_address_that_asks_too_often(
    path: str, settings: Settings, clock: Clock
) -> None:
    app = create_web(settings, clock)
    most = next(int(rate.at_once) for start, rate in RATES if rate and path.startswith(start))
    async with app.router.lifespan_context(app), asking(app) as client, asking(app, "203.0.113.10") as other:
        answers = [await client.get(path) for _ in range(most + 1)]
        assert answers[-1].status_code == 429
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
        assert all(answer.status_code < 500 or path in ("/readyz", "/") for answer in answers)
        assert (await other.get(path)).status_code != 429
        clock.at += int(answers[-1].headers["retry-after"])
        assert (await client.get(path)).status_code != 429


async def test_the_set_up_is_limited_too(settings: Settings, clock: Clock) -> None:
    app = create_setup(settings, "token", lambda: None, clock)
    async with app.router.lifespan_context(app), asking(app) as client:
        codes = [(await client.get("/setup/created?state=x&code=y")).status_code for _ in range(61)]
    assert set(codes[:60]) == {403}
    assert codes[60] == 429


# IN-2
async def test_a_storm_of_signed_deliveries_is_taken_and_unsigned_ones_are_refused_unread(
    settings: Settings, clock: Clock
) -> None:
    app, body, pulled = create_web(settings, clock), raw(failed_check()), 0

    async def endless() -> object:
        nonlocal pulled
        while True:
            pulled += 1
            yield b"x" * 1000

    async with app.router.lifespan_context(app), asking(app) as client:
        for number in range(400):
            answer = await client.post("/webhook", content=body, headers=headers(body, guid=f"g-{number}"))
            assert answer.status_code == 202
        for signature in ("", "sha1=00", "sha256=", "sha256=" + "g" * 64, "sha256=" + "0" * 63):
            reported = {"x-hub-signature-256": signature} if signature else {}
            answer = await client.post("/webhook", content=endless(), headers=reported)  # type: ignore[arg-type]
            assert answer.status_code == 401, signature
    assert pulled <= 5 * 2


@given(st.lists(st.tuples(st.floats(-5, 60), st.sampled_from("ab")), max_size=200))
def test_nobody_gets_more_than_the_rate_and_who_waits_as_told_is_served(steps: list[tuple[float, str]]) -> None:
    clock, rate = Clock(), Rate(5, 0.5)
    buckets, served = Buckets(rate, clock), {"a": 0, "b": 0}
    ahead = 0.0
    for passed, address in steps:
        clock.at += passed
        ahead += max(passed, 0.0)
        wait = buckets.take(address)
        served[address] += not wait
        assert served[address] <= rate.at_once + ahead * rate.a_second + 1e-6
        if wait:
            clock.at += wait + 1e-6
            ahead += wait + 1e-6
            assert buckets.take(address) == 0.0
            served[address] += 1


def test_the_memory_of_addresses_is_bounded() -> None:
    buckets = Buckets(Rate(1, 1), Clock())
    for number in range(MAX_ADDRESSES + 500):
        buckets.take(str(number))
    assert len(buckets) == MAX_ADDRESSES


@pytest.mark.parametrize(
    ("client", "counted"),
    [
        (("203.0.113.9", 1), "203.0.113.9"),
        (("::ffff:203.0.113.9", 1), "203.0.113.9"),
        (("2001:db8:1:2::1", 1), "2001:0db8:0001:0002"),
        (("2001:db8:1:2:ffff::9", 1), "2001:0db8:0001:0002"),
        (None, ""),
        (("x" * 5000, 1), "x" * 64),
    ],
)
def test_requests_are_counted_for_whom_an_address_is_given_to(client: tuple[str, int] | None, counted: str) -> None:
    assert source(client) == counted


async def test_only_a_proxy_that_the_operator_trusts_says_whose_request_it_is() -> None:
    """What `heal serve` starts: uvicorn's own rule, by FORWARDED_ALLOW_IPS, else this machine alone."""
    from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(source(scope["client"]))
        await PlainTextResponse("ok")(scope, receive, send)

    behind = ProxyHeadersMiddleware(app, trusted_hosts="127.0.0.1,::1")  # type: ignore[arg-type]
    for address, output in (("127.0.0.1", "198.51.100.7"), ("203.0.113.9", "198.51.100.7"),
                          ("127.0.0.1", "192.0.2.1, 198.51.100.7")):  # fmt: skip
        transport = httpx.ASGITransport(behind, client=(address, 1))  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://heal") as client:
            await client.get("/", headers={"X-Forwarded-For": output})
    assert seen == ["198.51.100.7", "203.0.113.9", "198.51.100.7"]
