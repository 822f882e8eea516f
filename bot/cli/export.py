"""`heal export`: writes a run into one file, for a bug report."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for
from handlers.errors import UserError

Which = Annotated[
    str, typer.Argument(metavar="[RUN]", help="The start of a run's id or commit; else the newest.", show_default=False)
]
Place = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; else heal-run-ID.json.gz")
]
Code = Annotated[bool, typer.Option("--code", help="With the repository's files, so that it can be replayed.")]


def export(run: Which = "", output: Place = None, code: Code = False, as_json: AsJson = False) -> int:
    """Write a run into one file for a bug report: what every step returned, and how it ended. Secrets are masked.

    Without --code it has no files of the repository, but excerpts: what tools printed, and what was sent to and
    came from models. Read it before you send it: gunzip -c FILE

    Example: heal export --code
    """
    return wait_for(_export(run, output, code, as_json))


async def _export(name: str, output: Path | None, code: bool, as_json: bool) -> int:
    from bot.runs.exporting import export as exported
    from bot.runs.recording import write
    from bot.settings import read_settings
    from bot.store.database import Database
    from healing.git import GitError

    settings = read_settings()
    try:
        async with await Database.open(settings.store_url) as database:
            made = await exported(database, settings, name, code)
    except GitError as error:
        raise UserError(f"{error}. Export it without --code") from error
    place = output or Path(f"heal-run-{made.run_id[:16].replace('/', '-')}.json.gz")
    write(made, place)
    if as_json:
        about = {"file": str(place), "run_id": made.run_id, "steps": len(made.steps), "masked": made.masked}
        put_json({**about, "code": made.failure is not None, "without_code": made.without_code})
        return EXIT_HEALTHY
    put(f"{place}: run {made.run_id}, {len(made.steps)} steps, secrets masked in {made.masked} texts")
    put(
        f"without the code: {made.without_code}" if made.without_code else "with the code: heal replay can run it again"
    )
    return EXIT_HEALTHY
