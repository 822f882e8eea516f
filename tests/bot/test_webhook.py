"""How webhooks are answered, and what is kept of them (IN-2)."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from starlette.applications import Starlette

from bot.app import create_app
from bot.durable.engine import DurableEngine
from bot.machine import Machine
from bot.settings import Settings
from bot.store.deliveries import Delivery
from bot.web.protocol import MAX_BODY
from tests.bot.conftest import Clock
from tests.bot.hooks import SECRET, failed_check, headers, raw
from tests.migrated import new_store

GOOD = raw(failed_check())


@pytest.fixture
def settings(tmp_path: Path, pem: str) -> Settings:
    return Settings(data=tmp_path, app_id="1", private_key=SecretStr(pem), webhook_secret=SecretStr(SECRET))


@pytest.fixture
async def app(settings: Settings, clock: Clock) -> AsyncIterator[Starlette]:
    new_store(settings.store_file)
    made = create_app(settings, DurableEngine(stepped=True), now=clock, sleep=clock.sleep)
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def client(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://heal") as opened:
        yield opened


async def kept(app: Starlette, guid: str) -> Delivery | None:
    machine: Machine = app.state.machine
    return await machine.work.deliveries.get(guid)


# IN-2
async def test_a_good_delivery_is_answered_202_and_is_stored_for_anyone_who_works(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    answer = await client.post("/webhook", content=GOOD, headers=headers(GOOD, guid="g-1"))
    assert answer.status_code == 202
    row = await kept(app, "g-1")
    assert row is not None
    assert (row.event, row.body, row.state) == ("check_run", GOOD, "stored")
    assert await app.state.machine.work.take("somebody", 5) == (("g-1", 1),)


BAD_JSON = b'{"action": '
DEEP = b"[" * 200_000
WRONG = raw(failed_check(check_run={"id": "not a number"}))
OTHER = raw({"zen": "Keep it logically awesome.", "hook_id": 1})
PASSING = raw(failed_check(check_run={**failed_check()["check_run"], "conclusion": "success"}))


# IN-2
@pytest.mark.parametrize(
    ("status", "body", "changes"),
    [
        pytest.param(401, GOOD, {"X-Hub-Signature-256": None}, id="no signature"),
        pytest.param(401, GOOD, {"X-Hub-Signature-256": "sha256=" + "0" * 64}, id="a wrong signature"),
        pytest.param(401, GOOD, {"X-Hub-Signature-256": "sha1=" + "0" * 40}, id="only the old kind of signature"),
        pytest.param(401, GOOD, headers(GOOD, secret="another secret"), id="signed with another secret"),
        pytest.param(401, BAD_JSON, {"X-Hub-Signature-256": None}, id="unsigned and malformed: not parsed"),
        pytest.param(400, BAD_JSON, {}, id="malformed JSON"),
        pytest.param(400, DEEP, {}, id="JSON made to break parsers"),
        pytest.param(400, b"[1]", {}, id="JSON, but no object"),
        pytest.param(400, b"\xff\xfe", {}, id="not even text"),
        pytest.param(400, WRONG, {}, id="a payload with fields of the wrong kind"),
        pytest.param(400, GOOD, {"X-GitHub-Event": None}, id="no event name"),
        pytest.param(400, GOOD, {"X-GitHub-Delivery": "../../etc"}, id="a delivery id that is none"),
        pytest.param(415, GOOD, {"Content-Type": "application/x-www-form-urlencoded"}, id="form-encoded"),
        pytest.param(202, OTHER, {"X-GitHub-Event": "ping"}, id="an event that isn't for us"),
        pytest.param(202, OTHER, {"X-GitHub-Event": "brand_new_event"}, id="an event that we don't know"),
        pytest.param(202, PASSING, {}, id="a check that passed"),
    ],
)
async def test_what_isnt_work_is_answered_and_not_stored(
    app: Starlette, client: httpx.AsyncClient, status: int, body: bytes, changes: dict[str, str | None]
) -> None:
    sent = {**headers(body, guid="g-1"), **changes}
    answer = await client.post("/webhook", content=body, headers={k: v for k, v in sent.items() if v is not None})
    assert answer.status_code == status
    assert answer.text.strip()
    assert await kept(app, "g-1") is None


# IN-2
async def test_a_body_over_25_megabytes_is_refused_without_reading_it_to_the_end(client: httpx.AsyncClient) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b"x" * 1024 * 1024

    assert (await client.post("/webhook", content=endless(), headers=headers(b""))).status_code == 413
    assert read <= MAX_BODY // (1024 * 1024) + 2
    announced = {**headers(b""), "Content-Length": str(MAX_BODY + 1)}
    assert (await client.post("/webhook", content=b"x", headers=announced)).status_code == 413


# IN-2
async def test_a_delivery_seen_before_is_answered_200_and_does_nothing(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    for status in (202, 200, 200):
        assert (await client.post("/webhook", content=GOOD, headers=headers(GOOD, guid="g-1"))).status_code == status
    row = await kept(app, "g-1")
    assert row is not None
    assert row.tries == 1


# OP-11
async def test_no_delivery_passes_for_a_form_of_the_dashboard(app: Starlette, client: httpx.AsyncClient) -> None:
    """Not even a signed one: what people asked for is stored by the dashboard alone."""
    reported = {"installation_id": 1, "repo": {"id": 1, "full_name": "a/b"}, "sender": {"login": "maya", "id": 1}}
    body = raw({**reported, "number": 7, "ask_id": 1, "word": "apply", "args": ["all"]})
    answer = await client.post("/webhook", content=body, headers=headers(body, event="dashboard", guid="g-1"))
    assert (answer.status_code, await kept(app, "g-1")) == (202, None)
    answer = await client.post("/webhook", content=GOOD, headers=headers(GOOD, guid="ask:0a1b"))
    assert answer.status_code == 400


# IN-2
async def test_a_redelivery_is_taken_when_the_first_had_failed(app: Starlette, client: httpx.AsyncClient) -> None:
    await client.post("/webhook", content=GOOD, headers=headers(GOOD, guid="g-1"))
    await app.state.machine.work.take("somebody", 5)
    await app.state.machine.work.deliveries.failed("g-1", "no answer with ghs_secretsecretsecret")
    failed = await kept(app, "g-1")
    assert failed is not None
    assert failed.error == "no answer with ***"
    assert (await client.post("/webhook", content=GOOD, headers=headers(GOOD, guid="g-1"))).status_code == 202
    again = await kept(app, "g-1")
    assert again is not None
    assert (again.state, again.tries) == ("stored", 2)
    assert await app.state.machine.work.take("somebody", 5) == (("g-1", 1),), "what was before doesn't count"


# OP-5
async def test_that_the_process_answers_is_told_at_healthz(client: httpx.AsyncClient) -> None:
    assert (await client.get("/healthz")).json() == {"ok": True}
