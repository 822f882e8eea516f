"""`heal stop` and `heal go`: the operator's switch for all spending and posting."""

from typing import Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for

Why = Annotated[str, typer.Argument(help="The reason, for logs and for people who ask.", show_default=False)]


def stop(why: Why = "", as_json: AsJson = False) -> int:
    """Stop Heal everywhere at once: nothing is posted, pushed or paid for until `heal go`. Webhooks are still stored.

    It holds for all processes on the same database, and over restarts.

    Example: heal stop "the models are on fire"
    """
    return wait_for(_switch(why, as_json))


def go(as_json: AsJson = False) -> int:
    """End `heal stop`: Heal works through what arrived meanwhile, and interrupted runs continue.

    Example: heal go
    """
    return wait_for(_switch(None, as_json))


async def _switch(why: str | None, as_json: bool) -> int:
    """Stops Heal for a reason; None: lifts the stop."""
    import time

    from bot.settings import read_settings
    from bot.store.database import Database
    from bot.store.switches import Stop

    settings = read_settings()
    async with await Database.open(settings.store_url) as database:
        switch = Stop(database, time.time)
        before = await switch.why()
        await (switch.lift() if why is None else switch.set(why))
    if as_json:
        put_json({"database": settings.store_name, "stopped": why is not None, "was_stopped": before is not None})
    elif why is None:
        put("Heal runs again" if before is not None else "Heal was not stopped; nothing changed")
    else:
        put("Heal is stopped: nothing is posted, pushed or paid for until `heal go`; webhooks are still stored")
    return EXIT_HEALTHY
