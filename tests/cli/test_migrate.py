"""Switching over from SQLite to PostgreSQL: nothing is lost, nothing is overwritten, and Heal goes on there (OP-2)."""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.settings import Settings
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from bot.store.repo import RepoStore
from bot.store.sole_worker import sole_worker
from bot.store.steps import INLINE_BYTES, StoredSteps
from tests.bot.postgres import postgres

SHA, LONG = "a" * 40, "x" * (INLINE_BYTES + 1)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    with postgres() as url:
        monkeypatch.setenv("DATABASE_URL", url)
        monkeypatch.setenv("HEAL_DATA", str(tmp_path / "data"))
        yield "postgresql+psycopg://" + url.split("://", 1)[1]


def old(folder: Path) -> Settings:
    return Settings(data=folder, database_url=f"sqlite:///{folder / 'heal.db'}")


async def filled(folder: Path) -> None:
    """A SQLite store with something of every kind of column."""
    database = await Database.open(old(folder).store_url)
    store = RepoStore(database, 7, "octo/demo", time.time)
    await store.open_attempt("check_run:1", 5, SHA, {"name": "lint\0", "pull": 3})
    await store.open_attempt("check_run:2", 5, SHA, {"name": "tests"})
    steps = StoredSteps(database, 7, "r1", time.time)
    for key in ("short", LONG):
        await steps.run("model", key, partial(answer, key))
    await Deliveries(database).store("d1", "check_run", b"\x00\xff{}", 1.5)
    await store.pause(3, "mona")
    await database.close()


async def answer(text: str) -> str:
    return text


def run(*words: str, capsys: Any = None) -> tuple[int, str]:
    code = main(words)
    result = capsys.readouterr()
    return code, result.out + result.err


# OP-2, CLI-1
def test_a_store_is_copied_whole_and_counted(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import asyncio

    asyncio.run(filled(tmp_path / "data"))
    code, output = run("migrate", "--from", "sqlite", capsys=capsys)
    assert code == 0, output
    assert "2  failures" in output
    assert "rows copied from" in output

    async def look() -> None:
        database = await Database.open(server)
        store = RepoStore(database, 7, "octo/demo", time.time)
        assert [failure["name"] for failure in await store.failures(SHA, 1)] == ["lint\0", "tests"]
        steps = StoredSteps(database, 7, "r1", time.time)
        assert [await steps.run("model", key, partial(answer, "asked again")) for key in ("short", LONG)] == [
            "short",
            LONG,
        ]
        row = await Deliveries(database).get("d1")
        assert row is not None
        assert (row.body, row.received_at, row.state) == (b"\x00\xff{}", 1.5, "stored")
        assert await store.paused_by(3) == "mona"
        await store.open_attempt("check_run:3", 5, SHA, {"name": "types"})  # counted on after what was brought
        assert len(await store.failures(SHA, 1)) == 3
        await database.close()

    asyncio.run(look())
    code, output = run("migrate", "--from", "sqlite", capsys=capsys)
    assert code == 2
    assert "the target is not empty" in output
    assert "failures" in output


# OP-2
def test_a_store_that_is_at_work_missing_or_no_sqlite_is_refused(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    code, output = run("migrate", "--from", "sqlite", capsys=capsys)
    assert code == 2
    assert "there is no store at" in output
    code, output = run("migrate", "--from", server, capsys=capsys)
    assert code == 2
    assert "is no SQLite store" in output
    asyncio.run(filled(tmp_path / "data"))

    async def at_work() -> tuple[int, str]:
        async with sole_worker(old(tmp_path / "data"), 0.0):
            return await asyncio.to_thread(run, "migrate", "--from", "sqlite", capsys=capsys)

    code, output = asyncio.run(at_work())
    assert code == 2
    assert "another worker" in output
    monkeypatch.setenv("DATABASE_URL", "")
    code, output = run("migrate", "--from", "sqlite", capsys=capsys)
    assert code == 2
    assert "set DATABASE_URL" in output
