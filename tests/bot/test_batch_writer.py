"""What is written together: one transaction for all who wait, and each has its own answer."""

import asyncio

import pytest

from bot.store.batch_writer import BatchWriter


class Disk:
    """Writes slowly, and remembers how much at a time."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    async def write(self, items: list[int]) -> list[int]:
        self.batches.append(items)
        await asyncio.sleep(0.01)
        if 13 in items:
            raise OSError("the disk is full")
        return [-item for item in items]


async def test_those_who_wait_are_written_in_one_go_and_each_gets_its_own_answer() -> None:
    disk = Disk()
    together = BatchWriter(disk.write)
    assert await asyncio.gather(*(together.add(n) for n in range(10))) == [-n for n in range(10)]
    assert disk.batches == [list(range(10))] or disk.batches == [[0], list(range(1, 10))]


async def test_all_of_a_batch_hear_of_its_error_and_the_next_one_is_written() -> None:
    together = BatchWriter(Disk().write)
    answers = await asyncio.gather(together.add(12), together.add(13), return_exceptions=True)
    assert isinstance(answers[1], OSError)
    assert await together.add(14) == -14


async def test_who_goes_away_takes_nobody_along() -> None:
    disk = Disk()
    together = BatchWriter(disk.write)
    first, second = asyncio.ensure_future(together.add(1)), asyncio.ensure_future(together.add(2))
    await asyncio.sleep(0.002)
    first.cancel()
    assert await second == -2
    with pytest.raises(asyncio.CancelledError):
        await first
    assert sorted(n for batch in disk.batches for n in batch) == [1, 2]
