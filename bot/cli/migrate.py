"""`heal migrate`: brings the database's schema to this version."""

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for
from handlers.errors import UserError


def migrate(as_json: AsJson = False) -> int:
    """Bring the database to this version's schema (`heal serve` and the local commands do it by themselves).

    Example: heal migrate
    """
    return wait_for(_migrate(as_json))


async def _migrate(as_json: bool) -> int:
    from alembic.util import CommandError
    from sqlalchemy.exc import SQLAlchemyError

    from bot.settings import read_settings
    from bot.store.database import Database

    settings = read_settings()
    shown = settings.store_name
    try:
        database = await Database.open(settings.store_url)
    except (SQLAlchemyError, CommandError, OSError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"the database {shown} can't be migrated: {why}. Look at DATABASE_URL, or HEAL_DATA") from error
    await database.close()
    if as_json:
        put_json({"database": shown, "schema": "newest"})
    else:
        put(f"the schema of {shown} is the newest")
    return EXIT_HEALTHY
