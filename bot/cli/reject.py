"""`heal reject`: stores that a fix is not wanted."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.clone import open_clone
from bot.cli.options import HERE, AsJson, Clone
from bot.cli.proposals import Ident, chosen
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for
from handlers.errors import UserError


def reject(
    ident: Ident,
    why: Annotated[str, typer.Argument(metavar="WHY", help="The reason, kept beside it.", show_default=False)] = "",
    repo: Clone = HERE,
    as_json: AsJson = False,
) -> int:
    """Reject a fix, with a reason if you have one. `heal apply all` leaves it out.

    Example: heal reject 3f2a "we keep the old name"
    """
    return wait_for(_reject(ident, why, repo, as_json))


async def _reject(ident: str, why: str, path: Path, as_json: bool) -> int:
    async with open_clone(path) as repo:
        one = chosen(await repo.refreshed(), ident)
        if one.status == "applied":
            raise UserError(f"{one.proposal.id} is applied. Revert it first: heal rollback {one.proposal.id}")
        await repo.mark(one, "rejected", why)
    if as_json:
        put_json({"id": one.proposal.id, "status": "rejected", "why": why})
    else:
        put(f"{one.proposal.id}  rejected")
    return EXIT_HEALTHY
