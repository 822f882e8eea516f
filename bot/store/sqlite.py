"""SQLite as Heal uses it: a file that only its owner can read, WAL, and transactions begun by SQLAlchemy."""

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event


def private_file(path: Path) -> None:
    """Creates the database file, readable by its owner alone, as others may pass through its folder to the worktrees.
    SQLite creates its side files with the same mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)


def plain_engine(url: URL, **options: bool) -> Engine:
    """Returns a synchronous engine for the file of an async URL, which needs no hop to a thread for each statement."""
    engine = create_engine(url.set(drivername="sqlite"))
    configure_engine(engine)
    return engine.execution_options(**options)


def configure_engine(engine: Engine) -> None:
    """Configures WAL, waiting for locks instead of failing, and transactions begun by SQLAlchemy, not the driver."""

    @event.listens_for(engine, "connect")
    def _connected(dbapi_connection: Any, _record: object) -> None:
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        # A checkpoint blocks the next writer, so it runs only after 4000 pages (16 MB).
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON",
                       "wal_autocheckpoint=4000"):  # fmt: skip
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("heal_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
