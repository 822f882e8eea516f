"""Deliveries are kept alike in both kinds of store: once, and anew where their processing has failed."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from bot.store.counters import counted
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from tests.bot.postgres import postgres


# IN-2
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_delivery_is_kept_and_counted_once_and_again_only_after_a_failure(tmp_path: Path, kind: str) -> None:
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(postgres()).replace(":", "+psycopg:", 1) if kind == "postgresql" else ""
        database = await Database.open(url or f"sqlite+aiosqlite:///{tmp_path / 'heal.db'}")
        deliveries = Deliveries(database)
        try:
            storm = (deliveries.store(guid, "check_run", b"\x00\xff", 1.0) for guid in ("a", "b", "a", "c", "b"))
            assert await asyncio.gather(*storm) == [True, True, False, True, False]
            await deliveries.done("b")
            await deliveries.failed("c", "GitHub was away")
            again = [await deliveries.store(guid, "status", b"{}", 2.0) for guid in "abcc"]
            assert again == [False, False, True, False]
            kept = await deliveries.get("c")
            assert kept is not None
            assert kept.model_dump() == {
                "guid": "c", "event": "status", "body": b"{}", "received_at": 2.0, "state": "stored", "tries": 2,
                "error": "",
            }  # fmt: skip
            assert (await counted(database))["heal_deliveries_stored_total"] == {("check_run",): 3.0}
        finally:
            await database.close()
