"""A store of any released schema, with rows in every table, becomes today's and keeps them."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    insert,
    text,
)
from sqlalchemy.engine import URL, Engine, make_url

from bot.settings import Settings
from bot.store import database as database_module
from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.watching.checkup import findings
from handlers.errors import UserError
from tests.bot.postgres import postgres

MIGRATIONS = Path(database_module.__file__).parent / "migrations"
OUTCOME = '{"verdict":"healed","errors":[],"proposals":[]}'  # what a later migration counts
Rows = dict[str, dict[str, Any]]


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


RELEASED = sorted(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


def _value(column: Column[Any]) -> object:
    """Something that the column takes and that is not its default."""
    kind = column.type
    if isinstance(kind, Integer):
        return 7
    if isinstance(kind, Float):
        return 1_700_000_000.5
    if isinstance(kind, LargeBinary):
        return b"\x00body\xff"
    if isinstance(kind, Text):
        return OUTCOME if column.name == "outcome" else "{}"  # most are JSON
    if isinstance(kind, String):
        return "1970-01-01"[: kind.length or 10] if "day" in column.name else "seven"[: kind.length or 5]
    return True


def _filled(connection: Connection, revision: str) -> Rows:
    """Makes the schema of a revision with one row in each table; gives the rows."""
    command.upgrade(_config(connection), revision)
    found = MetaData()
    found.reflect(connection)
    rows: Rows = {}
    for table in found.sorted_tables:
        if table.name != "alembic_version":
            rows[table.name] = {column.name: _value(column) for column in table.columns}
            connection.execute(insert(table).values(**rows[table.name]))
    return rows


def _kept(connection: Connection) -> Rows:
    found = MetaData()
    found.reflect(connection)
    return {name: _row(connection, table) for name, table in found.tables.items() if name != "alembic_version"}


def _row(connection: Connection, table: Table) -> dict[str, Any]:
    row = connection.execute(table.select()).mappings().first()
    return {} if row is None else dict(row)


@contextlib.contextmanager
def _engine(url: str | URL) -> Iterator[Engine]:
    """A plain connection to what an operator's address names."""
    sqlite = make_url(url).drivername == "sqlite"
    engine = create_engine(make_url(url).set(drivername="sqlite" if sqlite else "postgresql+psycopg"))
    try:
        yield engine
    finally:
        engine.dispose()


async def _upgraded(url: str, revision: str) -> None:
    """`url` is that of an empty database, as an operator writes it."""
    with _engine(url) as engine:
        with engine.begin() as connection:
            before = _filled(connection, revision)
        await (await Database.open(Settings(database_url=url).store_url)).close()
        with engine.begin() as connection:
            after = _kept(connection)
    assert before.keys() <= after.keys(), "a table of the old schema is gone"
    for table, row in before.items():
        assert {name: after[table].get(name) for name in row} == row, table


@pytest.mark.parametrize("revision", RELEASED)
async def test_rows_of_every_released_schema_are_kept_on_sqlite(tmp_path: Path, revision: str) -> None:
    await _upgraded(f"sqlite:///{tmp_path}/heal.db", revision)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.mark.parametrize("revision", RELEASED)
async def test_rows_of_every_released_schema_are_kept_on_postgresql(server: str, revision: str) -> None:
    name = f"heal_{revision}"
    with _engine(server) as engine, engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    await _upgraded(make_url(server).set(database=name).render_as_string(hide_password=False), revision)


async def test_a_database_that_was_made_without_an_encoding_is_used_all_the_same(server: str, tmp_path: Path) -> None:
    """As PostgreSQL makes it where the machine has no locale: texts come as bytes then, if nobody asks otherwise."""
    with _engine(server) as engine, engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text("CREATE DATABASE plain ENCODING 'SQL_ASCII' TEMPLATE template0"))
    url = make_url(server).set(database="plain").render_as_string(hide_password=False)
    database = await Database.open(url)
    async with database.read() as connection:
        assert (await connection.exec_driver_sql("SELECT 'grün'")).scalar() == "grün"
    await database.close()
    said = [one async for one in findings(Settings(data=tmp_path, database_url=url)) if one.name == "database"]
    assert [one.ok for one in said] == [True]


async def test_an_older_heal_says_that_the_store_is_newer_than_it(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/heal.db"
    await (await Database.open(url)).close()
    with _engine(f"sqlite:///{tmp_path}/heal.db") as engine, engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UserError, match="a newer one used it"):
        await Database.open(url)


async def test_a_copy_of_a_stopped_store_is_a_back_up(tmp_path: Path) -> None:
    url, sha = f"sqlite+aiosqlite:///{tmp_path}/heal.db", "a" * 40
    database = await Database.open(url)
    await RepoStore(database, 7, "octo/demo", lambda: 1.0).open_attempt("k", 1, sha, {"name": "lint"})
    await database.close()
    shutil.copy(tmp_path / "heal.db", tmp_path / "backup.db")
    (tmp_path / "heal.db").unlink()
    restored = await Database.open(f"sqlite+aiosqlite:///{tmp_path}/backup.db")
    assert await RepoStore(restored, 7, "octo/demo", lambda: 2.0).failures(sha, 1) == ({"name": "lint"},)
    await restored.close()
