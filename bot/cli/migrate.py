"""`heal migrate`: upgrades the database's schema, and copies a store from SQLite to PostgreSQL."""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.settings import Settings

From = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="STORE",
        help="Copy this store first: `sqlite` (heal.db in HEAL_DATA), or the address or path of a SQLite file.",
    ),
]


def migrate(source: From = "", as_json: AsJson = False) -> int:
    """Upgrade the database to this version's schema; `heal serve` and the local commands do so by themselves.

    With `--from` it copies a SQLite store into an empty PostgreSQL database, which DATABASE_URL names. Stop Heal first.

    Example: DATABASE_URL=postgresql://heal@db/heal heal migrate --from sqlite
    """
    return wait_for(_move(source, as_json) if source else _migrate(as_json))


async def _migrate(as_json: bool) -> int:
    from bot.settings import read_settings
    from bot.store.database import Database
    from bot.store.trouble import database_error_context

    settings = read_settings()
    with database_error_context(settings.store_name, "migrated"):
        database = await Database.open(settings.store_url)
    await database.close()  # opening it has upgraded the schema
    if as_json:
        put_json({"database": settings.store_name, "schema": "newest"})
    else:
        put(f"the schema of {settings.store_name} is the newest")
    return EXIT_HEALTHY


async def _move(source: str, as_json: bool) -> int:
    from contextlib import AsyncExitStack

    from bot.settings import read_settings
    from bot.store.database import Database
    from bot.store.moving import move
    from bot.store.sole_worker import sole_worker
    from bot.store.trouble import database_error_context

    settings = read_settings()
    old = _source(settings, source)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(sole_worker(old, 0.0))  # no worker may write while it is read
        with database_error_context(old.store_name, "migrated"):
            source_database = await Database.open(old.store_url)
            stack.push_async_callback(source_database.close)
        with database_error_context(settings.store_name, "migrated"):
            target = await Database.open(settings.store_url)
            stack.push_async_callback(target.close)
            counts = await move(source_database, target)
    if as_json:
        put_json({"from": old.store_name, "database": settings.store_name, "rows": counts})
        return EXIT_HEALTHY
    for table, rows in counts.items():
        put(f"{rows:>9,}  {table}")
    put(f"{sum(counts.values()):>9,}  rows copied from {old.store_name} to {settings.store_name}, and counted there")
    return EXIT_HEALTHY


def _source(settings: "Settings", source: str) -> "Settings":
    """The settings of the old store. Raises UserError."""
    from pathlib import Path

    if settings.store_url.startswith("sqlite"):
        raise UserError("set DATABASE_URL to the empty PostgreSQL database that the store is to be copied into")
    name = "" if source == "sqlite" else source if "://" in source else f"sqlite:///{Path(source).absolute()}"
    old = settings.model_copy(update={"database_url": name})
    if not old.store_url.startswith("sqlite"):
        raise UserError(f"{source} is no SQLite store; name its file, or `sqlite` for heal.db in HEAL_DATA")
    if not old.store_file.is_file():
        raise UserError(f"there is no store at {old.store_file}; name its file, or check HEAL_DATA")
    return old
