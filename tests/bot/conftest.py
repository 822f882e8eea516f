"""The machine's parts for tests: a database in a folder, a clock in hand, an engine that is stepped."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.repo import RepoStore


class Clock:
    """A clock that stands until it is moved; sleeping moves it."""

    def __init__(self, at: float = 1_800_000_000.0) -> None:
        self.at = at
        self.naps: list[float] = []

    def __call__(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.at += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite+aiosqlite:///{tmp_path / 'data' / 'heal.db'}"


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = await Database.open(url)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database, clock: Clock) -> RepoStore:
    return RepoStore(database, 7, "octo/demo", clock)
