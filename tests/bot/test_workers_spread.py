"""One run on two machines: its clusters are worked on by both workers, and by the other one where one of them dies."""

import asyncio
import contextlib
import json
import re
import shutil
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import psycopg
import pytest

from tests.bot.postgres import postgres_server
from tests.killing.company import Companies, Company, Member
from tests.killing.ending import Ending, ending_of
from tests.killing.process import HealProcess
from tests.killing.scene import set_up
from tests.killing.stage import Stage, heals, set_stage
from tests.killing.theatre import Theatre, built
from tests.model_standin.brains import oracle
from tests.model_standin.replies import Body
from tests.model_standin.server import Standin, serve

NAMES = ("calc", "words", "dates", "units", "names", "sizes")
CI = """
name: CI
on: pull_request
jobs:
  lint:
    runs-on: self-hosted
    steps:
      - uses: actions/checkout@v4
      - run: ruff check .
"""
MAIN = {
    ".github/workflows/ci.yml": CI,
    "pyproject.toml": '[tool.ruff.lint]\nselect = ["F"]\n',
    **{f"{name}.py": "def same(it):\n    return it\n" for name in NAMES},
}
CHANGE = {f"{name}.py": f"def same(it):\n    return quux_{name}(it)\n" for name in NAMES}
FIXES = {f"{name}.py": (f"quux_{name}(it)", "it") for name in NAMES}
TAKE_OVER = "60"  # seconds; nobody but who is killed is to be taken for dead, however busy the machine is
THINKS = 1.5  # seconds for an answer
STORED_WITHIN = 3.0  # seconds after which an answer that was given is surely stored
OWNER = "SELECT taken_by FROM turns WHERE taken_by IS NOT NULL"
PRICE = re.compile(r"(less than )?\$\d+\.\d+")  # each worker's provider has a cache of its own here
QUESTION = ("system", "messages", "tools")  # what of a request says what is asked


@dataclass
class Mind:
    """The model as one worker sees it, slow; it writes down when it gave which answer."""

    standin: Standin | None = None
    given: list[tuple[float, str]] = field(default_factory=list)

    async def think(self, _body: Body, _number: int) -> None:
        await asyncio.sleep(THINKS)

    async def tell(self, body: Body, _number: int) -> None:
        self.given.append((time.monotonic(), question(body)))

    @property
    def asked(self) -> Counter[str]:
        """What it was asked by agents; the question that warms the cache has no room for an answer."""
        assert self.standin is not None
        return Counter(question(e.body) for e in self.standin.asked if e.body.get("max_tokens", 0) > 1)


def question(body: Body) -> str:
    return json.dumps([body.get(name) for name in QUESTION], sort_keys=True)


@dataclass
class Play:
    """A run on two workers under way."""

    stage: Stage
    company: Company
    minds: tuple[Mind, Mind]

    @property
    def asked(self) -> Counter[str]:
        return self.minds[0].asked + self.minds[1].asked

    async def until(self, what: str, true: Callable[[], object]) -> None:
        """As the stage's, for what asks the database: in a thread and not too often, as all ways between the processes
        lead through this loop."""
        end = time.monotonic() + self.stage.longest_wait
        while not await asyncio.to_thread(true):
            assert time.monotonic() < end, f"never happened: {what}. They said:\n{self.company.log[-5000:]}"
            await asyncio.sleep(0.5)

    def mind_of(self, member: Member) -> Mind:
        return self.minds[self.company.workers.index(member)]

    def owner(self) -> Member | None:
        """Who has the run."""
        with contextlib.suppress(psycopg.errors.UndefinedTable):  # the engine has not begun yet
            for (name,) in self.company.rows(OWNER):
                return next(m for m in self.company.workers if str(m.process.data) in name)
        return None

    def other(self) -> Member:
        """Who goes ahead for it."""
        owner = self.owner()
        return next(m for m in self.company.workers if m is not owner)


@pytest.fixture(scope="module")
def theatre() -> Iterator[Theatre]:
    with built(MAIN, CHANGE) as made:
        yield made


@pytest.fixture(scope="module")
def companies(theatre: Theatre) -> Iterator[Companies]:
    with postgres_server() as server:
        yield Companies(server, theatre.folder)


