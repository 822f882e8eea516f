"""A whole play with one disaster after the other, drawn by a seed; and what is to be found afterwards."""

import asyncio
import contextlib
import random
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.killing.company import Companies
from tests.killing.disasters import KINDS, Afterwards, Kind
from tests.killing.ending import Bill, Ending, bill_of, difference, ending_of
from tests.killing.moments import Moment, moment
from tests.killing.process import HealProcess
from tests.killing.stage import Stage, applies, heals, set_stage
from tests.killing.theatre import Theatre

QUIET = 60.0  # longer than Heal is ever dead: else failures that come meanwhile rightly open a second attempt
MAX_WAIT = 900.0  # seconds for a play in which Heal dies again and again
LIMIT = {True: 10, False: 6}  # disasters of a play, for one process and for several
ALONE_OF = 5  # so many seeds; three of them are plays of one process
TEMPORARY = "tmp"


@dataclass(frozen=True)
class Disaster:
    """What happens, and when, seen from the one before."""

    kind: Kind
    moment: Moment

    def __str__(self) -> str:
        return f"{self.kind.name} ({self.moment})"


@dataclass(frozen=True)
class Ordeal:
    """A play and what befalls Heal in it, in order, as far as the play lasts."""

    seed: int
    alone: bool
    disasters: tuple[Disaster, ...]
    rng: random.Random = field(compare=False)


@dataclass(frozen=True)
class Peace:
    """How the play ends when nothing happens, what it costs, how many refs Heal keeps, and its seconds."""

    ending: Ending
    bill: Bill
    refs: int
    seconds: float


@dataclass
class Damage:
    """What one play has cost. `happened`: the names of the disasters that came before its end. Losses ought to be
    nothing; `in_flight` is how many model calls were lost on their way, each counted in the run's own bill."""

    seed: int
    alone: bool
    happened: list[str]
    seconds: float = 0.0
    lost: int = 0
    doubled: int = 0
    different: int = 0
    asked_again: int = 0
    leaked: int = 0
    in_flight: int = 0
    story: str = ""

    @property
    def harmless(self) -> bool:
        return not (self.lost or self.doubled or self.different or self.asked_again or self.leaked)


def drawn(seed: int) -> Ordeal:
    """The seed's ordeal. For which others have to notice a silence comes last, once a play."""
    rng = random.Random(seed)
    alone = seed % ALONE_OF < 3
    short = [kind for kind in KINDS if kind.alone == alone and not kind.long]
    kinds = [rng.choice(short) for _ in range(LIMIT[alone])]
    if not alone:
        kinds[-1] = rng.choice([kind for kind in KINDS if kind.long])
    return Ordeal(seed, alone, tuple(Disaster(kind, moment(rng, alone)) for kind in kinds), rng)


async def in_peace(theatre: Theatre) -> Peace:
    """It is played twice: the first time makes tools."""
    for _ in range(2):
        async with set_stage(theatre, theatre.opening(), QUIET) as stage:
            begun = time.monotonic()
            await _act(stage, theatre)
            took = time.monotonic() - begun
            peace = Peace(ending_of(stage), bill_of(stage), len(refs(stage.data)), took)
            await stage.heal.stop()
    return peace


async def suffer(ordeal: Ordeal, theatre: Theatre, companies: Companies | None, peace: Peace) -> Damage:
    """The play with its disasters, compared with how it ends when nothing happens."""
    happened: list[Disaster] = []
    begun = time.monotonic()
    company = companies.open if companies and not ordeal.alone else None
    scene = theatre.opening()
    temporary = theatre.folder / TEMPORARY
    temporary.mkdir(mode=0o711, exist_ok=True)
    damage = Damage(ordeal.seed, ordeal.alone, [])
    try:
        async with set_stage(theatre, scene, QUIET, company, {"TMPDIR": str(temporary)}) as stage:
            stage.longest_wait = MAX_WAIT
            await _play(stage, theatre, ordeal, peace.seconds, happened)
            _compare(damage, ending_of(stage), bill_of(stage), peace)
            left = await _left(stage, peace)
            damage.leaked, damage.story = len(left), "\n".join(filter(None, (damage.story, *left)))
    except (AssertionError, ExceptionGroup, TimeoutError) as error:
        damage.lost, damage.story = 1, _told(error)
    damage.happened = [disaster.kind.name for disaster in happened]
    damage.seconds = round(time.monotonic() - begun, 1)
    if not damage.harmless:
        reported = [f"{number}. {disaster}" for number, disaster in enumerate(happened, 1)]
        damage.story = "\n".join((*reported, damage.story))
    return damage


