"""`heal rollback`: takes applied proposals back out of the working tree, also after other edits in the same files."""

from pathlib import Path

import typer

from bot.cli.apply import PATH, _each
from bot.cli.shell import JSON_OPTION, wait_for


def rollback(
    idents: list[str] = typer.Argument(..., metavar="ID…", help="Proposals, or `all` that are applied."),
    path: Path = PATH,
    as_json: bool = JSON_OPTION,
) -> int:
    """Take applied proposals back: the bytes become what they were."""
    return wait_for(_each(idents, path, as_json, "rolled-back", ("applied",)))
