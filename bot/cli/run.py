"""`heal run`: the whole pipeline on a local clone; the working tree is untouched until `heal apply`."""

from pathlib import Path

import typer

from bot.cli.printing import outcome_text
from bot.cli.shell import (
    EXIT_COULD_NOT_LOOK,
    EXIT_ERRORS_LEFT,
    EXIT_HEALTHY,
    JSON_OPTION,
    print_json,
    say,
    wait_for,
)
from handlers.errors import UserError


def run(
    path: Path = typer.Argument(Path(), help="A clone."),
    command: str = typer.Option("", "--run", metavar="CMD", help="The failing command; else the workflows' checks."),
    log: Path | None = typer.Option(None, "--log", metavar="FILE", help="A CI log: its tools' checks are run again."),
    as_json: bool = JSON_OPTION,
) -> int:
    """Heal a local clone: proposals go into the local store, see `heal list`.

    Example: heal run --run "pytest -q"
    """
    if command and log:
        raise UserError("--run and --log exclude each other: name the failing command, or a log of it")
    return wait_for(_run(path, command, log, as_json))


async def _run(path: Path, command: str, log: Path | None, as_json: bool) -> int:
    from bot.cli.check import named_checks
    from bot.local import local_repo
    from bot.settings import read_settings

    data = _read(log) if log else None
    async with local_repo(path, read_settings()) as repo:
        checks = named_checks(repo.view(), command)
        outcome = await repo.heal(of_tools(checks, data) if data is not None else checks, data, say)
    print_json(outcome.model_dump(mode="json")) if as_json else print(outcome_text(outcome))
    if outcome.verdict == "could-not-look":
        return EXIT_COULD_NOT_LOOK
    nothing_wrong = not outcome.errors and not outcome.not_looked
    return EXIT_HEALTHY if outcome.verdict == "healed" or nothing_wrong else EXIT_ERRORS_LEFT


def _read(log: Path) -> bytes:
    try:
        return log.read_bytes()
    except OSError as error:
        raise UserError(f"{log} can't be read: {error.strerror}") from error


def of_tools(checks, log: bytes):  # type: ignore[no-untyped-def]
    """The checks whose command names a tool that the log's errors come from; all where none does."""
    from healing.logs.reading import read_log

    tools = {error.tool for error in read_log(log).errors}
    named = tuple(c for c in checks if any(tool in c.step.run for tool in tools))
    return named or checks
