"""`heal flakes`: lists the flaky tests in the repositories that this instance serves."""

from typing import Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for
from handlers.errors import UserError

Repository = Annotated[str, typer.Argument(metavar="[OWNER/NAME]", help="Only of this repository.", show_default=False)]


def flakes(repository: Repository = "", as_json: AsJson = False) -> int:
    """List flaky tests: those that failed and passed on the same code, and how often.

    Example: heal flakes owner/name
    """
    return wait_for(_flakes(repository, as_json))


async def _flakes(repository: str, as_json: bool) -> int:
    from sqlalchemy.exc import SQLAlchemyError

    from bot.settings import read_settings
    from bot.store.database import Database
    from bot.store.outcomes import every_flaky_test
    from bot.store.trouble import database_error_text

    settings = read_settings()
    try:
        async with await Database.open(settings.store_url) as database:
            found = await every_flaky_test(database, repository)
    except SQLAlchemyError as error:
        raise UserError(database_error_text(settings.store_name, "read", error)) from error
    for name, one in found:
        share = {"rate": round(one.lucky / one.red, 3), "low": round(one.low, 3), "high": round(one.high, 3)}
        if as_json:
            put_json({"repository": name, "test": one.test, "red": one.red, "lucky": one.lucky, **share})
        else:
            bounds = f"{one.low:.0%} to {one.high:.0%} with 95 % confidence"
            put(f"{name}  {one.test}\n  luck on {one.lucky} of {one.red} commits where it failed ({bounds})")
    if not found and not as_json:
        put("no test is known to have failed by luck")
    return EXIT_HEALTHY
