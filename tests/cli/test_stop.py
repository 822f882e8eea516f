"""`heal stop` and `heal go`: one switch, kept in the database, for all processes."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from bot.store.database import Database
from bot.store.switches import Stop


def heal(data: Path, *words: str) -> str:
    env = {"PATH": os.environ["PATH"], "HEAL_DATA": str(data), "NO_COLOR": "1"}
    argv = [sys.executable, "-m", "bot", *words]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stdout.strip()


async def stored(data: Path) -> str | None:
    database = await Database.open(f"sqlite+aiosqlite:///{data / 'heal.db'}")
    try:
        return await Stop(database, lambda: 1.0).why()
    finally:
        await database.close()


# OP-8
def test_stop_holds_until_go_and_both_say_what_they_did(tmp_path: Path) -> None:
    assert "was not stopped" in heal(tmp_path, "go")
    assert "Heal is stopped" in heal(tmp_path, "stop", "the models are on fire")
    assert asyncio.run(stored(tmp_path)) == "the models are on fire"
    assert json.loads(heal(tmp_path, "stop", "--json"))["was_stopped"] is True
    assert asyncio.run(stored(tmp_path)) == ""
    assert heal(tmp_path, "go") == "Heal runs again"
    assert asyncio.run(stored(tmp_path)) is None
