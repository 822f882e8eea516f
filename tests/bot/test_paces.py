"""Several processes write to one installation: together they keep the one pace that GitHub asks for (GH-7)."""

import asyncio
import contextlib
import os
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from bot.github.pace import LOOK_AGAIN, LOOK_SECONDS, MAX_TURN, Pace, State, never_refuse
from bot.settings import Settings
from bot.store.database import Database
from bot.store.paces import StoredWriteLog
from handlers.model import Refused
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place
from tests.bot.postgres import postgres

ROOT = Path(__file__).parents[2]
GAP, EACH, SILENCE = 0.15, 4, 1
COMMENTS = "/issues/[0-9]+/comments$"


@pytest.fixture
def pace_of(database: Database, clock: Clock) -> "PaceOf":
    return PaceOf(database, clock)


class PaceOf:
    """Processes, as far as their pace is concerned."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    def write_log(self) -> StoredWriteLog:
        return StoredWriteLog(self._database, 5, self._clock)

    def __call__(self, who: str) -> Pace:
        return Pace(self._clock, self._clock.sleep, 1.0, never_refuse, self.write_log(), who)


# GH-7, OP-2
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_two_processes_write_one_at_a_time_apart_and_both_are_still_when_one_is_told_to(
    tmp_path: Path, database: Database, clock: Clock, kind: str
) -> None:
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(postgres()) if kind == "postgresql" else f"sqlite:///{tmp_path / 'shared.db'}"
        async with place(tmp_path, database, clock) as here:
            seen: list[tuple[str, float]] = []
            faults = here.local.faults
            faults.before("POST", COMMENTS, lambda: seen.append(("begins", time.monotonic())), times=99)
            faults.after("POST", COMMENTS, lambda: seen.append(("ends", time.monotonic())), times=99)
            faults.secondary_limit("POST", COMMENTS, retry_after=SILENCE, nth=EACH)  # whoever it is
            await (await Database.open(Settings(data=tmp_path, database_url=url).store_url)).close()
            await asyncio.gather(*(_write(here, tmp_path, url, who) for who in ("one", "two")))
            assert len(here.bot_comments()) == 2 * EACH
    apart = [at - before for (_, before), (what, at) in pairwise(seen) if what == "begins"]
    assert len(apart) == 2 * EACH  # all but the first, and the one that was refused
    assert min(apart) >= GAP
    assert [kind for kind, _ in seen].count("ends") == 2 * EACH
    assert max(apart) >= SILENCE


async def _write(here: Place, folder: Path, url: str, who: str) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HEAL_DATA": str(folder),
        "DATABASE_URL": url,
        "HEAL_APP_ID": str(here.app.id),
        "HEAL_PRIVATE_KEY": here.app.private_key,
        "HEAL_GITHUB_URL": here.local.api,
        "HEAL_WRITE_GAP": str(GAP),
    }
    words = (who, str(here.installation.id), str(here.repo.id), str(here.pull.number), str(EACH))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bot.writer", *words, cwd=ROOT, env=environment
    )
    async with asyncio.timeout(60):
        assert await process.wait() == 0


# GH-7
async def test_a_limit_that_one_process_was_told_of_is_known_to_all_and_after_a_restart(
    pace_of: PaceOf, clock: Clock
) -> None:
    one, other = pace_of("one"), pace_of("other")
    await other.refuse_while_closed()
    assert await one.close(None) == 60
    clock.at += LOOK_SECONDS
    for pace in (one, other, pace_of("one")):
        with pytest.raises(Refused, match="nothing was sent") as caught:
            await pace.refuse_while_closed()
        assert caught.value.retry_after == 60 - LOOK_SECONDS
        with pytest.raises(Refused, match="nothing was sent"):
            async with pace.turn(content=False):
                pass
    assert await other.close(None) == 120  # it came again, whoever heard it


# GH-7
async def test_who_died_while_it_wrote_holds_up_others_for_a_while_and_itself_not_at_all(
    pace_of: PaceOf, clock: Clock
) -> None:
    assert await pace_of.write_log().change(lambda state, now: state.take(now, "one", content=True)) == 0
    died = clock.at
    async with pace_of("one").turn(content=True):
        assert clock.at == died
    clock.at += 1
    assert await pace_of.write_log().change(lambda state, now: state.take(now, "one", content=True)) == 0
    died = clock.at
    async with pace_of("two").turn(content=True):
        assert clock.at - died == pytest.approx(MAX_TURN)
    assert max(clock.naps) <= LOOK_AGAIN + 1e-6


# GH-7
async def test_what_all_posted_within_an_hour_counts_together(pace_of: PaceOf, clock: Clock) -> None:
    one, two = pace_of("one"), pace_of("two")
    for pace in (one, two):
        async with pace.turn(content=True):
            pass
    await pace_of.write_log().change(lambda state, now: state.content.extend([now] * 498))
    for pace in (one, two):
        with pytest.raises(Refused, match="wants a rest"):
            async with pace.turn(content=True):
                pass
        async with pace.turn(content=False):  # an update tells nobody anything
            pass


# GH-7
async def test_a_turn_that_was_taken_for_over_ends_nobody_elses(clock: Clock) -> None:
    state = State()
    assert state.take(clock(), "one", False) == 0
    assert state.take(clock() + MAX_TURN, "two", False) == 0
    state.give_back(clock(), "one")
    assert state.take(clock(), "three", False) > 0


def test_writes_are_a_second_apart_wherever_github_is(tmp_path: Path) -> None:
    assert Settings(data=tmp_path, github_url="http://127.0.0.1:1").write_gap == 1.0
