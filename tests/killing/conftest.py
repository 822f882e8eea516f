"""What the plays share: the theatre, and how each act ends when nobody is killed."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.localhub import apps
from tests.killing.ending import Bill, Ending, bill_of, ending_of
from tests.killing.scene import Scene, record, set_up
from tests.killing.stage import applies, heals, set_stage
from tests.killing.theatre import Theatre


@dataclass(frozen=True)
class Undisturbed:
    """How the acts end, and the scene between them."""

    healed: Ending
    bill: Bill
    interlude: Scene
    applied: Ending


@pytest.fixture(scope="session")
def theatre() -> Iterator[Theatre]:
    folder = Path(tempfile.mkdtemp(prefix="heal-killing-"))
    folder.chmod(0o711)
    (folder / "data").mkdir(mode=0o711)
    key = apps.new_key()
    try:
        yield Theatre(folder, key, asyncio.run(record(set_up(folder / "rehearsal", key), folder / "data")))
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def undisturbed(theatre: Theatre) -> Undisturbed:
    async def play() -> Undisturbed:
        interlude = theatre.opening()
        async with set_stage(theatre, interlude) as stage:
            await heals(stage, theatre.recorded)
            healed, bill = ending_of(stage), bill_of(stage)
            await stage.heal.stop()
        theatre.leave()
        async with set_stage(theatre, theatre.resume(interlude)) as stage:
            await applies(stage)
            return Undisturbed(healed, bill, interlude, ending_of(stage))

    return asyncio.run(play())