def _compare(damage: Damage, ending: Ending, bill: Bill, peace: Peace) -> None:
    differs = difference(peace.ending, ending)
    damage.doubled = max(0, _posts(ending) - _posts(peace.ending))
    damage.different = int(bool(differs) and not damage.doubled)
    repeated = sum(times - 1 for times in bill.asked.values())
    damage.asked_again = max(0, repeated - bill.lost) + max(0, len(bill.asked) - len(peace.bill.asked))
    damage.in_flight, damage.story = bill.lost, differs


async def _left(stage: Stage, peace: Peace) -> list[str]:
    """What stays that should not: before its end, and after it."""
    left = await _settles(stage.heal.left)
    if isinstance(stage.heal, HealProcess) and len(kept := refs(stage.data)) > peace.refs:
        left.append(f"refs: {kept}")
    await stage.heal.stop()
    temporary = stage.data.parent / TEMPORARY
    left += [f"temporary {path.name}" for path in temporary.iterdir()]
    return [*left, *mounts(stage.data.parent)]


async def _play(stage: Stage, theatre: Theatre, ordeal: Ordeal, longest: float, happened: list[Disaster]) -> None:
    """All acts, with everything that comes before their end; afterwards nothing is under way."""
    over = asyncio.Event()
    async with _delivering_again(stage), asyncio.TaskGroup() as group:
        group.create_task(_befall(stage, ordeal, longest, happened, over))
        try:
            await _act(stage, theatre)
        finally:
            over.set()
    async with _delivering_again(stage):
        await stage.until("rest", stage.idle)


async def _act(stage: Stage, theatre: Theatre) -> None:
    await heals(stage, theatre.recorded)
    await applies(stage)
    await stage.until("rest", stage.idle)


async def _befall(stage: Stage, ordeal: Ordeal, longest: float, happened: list[Disaster], over: asyncio.Event) -> None:
    for disaster in ordeal.disasters:
        blow = _Blow(stage, disaster, ordeal.rng, over)
        coming = asyncio.create_task(disaster.moment.comes(stage, longest, blow.falls))
        ending = asyncio.create_task(over.wait())
        await asyncio.wait((coming, ending), return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        if not blow.fallen:
            coming.cancel()
            return
        happened.append(disaster)
        await coming
        if blow.afterwards is not None:
            await blow.afterwards()


@dataclass
class _Blow:
    stage: Stage
    disaster: Disaster
    rng: random.Random
    over: asyncio.Event
    fallen: bool = False
    afterwards: Afterwards | None = None

    async def falls(self) -> None:
        if not self.over.is_set():
            self.fallen = True
            self.afterwards = await self.disaster.kind.blow(self.stage, self.rng)


@asynccontextmanager
async def _delivering_again(stage: Stage) -> AsyncIterator[None]:
    """What GitHub could not deliver, an operator has delivered again."""

    async def again() -> None:
        while True:
            await asyncio.sleep(0.5)
            for delivery in [] if stage.hub.unanswered else stage.hub.deliveries:
                if delivery.attempts and not 200 <= delivery.attempts[-1].status_code < 300:
                    assert stage.hub.redeliver is not None
                    stage.hub.redeliver(delivery)

    task = asyncio.create_task(again())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _settles(look: Callable[[], list[str]]) -> list[str]:
    """What stays: a worktree may be removed a moment after the run's end is written."""
    for _ in range(80):
        if not (left := look()):
            return []
        await asyncio.sleep(0.25)
    return left


def refs(data: Path) -> list[str]:
    """All that Heal's own bare repositories point at."""
    found: list[str] = []
    for bare in (*(data / "repos").glob("*.git"), *(data / "mirrors").glob("*")):
        listed = ["git", f"--git-dir={bare}", "for-each-ref", "--format=%(refname)"]
        found += subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
    return sorted(found)


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
