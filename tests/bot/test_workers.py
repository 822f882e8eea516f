"""Several workers on one PostgreSQL: they share the work, and what a dead, slow or cut off one leaves others finish."""

import asyncio
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.repo import RepoStore
from tests.bot.hosts import hosts
from tests.bot.laborer import STEPS
from tests.bot.postgres import Server, postgres_server
from tests.bot.proxy import proxying

ROOT = Path(__file__).parents[2]
MAX_WAIT = 150.0


@dataclass
class Yard:
    """Where workers labour: what they do is written in `paid`."""

    folder: Path
    server: Server
    store: RepoStore
    living: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)

    async def begin(self, name: str, url: str = "", host: tuple[str, ...] = ()) -> asyncio.subprocess.Process:
        """`host`: the command that runs it on another one."""
        (self.folder / f"{name}.ready").unlink(missing_ok=True)
        with (self.folder / f"{name}.log").open("ab") as log:
            self.living[name] = await asyncio.create_subprocess_exec(
                *host, sys.executable, "-m", "tests.bot.laborer", str(self.folder), url or self.server.url, name,
                cwd=ROOT, stdout=log, stderr=log,
            )  # fmt: skip
        await self.until(f"{name} is ready", (self.folder / f"{name}.ready").exists)
        return self.living[name]

    async def fail(self, name: str, number: int) -> None:
        run = await self.store.open_attempt(f"check:{name}", 5, name * 40, {"name": "lint"})
        await self.store.save_run(run.model_copy(update={"number": number}))

    @property
    def lines(self) -> list[tuple[str, str, str]]:
        path = self.folder / "paid"
        rows = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
        return [(row[0], row[1], row[2]) for row in rows]

    async def until(self, what: str, holds: Callable[[], object]) -> None:
        end = time.monotonic() + MAX_WAIT
        while not holds():
            logs = "\n".join(f"{log.name}: {log.read_text()[-2500:]}" for log in self.folder.glob("*.log"))
            assert time.monotonic() < end, f"waited for: {what}; {self.lines}\n{logs}"
            await asyncio.sleep(0.05)

    async def all_done(self, names: str) -> None:
        for name in names:
            await self.until(f"{name} ends", partial(self.ended, name))

    def ended(self, run: str) -> bool:
        return any(line[1:] == (run, "ends") for line in self.lines)

    def by(self, run: str) -> set[str]:
        """Who began a run."""
        return {who for who, which, what in self.lines if which == run and what == "begins"}

    def steps(self, run: str) -> Counter[str]:
        return Counter(what for _, which, what in self.lines if which == run and what.isdigit())

    def posts(self, run: str) -> int:
        return sum(1 for _, which, what in self.lines if which == run and what == "posts")


@asynccontextmanager
async def open_yard(folder: Path, *addresses: str) -> AsyncIterator[Yard]:
    with postgres_server(*addresses) as server:
        database = await Database.open("postgresql+psycopg://" + server.url.split("://", 1)[1])
        yard = Yard(folder, server, RepoStore(database, 7, "octo/demo", time.time))
        try:
            yield yard
        finally:
            for process in yard.living.values():
                if process.returncode is None:
                    process.kill()
                    await process.wait()
            await database.close()


def once_each(yard: Yard, runs: str, repeated: int = 0) -> None:
    """Every step of every run was done once, but for those that were in flight when somebody fell."""
    for run in runs:
        counted = yard.steps(run)
        assert len(counted) == STEPS
        assert sum(counted.values()) <= STEPS + repeated, (run, counted)
        assert yard.posts(run) == 1, run


# OP-2
async def test_two_workers_share_the_runs_and_those_of_one_concurrency_key_never_overlap(tmp_path: Path) -> None:
    async with open_yard(tmp_path) as yard:
        await yard.begin("one")
        await yard.begin("two")
        for name, number in (("a", 1), ("b", 1), ("c", 2), ("d", 3), ("e", 4)):
            await yard.fail(name, number)
        await yard.all_done("abcde")
        once_each(yard, "abcde")
        assert {who for who, _, _ in yard.lines} == {"one", "two"}
        lane = [(run, what) for _, run, what in yard.lines if run in "ab" and what in ("begins", "ends")]
    assert [what for _, what in lane] == ["begins", "ends", "begins", "ends"]


