"""`heal list` and `heal show`: what is in the local store."""

from pathlib import Path

import typer

from bot.cli.printing import diff_of, proposal_line
from bot.cli.shell import EXIT_HEALTHY, JSON_OPTION, print_json, wait_for
from handlers.errors import UserError
from handlers.ports import StoredProposal

PATH = typer.Option(Path(), "--repo", help="A clone.")


def list_(path: Path = PATH, as_json: bool = JSON_OPTION) -> int:
    """List the proposals of this clone with their status."""
    return wait_for(_list(path, as_json))


def show(
    ident: str = typer.Argument(..., metavar="ID", help="A proposal's id, or the start of it."),
    path: Path = PATH,
    as_json: bool = JSON_OPTION,
) -> int:
    """Show one proposal: its diff, why, and the evidence."""
    return wait_for(_show(ident, path, as_json))


async def _list(path: Path, as_json: bool) -> int:
    from bot.local import NUMBER, local_repo
    from bot.settings import read_settings

    async with local_repo(path, read_settings()) as repo:
        stored = await repo.store.proposals(NUMBER)
    for one in stored:
        if as_json:
            print_json(one.model_dump(mode="json"))
        else:
            print(proposal_line(one.proposal, one.status))
    if not stored and not as_json:
        print("no proposals here yet; make some: heal run")
    return EXIT_HEALTHY


async def _show(ident: str, path: Path, as_json: bool) -> int:
    from bot.local import NUMBER, local_repo
    from bot.settings import read_settings

    async with local_repo(path, read_settings()) as repo:
        one = chosen(await repo.store.proposals(NUMBER), ident)
        view = repo.git.view(one.proposal.base_tree)
        files = {e.file: view.read(e.file) for e in one.proposal.edits}
    if as_json:
        print_json(one.model_dump(mode="json"))
        return EXIT_HEALTHY
    proposal = one.proposal
    print(proposal_line(proposal, one.status))
    print(f"{proposal.explanation}\n")
    print(diff_of(proposal.edits, files))
    for evidence in proposal.evidence:
        print(
            f"\n$ {evidence.command}\nexit code {evidence.before_exit} → {evidence.after_exit} {evidence.note}".rstrip()
        )
    return EXIT_HEALTHY


def chosen(stored: tuple[StoredProposal, ...], ident: str) -> StoredProposal:
    """The one proposal whose id starts with `ident`. Raises UserError."""
    fitting = [one for one in stored if one.proposal.id.startswith(ident)]
    if len(fitting) == 1:
        return fitting[0]
    why = "is no proposal here" if not fitting else "fits more than one proposal"
    raise UserError(f"{ident} {why}; see `heal list`")
