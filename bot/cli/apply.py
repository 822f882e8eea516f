"""`heal apply`: proposals into the working tree. What it shares with `heal rollback` is here too."""

from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.clone import open_clone
from bot.cli.options import HERE, AsJson, Clone, Proposals
from bot.cli.proposals import chosen
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, put, put_json, wait_for

if TYPE_CHECKING:
    from bot.laptop.local import LocalRepo
    from handlers.ports import ProposalStatus, StoredProposal

FROM: "dict[ProposalStatus, tuple[ProposalStatus, ...]]" = {
    "applied": ("pending", "rolled-back", "rejected", "outdated"),
    "rolled-back": ("applied",),
}


def apply(idents: Proposals, repo: Clone = HERE, as_json: AsJson = False) -> int:
    """Apply proposals to your files (`all`: those that are pending). Take one back with `heal rollback`.

    Example: heal apply 3f2a 77b1
    """
    return wait_for(bring(idents, repo, as_json, "applied"))


async def bring(idents: list[str], path: Path, as_json: bool, to: "ProposalStatus") -> int:
    """Brings each proposal to a status, in the files and in the store; gives the exit code. Raises UserError."""
    failed = 0
    async with open_clone(path) as repo:
        stored = await repo.proposals()
        wanted = _all(stored, to) if idents == ["all"] else [chosen(stored, ident) for ident in idents]
        for one in wanted:
            why = await bring_one(repo, one, to)
            failed += bool(why)
            if as_json:
                put_json({"id": one.proposal.id, "status": one.status if why else to, "why": why})
            else:
                put(f"{one.proposal.id}  {f'refused: {why}. Nothing was changed' if why else to}")
        if not wanted and not as_json:
            put(f"nothing to do: no proposal is {'pending' if to == 'applied' else 'applied'}. See: heal list")
    return EXIT_ERRORS_LEFT if failed else EXIT_HEALTHY


def _all(stored: "tuple[StoredProposal, ...]", to: "ProposalStatus") -> "list[StoredProposal]":
    """Pending ones in the order they were made, applied ones the last first."""
    if to == "applied":
        return [one for one in stored if one.status == "pending"]
    return [one for one in reversed(stored) if one.status == "applied"]


async def bring_one(repo: "LocalRepo", one: "StoredProposal", to: "ProposalStatus", reason: str = "") -> str:
    """Changes the files and notes it; gives why not, and then nothing was changed."""
    from bot.laptop.working_tree import Refused, WorkingTree

    if one.status not in FROM[to]:
        return f"it is {one.status}"
    tree = WorkingTree(repo.root)
    try:
        if to == "applied":
            one = one.model_copy(update={"proposal": tree.apply(one.proposal)})
        else:
            tree.take_back(one.proposal)
    except Refused as error:
        return str(error)
    await repo.mark(one, to, reason)
    return ""
