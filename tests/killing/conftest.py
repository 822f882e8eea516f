"""What the plays share: the theatre, and how each act ends when nobody is killed."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.killing.ending import Bill, Ending, bill_of, ending_of
from tests.killing.scene import Scene
from tests.killing.stage import applies, heals, set_stage
from tests.killing.theatre import Theatre, built


@dataclass(frozen=True)
class Undisturbed:
    """How the acts end, and the scene between them."""

    healed: Ending
    bill: Bill
    interlude: Scene
    applied: Ending


@pytest.fixture(scope="session")
def theatre() -> Iterator[Theatre]:
    with built() as made:
        yield made


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
