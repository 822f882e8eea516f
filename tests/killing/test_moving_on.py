"""A run that is under way when Heal's machine is lost and its back-up is not, and when Heal itself is exchanged."""

import asyncio
import contextlib
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.killing.conftest import Undisturbed
from tests.killing.ending import bill_of, difference, ending_of
from tests.killing.points import Point, asked, at_the_door
from tests.killing.process import ROOT, HealProcess
from tests.killing.stage import Stage, heals, set_stage
from tests.killing.theatre import TOOLS, Theatre

BOOKS = ("heal.db",)
VERSIONS = "bot/store/migrations/versions"  # what came with the newest of these is the newest upgrade
POINTS = (
    Point("a delivery is acknowledged", at_the_door(performed=True, acknowledged=True), quiet=20),
    Point("a model has answered", asked(2, answered=True)),
)


async def goes_on(stage: Stage, theatre: Theatre, meanwhile: Callable[[], None]) -> None:
    """The first act; as soon as Heal was killed and nothing of it lives, something is done to what it left."""

    async def again() -> None:
        await asyncio.wait_for(stage.killed.wait(), stage.longest_wait)
        assert isinstance(stage.heal, HealProcess)
        await stage.heal.nothing_survives()
        await asyncio.to_thread(meanwhile)
        await stage.revive()

    async with asyncio.TaskGroup() as group:
        group.create_task(again())
        group.create_task(heals(stage, theatre.recorded))
    await stage.until("rest", stage.idle)


def back_up_and_lose_the_rest(data: Path) -> None:
    """As docs/operating-upkeep.md says: the store by SQLite's own way, with the key to what is sealed in it."""
    kept = data.parent / "back-up"
    kept.mkdir()
    for name in BOOKS:
        here, there = sqlite3.connect(data / name), sqlite3.connect(kept / name)
        with contextlib.closing(here), contextlib.closing(there):
            here.backup(there)
    if (data / "secret.key").exists():
        shutil.copy2(data / "secret.key", kept)
    for path in data.iterdir():
        if path.name not in TOOLS:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in kept.iterdir():
        path.rename(data / path.name)
    kept.rmdir()


def as_before_the_last_upgrade(folder: Path) -> Path:
    """Heal's code of the commit before the newest migration; skips where the history is not there."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%H", "--", VERSIONS]
    newest = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    archive = ["git", "-C", str(ROOT), "archive", f"{newest}^", "bot", "handlers", "healing"]
    packed = subprocess.run(archive, capture_output=True, check=False)
    if not newest or packed.returncode:
        pytest.skip("the commit before the newest migration is not in this clone")
    code = folder / "older"
    code.mkdir()
    subprocess.run(["tar", "-x", "-C", str(code)], input=packed.stdout, check=True)
    return code


def ends_well(stage: Stage, undisturbed: Undisturbed, upgraded: bool = False) -> None:
    ending = ending_of(stage)
    if upgraded:  # a newer Heal may ask in other words, to which nothing was answered yet
        ending = replace(ending, model_replies=undisturbed.healed.model_replies)
    assert difference(undisturbed.healed, ending) == ""
    bill = bill_of(stage)
    assert sum(times - 1 for times in bill.asked.values()) == bill.lost <= 1, "only what was in flight is asked again"
    assert stage.heal.left() == []


# OP-3, OP-6
@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.name)
async def test_a_run_goes_on_from_a_back_up_where_all_else_is_lost(
    point: Point, theatre: Theatre, undisturbed: Undisturbed
) -> None:
    async with set_stage(theatre, theatre.opening(), point.quiet) as stage:
        point.arm(stage)
        await goes_on(stage, theatre, lambda: back_up_and_lose_the_rest(stage.data))
        ends_well(stage, undisturbed)


# OP-3, OP-6
@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.name)
async def test_a_run_goes_on_under_the_heal_that_came_with_the_newest_schema(
    point: Point, theatre: Theatre, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    code = as_before_the_last_upgrade(tmp_path)
    async with set_stage(theatre, theatre.opening(), point.quiet, code=code) as stage:
        point.arm(stage)

        def upgrade() -> None:
            assert isinstance(stage.heal, HealProcess)
            stage.heal.code = ROOT

        await goes_on(stage, theatre, upgrade)
        ends_well(stage, undisturbed, upgraded=True)
