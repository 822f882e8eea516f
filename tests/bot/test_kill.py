"""A worker that dies at any instant costs nothing and repeats nothing that was stored (OP-3)."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.store.database import Database
from bot.store.repo import RepoStore
from tests.bot.conftest import Clock
from tests.bot.worker import SHA


def live(folder: Path, *die: str) -> int:
    """One life of a worker; its exit code."""
    command = [sys.executable, "-m", "tests.bot.worker", str(folder), *die]
    done = subprocess.run(command, timeout=60, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


# OP-3
@pytest.mark.parametrize(
    ("where", "paid"),
    [
        pytest.param("inside", ["one", "two", "two", "three"], id="inside a step: only the one in flight is repeated"),
        pytest.param("between", ["one", "two", "three"], id="between steps", marks=pytest.mark.slow),
        pytest.param("gathering", ["one", "two", "three"], id="while gathering", marks=pytest.mark.slow),
    ],
)
async def test_a_worker_killed_in_the_middle_goes_on_after_the_restart(
    tmp_path: Path, clock: Clock, where: str, paid: list[str]
) -> None:
    assert live(tmp_path, where) == -signal.SIGKILL
    assert live(tmp_path) == 0
    assert (tmp_path / "paid").read_text().split() == paid
    database = await Database.open(Settings(data=tmp_path).store_url)
    run = await RepoStore(database, 7, "octo/demo", clock).run(SHA, 1)
    await database.close()
    assert run is not None
    assert run.state == "done"
