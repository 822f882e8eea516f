"""The machine's parts for tests: a database in a folder, a clock in hand, an engine that is stepped."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.github.client import RepoClient
from bot.github.pace import Pace
from bot.github.tokens import READ, App, RepoToken
from bot.github.transport import Transport
from bot.store.database import Database
from bot.store.repo import RepoStore
from tests.bot.peer import Peer, serving
from tests.migrated import new_store


class Clock:
    """A clock that stands at the start of the test until it is moved; sleeping moves it."""

    def __init__(self) -> None:
        self.at = float(int(time.time()))  # the App's signed word has to be of today
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
    new_store(Path(url.removeprefix("sqlite+aiosqlite:///")))
    opened = await Database.open(url)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database, clock: Clock) -> RepoStore:
    return RepoStore(database, 7, "octo/demo", clock)


@pytest.fixture(scope="session")
def pem() -> str:
    """A private key as GitHub hands it out (PKCS#1)."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    """A GitHub that says what a test tells it to."""
    async with serving(Peer()) as served:
        yield served


@pytest.fixture
async def client(peer: Peer, clock: Clock, pem: str) -> AsyncIterator[RepoClient]:
    async with Transport(peer.url, Pace(clock, clock.sleep)) as transport:
        token = RepoToken(App(transport, "1", SecretStr(pem), clock), 5, 7, READ, clock)
        yield RepoClient(transport, token, "octo/demo")
