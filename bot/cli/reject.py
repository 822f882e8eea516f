"""`heal reject`: marks proposals as not wanted."""

from pathlib import Path

import typer

from bot.cli.apply import PATH
from bot.cli.shell import EXIT_HEALTHY, JSON_OPTION, print_json, wait_for


def reject(
    ident: str = typer.Argument(..., metavar="ID", help="A proposal."),
    why: str = typer.Argument("", help="The reason, for the memory."),
    path: Path = PATH,
    as_json: bool = JSON_OPTION,
) -> int:
    """Mark a proposal as rejected, with a reason if there is one."""
    return wait_for(_reject(ident, why, path, as_json))


async def _reject(ident: str, why: str, path: Path, as_json: bool) -> int:
    from bot.cli.proposals import chosen
    from bot.local import NUMBER, local_repo
    from bot.settings import read_settings

    async with local_repo(path, read_settings()) as repo:
        one = chosen(await repo.store.proposals(NUMBER), ident)
        await repo.store.update_proposal(one.model_copy(update={"status": "rejected", "reason": why}))
    if as_json:
        print_json({"id": one.proposal.id, "status": "rejected", "why": why})
    else:
        print(f"{one.proposal.id}  rejected")
    return EXIT_HEALTHY
