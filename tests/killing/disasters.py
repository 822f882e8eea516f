"""What happens to Heal in a whole play, at a time that only the seed knows, and what is to be found afterwards."""

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from tests.killing.company import TAKE_OVER, Companies, Company, Member
from tests.killing.ending import Bill, Ending, bill_of, difference, ending_of
from tests.killing.process import HealProcess
from tests.killing.stage import Stage, applies, heals, set_stage
from tests.killing.theatre import Theatre

DOWN = 1.0  # seconds that something is down before it is started again
QUIET = 30.0  # longer than Heal is ever dead: else failures that come meanwhile rightly open a second attempt
LONG = 1.3 * TAKE_OVER  # longer than anybody waits for a silent worker
Strike = Callable[[Stage, random.Random], Awaitable[None]]


@dataclass(frozen=True)
class Kind:
    """A kind of disaster; `alone`: it befalls the one process, else web and workers on PostgreSQL."""

    name: str
    alone: bool
    strike: Strike


@dataclass(frozen=True)
class Damage:
    """What one play has cost. All but `seconds` and `in_flight` ought to be nothing; `in_flight` is how many model
    calls were lost on their way, each counted in the run's own bill."""

    seed: int
    kind: str
    at: float
    seconds: float = 0.0
    lost: int = 0
    doubled: int = 0
    different: int = 0
    asked_again: int = 0
    in_flight: int = 0
    leaked: int = 0
    story: str = ""

    @property
    def harmless(self) -> bool:
        return not (self.lost or self.doubled or self.different or self.asked_again or self.leaked)


async def killed(stage: Stage, _: random.Random) -> None:
    """The one process, and its machine comes back."""
    heal = _alone(stage)
    await heal.kill()
    await heal.nothing_survives()
    await asyncio.sleep(DOWN)
    await heal.start()


async def killed_twice(stage: Stage, rng: random.Random) -> None:
    """Again, soon after it came back."""
    await killed(stage, rng)
    await asyncio.sleep(rng.uniform(0, 3))
    await killed(stage, rng)


async def web_killed(stage: Stage, _: random.Random) -> None:
    """Somebody starts it again."""
    await _company(stage).web.process.kill()


async def worker_killed(stage: Stage, rng: random.Random) -> None:
    """One of them; somebody starts it again."""
    await _worker(stage, rng).process.kill()


async def workers_killed(stage: Stage, _: random.Random) -> None:
    """Both at once."""
    await asyncio.gather(*(worker.process.kill() for worker in _company(stage).workers))


async def worker_lost(stage: Stage, rng: random.Random) -> None:
    """One of them, with its machine, for good."""
    worker = _worker(stage, rng)
    worker.gone = True
    await worker.process.kill()


async def worker_stands_still(stage: Stage, rng: random.Random) -> None:
    """One of them is stopped for so long that its work is taken over, then goes on."""
    worker = _worker(stage, rng)
    pid = worker.process.pid
    os.kill(pid, signal.SIGSTOP)
    await asyncio.sleep(LONG)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


async def database_killed(stage: Stage, _: random.Random) -> None:
    """The server, and it comes back."""
    server = _company(stage).server
    await asyncio.to_thread(server.kill)
    await asyncio.sleep(DOWN)
    await asyncio.to_thread(server.start)


async def database_cut_off(stage: Stage, rng: random.Random) -> None:
    """From one worker, for a moment or for long."""
    worker = _worker(stage, rng)
    worker.to_database.hold()
    await asyncio.sleep(rng.choice((2.0, LONG)))
    worker.to_database.release()


async def github_cut_off(stage: Stage, _: random.Random) -> None:
    """From both workers."""
    for worker in _company(stage).workers:
        worker.to_github.hold()
    await asyncio.sleep(3)
    for worker in _company(stage).workers:
        worker.to_github.release()


async def everything_killed(stage: Stage, rng: random.Random) -> None:
    """A power cut in the whole building."""
    company = _company(stage)
    await asyncio.gather(*(member.process.kill() for member in company.members), database_killed(stage, rng))


KINDS = (
    Kind("Heal is killed", True, killed),
    Kind("Heal is killed twice", True, killed_twice),
    Kind("the web process is killed", False, web_killed),
    Kind("a worker is killed", False, worker_killed),
    Kind("both workers are killed", False, workers_killed),
    Kind("a worker is lost for good", False, worker_lost),
    Kind("a worker stands still", False, worker_stands_still),
    Kind("the database is killed", False, database_killed),
    Kind("the database is cut off from a worker", False, database_cut_off),
    Kind("GitHub is cut off from both workers", False, github_cut_off),
    Kind("everything is killed", False, everything_killed),
)


