"""Deliveries that never arrived are asked for; those that did are left alone (IN-1, IN-2)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.durable.engine import DurableEngine
from bot.machine import Machine
from bot.maintenance.redelivery import MAX_TRIES, OVERLAP_SECONDS, Redelivery
from bot.store.beats import REDELIVERY, Heartbeat
from bot.store.database import Database
from lab.localhub import checks, pulls
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place
from tests.bot.test_machine import ci_fails, heals_check, running


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


@asynccontextmanager
async def deaf(here: Place, folder: Path, clock: Clock) -> AsyncIterator[tuple[Machine, DurableEngine]]:
    """Heal at work, and nothing that GitHub sends arrives."""
    queue = DurableEngine(stepped=True)
    async with running(here, folder, queue, clock) as machine:
        here.local.webhooks.drop = lambda _: True
        yield machine, queue


def redelivery(machine: Machine) -> Redelivery:
    now = machine.contexts.now
    looked = Heartbeat(machine.database, REDELIVERY, now)
    return Redelivery(machine.contexts.access().app, machine.work.deliveries, looked, now())


def tries(here: Place, event: str) -> list[int]:
    return [len(delivery.attempts) for delivery in here.hub.deliveries if delivery.event == event]


# IN-1, IN-2
async def test_what_nobody_received_is_received_after_a_sweep_and_leads_to_one_run(
    here: Place, tmp_path: Path, clock: Clock
) -> None:
    async with deaf(here, tmp_path, clock) as (machine, queue):
        ci_fails(here, "lint", "tests")
        await here.hub.settled()
        await queue.drain()
        assert here.healed == []
        assert await redelivery(machine).sweep() > 0
        await here.hub.settled()
        await queue.drain()
        await here.hub.settled()
        await queue.drain()
        assert heals_check(here) == ("completed", "neutral")
        assert len(here.healed) == 1


# IN-1
async def test_what_arrived_or_is_not_for_heal_is_not_asked_for(here: Place, tmp_path: Path, clock: Clock) -> None:
    async with running(here, tmp_path, DurableEngine(stepped=True), clock) as machine:
        ci_fails(here, "lint")
        await here.hub.settled()
        here.local.webhooks.drop = lambda delivery: delivery.event == "push"
        pulls.close_pull(here.hub, "mona", here.pull)
        await here.hub.settled()
        assert await redelivery(machine).sweep() == 0


# IN-1
async def test_a_delivery_is_asked_for_so_often_and_then_given_up(here: Place, tmp_path: Path, clock: Clock) -> None:
    async with deaf(here, tmp_path, clock) as (machine, _):
        here.app.webhook_url = "http://127.0.0.1:9/webhook"
        pulls.comment(here.hub, "mona", here.pull, "/heal list")
        await here.hub.settled()
        for _ in range(MAX_TRIES + 2):
            await redelivery(machine).sweep()
            await here.hub.settled()
        assert tries(here, "issue_comment") == [1 + MAX_TRIES]


# IN-1
async def test_a_later_sweep_only_looks_at_what_came_since(here: Place, tmp_path: Path, clock: Clock) -> None:
    async with deaf(here, tmp_path, clock) as (machine, _):
        today = clock.at
        clock.at -= OVERLAP_SECONDS * 2
        pulls.comment(here.hub, "mona", here.pull, "/heal list")
        await here.hub.settled()
        clock.at = today - 1
        await Heartbeat(machine.database, REDELIVERY, clock).beat()  # another process looked meanwhile
        clock.at += 1
        assert await redelivery(machine).sweep() == 0


# IN-1
async def test_the_list_is_read_page_after_page_and_no_further_than_three_days_back(
    here: Place, tmp_path: Path, clock: Clock
) -> None:
    async with deaf(here, tmp_path, clock) as (machine, _):
        clock.at -= 4 * 86_400
        checks.set_status(here.hub, here.repo, here.hub.person("ci"), here.pull.head_sha, "failure", "old")
        await here.hub.settled()
        clock.at += 4 * 86_400
        for number in range(130):
            checks.set_status(here.hub, here.repo, here.hub.person("ci"), here.pull.head_sha, "failure", f"c{number}")
        await here.hub.settled()
        assert await redelivery(machine).sweep() == 130
