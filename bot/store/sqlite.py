"""SQLite as Heal uses it: a file for its owner alone, WAL, and transactions that SQLAlchemy begins."""

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event


def private_file(path: Path) -> None:
    """Makes the database's file for its owner alone: others may pass through its folder to the worktrees. SQLite gives
    its side files the same mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)


def plain_engine(url: URL, **options: bool) -> Engine:
    """The file of an async address, without a thread for each statement."""
    made = create_engine(url.set(drivername="sqlite"))
    tame(made)
    return made.execution_options(**options)


def tame(engine: Engine) -> None:
    """WAL, waiting instead of failing, and transactions that SQLAlchemy begins, not the driver."""

    @event.listens_for(engine, "connect")
    def _connected(dbapi_connection: Any, _record: object) -> None:
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        # Pages that gather (16 MB) until they are moved into the file, which whoever writes next waits for.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON",
                       "wal_autocheckpoint=4000"):  # fmt: skip
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("heal_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