def drawn(seed: int, longest: float) -> tuple[Kind, float, random.Random]:
    """The seed's disaster, the seconds after CI failed at which it comes, and what it draws itself."""
    rng = random.Random(seed)
    return KINDS[seed % len(KINDS)], rng.uniform(0.1, longest), rng


async def in_peace(theatre: Theatre) -> tuple[tuple[Ending, Bill], float]:
    """How the play ends when nothing happens, and how long it takes. It is given twice: the first time makes tools."""
    for _ in range(2):
        async with set_stage(theatre, theatre.opening(), QUIET) as stage:
            begun = time.monotonic()
            await heals(stage, theatre.recorded)
            await applies(stage)
            await stage.until("rest", stage.idle)
            took, end = time.monotonic() - begun, (ending_of(stage), bill_of(stage))
            await stage.heal.stop()
    return end, took


async def suffer(
    seed: int, longest: float, theatre: Theatre, companies: Companies, healthy: tuple[Ending, Bill]
) -> Damage:
    """One whole play with its disaster, compared with how it ends when nothing happens."""
    kind, at, rng = drawn(seed, longest)
    begun = asyncio.get_running_loop().time()
    company = None if kind.alone else companies.open
    try:
        async with set_stage(theatre, theatre.opening(), QUIET, company) as stage:
            found = await _play(stage, theatre, kind, at, rng)
            ending, bill, left, still = found
    except (AssertionError, ExceptionGroup, TimeoutError) as error:
        return Damage(seed, kind.name, round(at, 2), lost=1, story=_told(error))
    expected, paid = healthy
    differs = difference(expected, ending)
    doubled = max(0, _posts(ending) - _posts(expected))
    repeated = sum(times - 1 for times in bill.asked.values())
    return Damage(
        seed, kind.name, round(at, 2), round(asyncio.get_running_loop().time() - begun, 1),
        lost=0, doubled=doubled, different=int(bool(differs) and not doubled),
        asked_again=max(0, repeated - bill.lost) + max(0, len(bill.asked) - len(paid.asked)), in_flight=bill.lost,
        leaked=len(left) + len(still), story="\n".join(filter(None, (differs, *left, *still))),
    )  # fmt: skip


async def _play(
    stage: Stage, theatre: Theatre, kind: Kind, at: float, rng: random.Random
) -> tuple[Ending, Bill, list[str], list[str]]:
    async def strike() -> None:
        await asyncio.sleep(at)
        await kind.strike(stage, rng)

    async def deliver_again() -> None:
        """What GitHub could not deliver, an operator has delivered again."""
        while True:
            await asyncio.sleep(0.5)
            for delivery in [] if stage.hub.unanswered else stage.hub.deliveries:
                if delivery.attempts and not 200 <= delivery.attempts[-1].status_code < 300:
                    assert stage.hub.redeliver is not None
                    stage.hub.redeliver(delivery)

    again = asyncio.create_task(deliver_again())
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(strike())
            group.create_task(heals(stage, theatre.recorded))
        await applies(stage)
        await stage.until("rest", stage.idle)
        ending, bill = ending_of(stage), bill_of(stage)
        await stage.heal.nothing_survives()
        left = await _settles(stage.heal.left)
        await stage.heal.stop()
        return ending, bill, left, mounts(stage.data.parent)
    finally:
        again.cancel()


async def _settles(look: Callable[[], list[str]]) -> list[str]:
    """What stays: a worktree may be removed a moment after the run's end is written."""
    for _ in range(40):
        if not (left := look()):
            return []
        await asyncio.sleep(0.25)
    return left


def mounts(below: Path) -> list[str]:
    """File systems that are mounted below a folder in this namespace."""
    return [line for line in Path("/proc/self/mounts").read_text().splitlines() if str(below) in line]


def _posts(ending: Ending) -> int:
    commits = sum(len(one) for one in ending.branches.values())
    return len(ending.comments) + len(ending.reviews) + len(ending.checks) + len(ending.pulls) + commits


def _told(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return "\n".join(_told(one) for one in error.exceptions)
    return f"{type(error).__name__}: {error}"


def _alone(stage: Stage) -> HealProcess:
    assert isinstance(stage.heal, HealProcess)
    return stage.heal


def _company(stage: Stage) -> Company:
    assert isinstance(stage.heal, Company)
    return stage.heal


def _worker(stage: Stage, rng: random.Random) -> Member:
    return rng.choice(_company(stage).workers)
