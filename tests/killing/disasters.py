"""What can happen to Heal: each is a blow that falls in an instant, and what becomes of it afterwards."""

import asyncio
import contextlib
import os
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.killing.company import TAKE_OVER, Company, Member
from tests.killing.process import HealProcess
from tests.killing.stage import Stage

DOWN = 1.0  # seconds that something is down before it is started again
LONG = 1.3 * TAKE_OVER  # longer than anybody waits for a silent worker
Afterwards = Callable[[], Awaitable[None]]
Blow = Callable[[Stage, random.Random], Awaitable[Afterwards]]


@dataclass(frozen=True)
class Kind:
    """A kind of disaster; `alone`: it befalls the one process, else web and workers on PostgreSQL. `long`: others have
    to notice a silence first."""

    name: str
    alone: bool
    blow: Blow
    long: bool = False


async def killed(stage: Stage, _: random.Random) -> Afterwards:
    """The one process; started again as soon as nothing of it lives."""
    heal = stage.heal
    assert isinstance(heal, HealProcess)
    await heal.kill()

    async def again() -> None:
        await heal.nothing_survives()
        await heal.launch()

    return again


async def web_killed(stage: Stage, _: random.Random) -> Afterwards:
    """Somebody starts it again."""
    return await _dead(_company(stage).web)


async def worker_killed(stage: Stage, rng: random.Random) -> Afterwards:
    """One of them; somebody starts it again."""
    return await _dead(_worker(stage, rng))


async def workers_killed(stage: Stage, _: random.Random) -> Afterwards:
    """Both at once."""
    return await _dead(*_company(stage).workers)


async def worker_lost(stage: Stage, rng: random.Random) -> Afterwards:
    """One of them, with its machine, for good."""
    worker = _worker(stage, rng)
    worker.gone = True
    return await _dead(worker)


async def worker_stands_still(stage: Stage, rng: random.Random) -> Afterwards:
    """One of them is stopped for so long that its work is taken over, then goes on."""
    worker = _worker(stage, rng)
    if not worker.process.living:
        return _nothing
    pid = worker.process.pid
    os.kill(pid, signal.SIGSTOP)

    async def goes_on() -> None:
        await asyncio.sleep(LONG)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    return goes_on


async def database_killed(stage: Stage, _: random.Random) -> Afterwards:
    """The server, and it comes back."""
    server = _company(stage).server
    await asyncio.to_thread(server.kill)

    async def comes_back() -> None:
        await asyncio.sleep(DOWN)
        await asyncio.to_thread(server.start)

    return comes_back


async def database_cut_off(stage: Stage, rng: random.Random) -> Afterwards:
    """From one worker, for a moment."""
    return await _cut_off(stage, rng, 2.0)


async def database_cut_off_for_long(stage: Stage, rng: random.Random) -> Afterwards:
    """From one worker, until its work is taken over."""
    return await _cut_off(stage, rng, LONG)


async def github_cut_off(stage: Stage, _: random.Random) -> Afterwards:
    """From both workers."""
    ways = [worker.to_github for worker in _company(stage).workers]
    for way in ways:
        way.hold()

    async def is_back() -> None:
        await asyncio.sleep(2)
        for way in ways:
            way.release()

    return is_back


async def everything_killed(stage: Stage, rng: random.Random) -> Afterwards:
    """A power cut in the whole building."""
    company = _company(stage)
    dead = await _dead(*company.members)
    comes_back = await database_killed(stage, rng)

    async def again() -> None:
        await comes_back()
        await dead()

    return again


KINDS = (
    Kind("Heal is killed", True, killed),
    Kind("the web process is killed", False, web_killed),
    Kind("a worker is killed", False, worker_killed),
    Kind("both workers are killed", False, workers_killed),
    Kind("the database is killed", False, database_killed),
    Kind("the database is cut off from a worker", False, database_cut_off),
    Kind("GitHub is cut off from both workers", False, github_cut_off),
    Kind("everything is killed", False, everything_killed),
    Kind("the database is cut off from a worker until its work is taken over", False, database_cut_off_for_long, True),
    Kind("a worker is lost for good", False, worker_lost, True),
    Kind("a worker stands still until its work is taken over", False, worker_stands_still, True),
)


async def _cut_off(stage: Stage, rng: random.Random, seconds: float) -> Afterwards:
    way = _worker(stage, rng).to_database
    way.hold()

    async def is_back() -> None:
        await asyncio.sleep(seconds)
        way.release()

    return is_back


async def _dead(*members: Member) -> Afterwards:
    await asyncio.gather(*(member.process.kill() for member in members))

    async def gone() -> None:
        for member in members:
            await member.process.nothing_survives()

    return gone


async def _nothing() -> None:
    """It was dead already."""


def _company(stage: Stage) -> Company:
    assert isinstance(stage.heal, Company)
    return stage.heal


def _worker(stage: Stage, rng: random.Random) -> Member:
    return rng.choice(_company(stage).workers)
