"""A store whose migrations have run, copied for each test: running them takes a quarter of a second of CPU each time.

What migrations do is shown by tests/bot/test_upgrades.py and tests/cli/test_migrate.py, which run them.
"""

import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy import create_engine

from bot.store.database import migrate


def new_store(file: Path) -> None:
    """Puts an empty store of the newest version there, for its owner alone, in a folder as `heal worker` makes it."""
    file.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_bytes(_empty())


@cache
def _empty() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "heal.db")
        engine = create_engine(f"sqlite:///{file}")
        with engine.begin() as connection:
            migrate(connection)
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        engine.dispose()
        return file.read_bytes()