# OP-3
@pytest.mark.slow
async def test_what_a_worker_that_is_lost_for_good_had_begun_is_finished_by_another(tmp_path: Path) -> None:
    async with open_yard(tmp_path) as yard:
        lost = await yard.begin("lost")
        await yard.fail("a", 1)
        await yard.fail("b", 2)
        await yard.until("both are under way", lambda: min(len(yard.steps("a")), len(yard.steps("b"))) >= 2)
        lost.kill()
        await lost.wait()
        await yard.begin("other")
        await yard.all_done("ab")
        assert yard.by("a") == yard.by("b") == {"lost", "other"}
        once_each(yard, "ab", repeated=1)


# OP-3
@pytest.mark.slow
async def test_a_worker_that_is_taken_over_while_it_stands_still_does_nothing_more_when_it_goes_on(
    tmp_path: Path,
) -> None:
    async with open_yard(tmp_path) as yard:
        slow = await yard.begin("slow")
        await yard.fail("a", 1)
        await yard.until("it is under way", lambda: len(yard.steps("a")) >= 2)
        os.kill(slow.pid, signal.SIGSTOP)
        await yard.begin("other")
        await yard.until("the other one begins", lambda: yard.by("a") == {"slow", "other"})
        os.kill(slow.pid, signal.SIGCONT)
        await yard.all_done("a")
        once_each(yard, "a", repeated=1)
        assert await asyncio.wait_for(slow.wait(), 30) in (0, 75)
        done = [line for line in yard.lines if line[2] in ("posts", "ends")]
    assert done == [("other", "a", "posts"), ("other", "a", "ends")]


# OP-3
@pytest.mark.slow
async def test_a_worker_that_is_cut_off_from_the_database_ends_and_another_goes_on(tmp_path: Path) -> None:
    async with open_yard(tmp_path) as yard, proxying(yard.server.port) as proxy:
        cut = await yard.begin("cut", yard.server.url.replace(str(yard.server.port), str(proxy.port)))
        await yard.fail("a", 1)
        await yard.until("it is under way", lambda: len(yard.steps("a")) >= 2)
        proxy.hold()
        await yard.begin("other")
        await yard.all_done("a")
        once_each(yard, "a", repeated=1)
        assert yard.by("a") == {"cut", "other"}
        assert await asyncio.wait_for(cut.wait(), 40) in (0, 75)


# OP-3
@pytest.mark.slow
async def test_a_database_that_is_killed_and_comes_back_loses_no_run(tmp_path: Path) -> None:
    async with open_yard(tmp_path) as yard:
        one = await yard.begin("one")
        await yard.fail("a", 1)
        await yard.until("it is under way", lambda: len(yard.steps("a")) >= 2)
        yard.server.kill()
        yard.server.start()
        await asyncio.wait_for(one.wait(), 40)  # who watches over it starts it again
        await yard.begin("one")
        await yard.fail("b", 2)
        await yard.all_done("ab")
        once_each(yard, "a", repeated=1)
        once_each(yard, "b")


# OP-2, OP-3
@pytest.mark.slow
async def test_workers_on_two_hosts_share_the_runs_and_one_goes_on_when_the_others_cable_is_pulled(
    tmp_path: Path,
) -> None:
    with hosts(2) as (first, second):
        async with open_yard(tmp_path, first.here, second.here) as yard:
            for host, name in ((first, "one"), (second, "two")):
                await yard.begin(name, yard.server.url.replace("127.0.0.1", host.here), host.command)
            for name, number in (("a", 1), ("b", 2), ("c", 3), ("d", 4)):
                await yard.fail(name, number)
            await yard.until("both are at work", lambda: {who for who, _, _ in yard.lines} == {"one", "two"})
            first.pull()
            await yard.all_done("abcd")
            once_each(yard, "abcd", repeated=1)
            assert {who for who, _, what in yard.lines if what == "ends"} >= {"two"}
            await asyncio.wait_for(yard.living["one"].wait(), 60)
