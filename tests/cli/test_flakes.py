"""`heal flakes`: the list of tests that failed by luck."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from bot.store.database import Database
from bot.store.repo import RepoStore
from healing.logs.flakes import RecordedOutcome


def heal(data: Path, *words: str) -> list[str]:
    env = {"PATH": os.environ["PATH"], "HEAL_DATA": str(data), "NO_COLOR": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "flakes", *words], env=env, capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()


async def fill(data: Path) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{data / 'heal.db'}")
    for number, name in ((7, "octo/shop"), (8, "octo/other")):
        store = RepoStore(database, number, name, lambda: 1.0)
        await store.open_attempt("k", 5, "a" * 40, {})
        reported = [RecordedOutcome("t::lucky", "a" * 40, passed) for passed in (True, False)]
        await store.save_test_outcomes(
            (*reported, RecordedOutcome("t::lucky", "b" * 40, False), RecordedOutcome("t::red", "a" * 40, False))
        )
    await database.close()


# IN-6
def test_it_lists_the_tests_that_failed_by_chance_with_how_often(tmp_path: Path) -> None:
    assert heal(tmp_path) == ["no test is known to have failed by luck"]
    asyncio.run(fill(tmp_path))
    assert heal(tmp_path, "octo/shop") == [
        "octo/shop  t::lucky",
        "  luck on 1 of 2 commits where it failed (9% to 91% with 95 % confidence)",
    ]
    listed = [json.loads(line) for line in heal(tmp_path, "--json")]
    assert [(one["repository"], one["test"], one["rate"]) for one in listed] == [
        ("octo/other", "t::lucky", 0.5),
        ("octo/shop", "t::lucky", 0.5),
    ]
    assert heal(tmp_path, "octo/none", "--json") == []
