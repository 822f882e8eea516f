"""What is missing for a while loses nothing: GitHub, or room on the disk (OP-3)."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.contexts import Contexts
from bot.durable.engine import DurableEngine
from bot.durable.work import Work
from bot.settings import Settings
from bot.store.attempts import ref_of
from bot.store.database import Database
from bot.store.repo import RepoStore
from lab.free_port import free_port
from tests.bot.conftest import Clock
from tests.bot.hooks import failed_check, raw
from tests.bot.hub import no_healer


def work_with(database: Database, folder: Path, pem: str, clock: Clock) -> Work:
    """Work whose GitHub is a port that nobody listens on."""
    url = f"http://127.0.0.1:{free_port()}"
    settings = Settings(data=folder, app_id="1", private_key=SecretStr(pem), github_url=url)
    return Work(
        database,
        Contexts(settings, database, DurableEngine(stepped=True), no_healer, clock, clock.sleep),
        quiet_seconds=0,
    )


# OP-3
async def test_while_github_can_not_be_reached_work_waits_longer_and_longer_and_nothing_fails(
    database: Database, tmp_path: Path, pem: str, clock: Clock
) -> None:
    work = work_with(database, tmp_path, pem, clock)
    await work.deliveries.store("d1", "check_run", raw(failed_check()), clock())
    assert [await work.delivery("d1", waited) for waited in (0, 1, 4, 19)] == [2.0, 4.0, 32.0, 300.0]
    row = await work.deliveries.get("d1")
    assert row is not None
    assert row.state == "stored"
    run = await RepoStore(database, 7, "octo/demo", clock).open_attempt("check_run:1", 5, "a" * 40, {})
    assert await work.healing(ref_of(run), 2) == 8.0
    await work.no_delivery("d1")
    row = await work.deliveries.get("d1")
    assert row is not None
    assert (row.state, "again and again" in row.error) == ("failed", True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], check=False, capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {done.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


# OP-3
async def test_while_the_disk_is_full_work_waits_and_goes_on_when_there_is_room(
    small_disk: Path, pem: str, clock: Clock
) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{small_disk / 'heal.db'}")
    work = work_with(database, small_disk, pem, clock)
    await work.deliveries.store("d1", "ping", raw({"zen": "x" * 200_000}), clock())
    rest = small_disk / "rest"
    with suppress(OSError), rest.open("wb", buffering=0) as filled:
        while True:
            filled.write(bytes(4096))
    assert await work.delivery("d1") == 2.0
    rest.unlink()
    assert await work.delivery("d1", 1) is None
    row = await work.deliveries.get("d1")
    assert row is not None
    assert row.state == "done"
    await database.close()
