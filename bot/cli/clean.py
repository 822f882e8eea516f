"""`heal clean`: frees disk space."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, put, put_json
from handlers.errors import UserError


def clean(
    days: Annotated[int, typer.Option(min=0, help="Remove what was not used for so many days.")] = 7,
    gigabytes: Annotated[float, typer.Option(min=0, help="Keep at most so much of each, the last used first.")] = 10.0,
    as_json: AsJson = False,
) -> int:
    """Remove old base checkouts and environments and what crashed runs left behind. Fixes and results stay.

    Example: heal clean --days 0
    """
    from bot.runs.engine import Engine
    from bot.settings import read_settings
    from healing.git import GitError

    try:
        worktrees = Engine(read_settings()).worktrees
        gone = [*worktrees.sweep(), *worktrees.clean(timedelta(days), int(gigabytes * (1 << 30)), datetime.now(UTC))]
        worktrees.close()
    except GitError as error:
        raise UserError(str(error)) from error
    if as_json:
        put_json({"removed": gone})
    else:
        put("\n".join(f"removed {name}" for name in gone) or "nothing to remove")
    return EXIT_HEALTHY
