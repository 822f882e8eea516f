"""`heal migrate`: brings the database's schema to this version."""

from bot.cli.shell import EXIT_HEALTHY, JSON_OPTION, print_json, wait_for


def migrate(as_json: bool = JSON_OPTION) -> int:
    """Bring the database to this version's schema (`heal serve` does it by itself at start)."""
    return wait_for(_migrate(as_json))


async def _migrate(as_json: bool) -> int:
    from bot.settings import read_settings
    from bot.store.database import Database

    settings = read_settings()
    database = await Database.open(settings.store_url)
    await database.close()
    shown = settings.store_url.split("@")[-1]  # never the password
    if as_json:
        print_json({"database": shown, "schema": "newest"})
    else:
        print(f"the schema of {shown} is the newest")
    return EXIT_HEALTHY