@asynccontextmanager
async def playing(theatre: Theatre, companies: Companies) -> AsyncIterator[Play]:
    minds = (Mind(), Mind())
    opened: list[Company] = []

    @asynccontextmanager
    async def company(alone: HealProcess) -> AsyncIterator[Company]:
        async with companies.open(alone) as made:
            for mind, worker in zip(minds, made.workers, strict=True):
                assert mind.standin is not None
                worker.process.environment["ANTHROPIC_BASE_URL"] = mind.standin.url
                worker.process.environment["HEAL_TAKE_OVER_SECONDS"] = TAKE_OVER
            opened.append(made)
            yield made

    async with AsyncExitStack() as stack:
        for mind in minds:
            serving = serve(oracle(FIXES, careful=True), before=mind.think, after=mind.tell)
            mind.standin = await stack.enter_async_context(serving)
        theatre.opening()
        shutil.rmtree(theatre.folder / "hub")
        scene = set_up(theatre.folder / "hub", theatre.key, MAIN, CHANGE)
        scene.clock.stands = False
        stage = await stack.enter_async_context(set_stage(theatre, scene, company=company))
        stage.longest_wait = 400.0
        play = Play(stage, opened[0], minds)
        await play.until("both live", lambda: opened[0].rows("SELECT count(*) FROM workers") == [(2,)])
        yield play


def came_to(ending: Ending) -> dict[str, Any]:
    """What has to be the same in whichever order fixes were merged."""
    return {
        "proposals": ending.proposals,
        "reviews": sorted(PRICE.sub("$", str(comment)) for _, comments in ending.reviews for comment in comments),
        "checks": [check[1:4] for check in ending.checks],
        "pulls": ending.pulls,
        "runs": ending.runs,
        "unfinished": ending.unfinished,
        "model_replies": ending.model_replies,
    }


async def peacefully(theatre: Theatre, companies: Companies, alone: bool) -> tuple[Ending, list[Counter[str]]]:
    async with playing(theatre, companies) as play:
        if alone:
            play.company.workers[1].gone = True
            await play.company.workers[1].process.stop()
            await play.until("one lives", lambda: play.company.rows("SELECT count(*) FROM workers") == [(1,)])
        await heals(play.stage, theatre.recorded)
        return ending_of(play.stage), [mind.asked for mind in play.minds]


# OP-2, OP-3, LM-6
@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_clusters_of_one_run_are_worked_on_by_both_workers_and_end_as_with_one(
    theatre: Theatre, companies: Companies
) -> None:
    ending, (first, second) = await peacefully(theatre, companies, alone=False)
    assert min(first.total(), second.total()) >= 4, (first.total(), second.total())  # a cluster takes four answers
    assert max((first + second).values()) == 1
    assert len(ending.proposals) == len(NAMES)
    by_one, (all_of_it, nothing) = await peacefully(theatre, companies, alone=True)
    assert not nothing
    assert all_of_it.total() == (first + second).total()
    assert came_to(ending) == came_to(by_one)


# OP-2, OP-3, LM-6, MQ-4
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("whom", ["who goes ahead", "who has the run"])
async def test_a_cluster_whose_worker_is_killed_is_taken_over_and_no_stored_answer_is_paid_again(
    whom: str, theatre: Theatre, companies: Companies
) -> None:
    async with playing(theatre, companies) as play:
        healing = asyncio.create_task(heals(play.stage, theatre.recorded))
        await play.until("somebody has the run", play.owner)
        victim = play.other() if whom == "who goes ahead" else play.owner()
        assert victim is not None
        mind = play.mind_of(victim)
        await play.stage.until("it has got some answers", lambda: len(mind.given) >= 3)
        await play.stage.until("it waits for more", lambda: mind.asked.total() > len(mind.given))
        victim.gone = True
        await victim.process.kill()
        killed, waited = time.monotonic(), mind.asked.total() - len(mind.given)
        await healing
        surely = {asked for when, asked in mind.given if when < killed - STORED_WITHIN}
        repeated = {asked: times for asked, times in play.asked.items() if times > 1}
        assert not repeated.keys() & surely
        assert sum(repeated.values()) - len(repeated) <= waited + 2  # what it had in flight, or could not store in time
        ending = ending_of(play.stage)
        assert len(ending.proposals) == len(NAMES)
        assert len(play.stage.said("sticky")) == 1
        assert len(play.stage.checks()) == 1
        posted = [str(comment) for _, comments in ending.reviews for comment in comments]
        assert len(posted) == len(set(posted)) == len(NAMES)
        assert not await asyncio.to_thread(partial(_left, play, victim))


def _left(play: Play, victim: Member) -> list[str]:
    return [name for worker in play.company.workers if worker is not victim for name in worker.process.left()]
