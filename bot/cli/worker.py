"""`heal worker`: processes what `heal serve --web-only` receives, in a process without a web server."""

import asyncio
import logging
import signal
from contextlib import suppress

from bot.cli.shell import EXIT_HEALTHY, wait_for

log = logging.getLogger("heal.worker")


def worker() -> int:
    """Work on what `heal serve --web-only` receives, in a process of its own, on the same database.

    With SQLite one worker runs at a time, a further one waits for its turn, and all processes share one machine and
    HEAL_DATA. For any number of workers, on any machines, set DATABASE_URL=postgresql://…

    Example: DATABASE_URL=postgresql://heal@db/heal heal worker
    """
    return wait_for(_work())


async def _work() -> int:
    from bot.durable.engine import DurableEngine
    from bot.keys.registration import read_app_settings
    from bot.machine import open_machine
    from bot.maintenance.loop import run_maintenance
    from bot.watching.logs import configure_logs

    settings = await read_app_settings()
    configure_logs()
    queue = DurableEngine(settings.worker, settings.runs_at_once)
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):  # the process was stopped, perhaps while it waited for another worker
        async with (
            open_machine(settings, queue, longest_wait=None) as machine,
            run_maintenance(machine, settings.keep_days),
        ):
            log.info("the worker runs on %s", settings.store_name)
            await asyncio.Event().wait()
    return EXIT_HEALTHY
