"""What /readyz looks at, and what the worker's rounds do beside handing over."""

import io
import json
import logging
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from starlette.applications import Starlette

from bot.app import create_app, create_web
from bot.durable.engine import DurableEngine
from bot.machine import Machine, open_machine
from bot.maintenance.loop import Maintenance
from bot.maintenance.retention import DAY, Retention
from bot.settings import Settings
from bot.store.beats import Heartbeat
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from bot.watching.logs import configure_logs
from bot.watching.readiness import MAX_SILENCE, Readiness
from tests.bot.conftest import Clock
from tests.bot.hub import no_healer


@pytest.fixture
def settings(pem: str) -> Iterator[Settings]:
    """With a data folder that the sandbox's user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="heal-ready-"))
    folder.chmod(0o711)
    yield Settings(data=folder, app_id="1", private_key=SecretStr(pem), webhook_secret=SecretStr("s"))
    shutil.rmtree(folder)


@asynccontextmanager
async def asking(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://heal") as client,
    ):
        yield client


# OP-5
async def test_a_process_that_works_is_ready_where_a_sandbox_works(settings: Settings) -> None:
    async with asking(create_app(settings, DurableEngine(stepped=True))) as client:
        answer = await client.get("/readyz")
        machine_has_a_sandbox = (await client.get("/readyz")).json()["problems"].keys() <= {"sandbox"}
    assert machine_has_a_sandbox
    assert answer.status_code == (503 if answer.json()["problems"] else 200)
    assert answer.json()["notes"] == {}


# OP-12
async def test_an_unsafe_sandbox_is_a_note_of_a_process_that_is_ready(settings: Settings) -> None:
    unsafe = settings.model_copy(update={"sandbox": "unsafe"})
    async with asking(create_app(unsafe, DurableEngine(stepped=True))) as client:
        answer = (await client.get("/readyz")).json()
    assert answer["ready"]
    assert "there is no sandbox" in answer["notes"]["sandbox"]


# OP-5
async def test_a_sandbox_that_can_not_work_is_named_with_what_to_do(settings: Settings) -> None:
    settings.data.chmod(0o700)
    barred = settings.data / "inner"
    barred.mkdir(mode=0o700)
    refusing = settings.model_copy(update={"data": barred, "sandbox": "bubblewrap"})
    async with asking(create_app(refusing, DurableEngine(stepped=True))) as client:
        problems = (await client.get("/readyz")).json()["problems"]
    if "sandbox" not in problems:
        pytest.skip("an ordinary user reaches his own folders, and bubblewrap works here")
    assert "chmod" in problems["sandbox"] or "heal doctor" in problems["sandbox"]


# OP-5
async def test_a_worker_that_is_silent_is_a_problem_where_it_works_and_a_note_where_only_webhooks_are_taken(
    settings: Settings, database: Database, clock: Clock
) -> None:
    beats = Heartbeat(database, "worker", clock)
    working = Readiness(database, settings.data, beats, healers=None, works=True)
    listening = replace(working, works=False)
    assert "heal worker" in (await working.look()).problems["worker"]
    await beats.beat()
    clock.at += MAX_SILENCE
    assert (await working.look()).problems == {}
    clock.at += 1
    assert "has sent no heartbeat" in (await working.look()).problems["worker"]
    assert ((await listening.look()).problems, list((await listening.look()).notes)) == ({}, ["worker"])
    await beats.beat()
    assert (await listening.look()).notes == {}


# OP-5
async def test_a_database_that_is_gone_is_a_problem(settings: Settings, clock: Clock) -> None:
    database = await Database.open(settings.store_url)
    readiness = Readiness(database, settings.data, Heartbeat(database, "worker", clock), healers=None, works=False)
    settings.store_file.unlink()
    settings.store_file.mkdir()
    await database.close()
    assert "DATABASE_URL" in (await readiness.look()).problems["database"]


# OP-2
async def test_a_process_for_webhooks_alone_stores_and_hands_nothing_over(settings: Settings) -> None:
    app = create_web(settings)
    async with asking(app) as client:
        assert (await client.get("/readyz")).status_code == 200
        assert (await client.post("/webhook", content=b"{}")).status_code == 401


# OP-9
async def test_deliveries_that_are_over_are_forgotten_after_their_days_and_waiting_ones_never(
    settings: Settings, clock: Clock
) -> None:
    async with open_machine(settings, DurableEngine(stepped=True), no_healer, clock) as machine:
        kept: Deliveries = machine.work.deliveries
        for guid in ("done", "failed", "waiting"):
            await kept.store(guid, "check_run", b"{}", clock())
        await kept.done("done")
        await kept.failed("failed", "it broke")
        rounds = Maintenance(machine, Retention(settings.keep_days))
        clock.at += settings.keep_days * DAY - 1
        await rounds.once()
        assert await guids(machine) == {"done", "failed", "waiting"}
        clock.at += 3600
        await rounds.once()
        assert await guids(machine) == {"waiting"}


async def guids(machine: Machine) -> set[str]:
    return {row.guid for row in await machine.work.deliveries.waiting("stored", "queued", "done", "failed")}


# OP-5
async def test_a_round_says_that_the_worker_lives(settings: Settings, clock: Clock) -> None:
    async with open_machine(settings, DurableEngine(stepped=True), no_healer, clock) as machine:
        assert await machine.beats.silence() is None
        await Maintenance(machine, Retention(30)).once()
        assert await machine.beats.silence() == 0


# OP-5
async def test_a_log_line_is_json_with_the_runs_id_the_traceback_and_no_token() -> None:
    stream, root = io.StringIO(), logging.getLogger()
    handlers, level = root.handlers, root.level
    try:
        configure_logs(stream)
        try:
            raise ZeroDivisionError("with ghs_0123456789abcdef in it")
        except ZeroDivisionError:
            logging.getLogger("heal.agents").exception("an agent broke off", extra={"run_id": "r1"})
    finally:
        root.handlers = handlers
        root.setLevel(level)
    line = json.loads(stream.getvalue())
    assert (line["event"], line["level"], line["logger"], line["run_id"]) == (
        "an agent broke off",
        "error",
        "heal.agents",
        "r1",
    )
    assert "Traceback (most recent call last)" in line["exception"]
    assert "ghs_" not in stream.getvalue()
