"""`heal clean`: gives back disk space."""

from datetime import UTC, datetime, timedelta

import typer

from bot.cli.shell import EXIT_HEALTHY, JSON_OPTION, print_json


def clean(
    days: int = typer.Option(7, help="Remove base checkouts unused for so many days."),
    gigabytes: float = typer.Option(10.0, help="Keep at most so much, the youngest first."),
    as_json: bool = JSON_OPTION,
) -> int:
    """Remove old base checkouts and what crashed runs left behind. Proposals and mirrors stay."""
    from bot.engine import Engine
    from bot.settings import read_settings

    worktrees = Engine(read_settings()).worktrees
    gone = [*worktrees.sweep(), *worktrees.clean(timedelta(days=days), int(gigabytes * (1 << 30)), datetime.now(UTC))]
    if as_json:
        print_json({"removed": gone})
    else:
        print("\n".join(f"removed {name}" for name in gone) or "nothing to remove")
    return EXIT_HEALTHY
