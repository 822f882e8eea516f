"""`heal apply`: proposals into the working tree. What it shares with `heal rollback` is here too."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bot.cli.clone import open_clone
from bot.cli.options import HERE, AsJson, Clone, Proposals
from bot.cli.proposals import chosen
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, put, put_json, wait_for

if TYPE_CHECKING:
    from bot.laptop.local import LocalRepo
    from handlers.model import ProposalStatus, StoredProposal


def apply(idents: Proposals, repo: Clone = HERE, as_json: AsJson = False) -> int:
    """Apply proposals to your files (`all`: what is pending or was rolled back). Take one back with `heal rollback`.

    Example: heal apply 3f2a 77b1
    """
    return wait_for(bring(idents, repo, as_json, "applied"))


class Brought(NamedTuple):
    """What came of it: `why` not, or a `note` beside the status that it has now."""

    why: str = ""
    note: str = ""

    def text(self, to: "ProposalStatus") -> str:
        """For people."""
        return f"refused: {self.why}. Nothing was changed" if self.why else f"{to}{self.note}"


async def bring(idents: list[str], path: Path, as_json: bool, to: "ProposalStatus") -> int:
    """Brings each proposal to a status, in the files and in the store; gives the exit code. Raises UserError."""
    failed = 0
    async with open_clone(path) as repo:
        stored = await repo.refreshed()
        wanted = _all(stored, to) if idents == ["all"] else [chosen(stored, ident) for ident in idents]
        for one in wanted:
            brought = await bring_one(repo, one, to)
            failed += bool(brought.why)
            if as_json:
                put_json({"id": one.proposal.id, "status": one.status if brought.why else to, "why": brought.why})
            else:
                put(f"{one.proposal.id}  {brought.text(to)}")
        if idents == ["all"] and not as_json:
            _name_left_out(stored, to)
        if not wanted and not as_json:
            left = "left to apply" if to == "applied" else "in your files"
            put(f"nothing to do: no proposal is {left}. See: heal list")
    return EXIT_ERRORS_LEFT if failed else EXIT_HEALTHY


def _name_left_out(stored: "tuple[StoredProposal, ...]", to: "ProposalStatus") -> None:
    """Says which fixes `all` does not mean."""
    for one in stored:
        id_ = one.proposal.id
        if to == "applied" and one.proposal.touches and one.status in ("pending", "rolled-back"):
            put(f"{id_}  left out, because it changes the {one.proposal.touches}. To apply it: heal apply {id_[:8]}")
        if to == "rolled-back" and one.status == "applied" and _came_otherwise(one):
            put(f"{id_}  left out, because heal apply didn't bring it. To take it back: heal rollback {id_[:8]}")


def _all(stored: "tuple[StoredProposal, ...]", to: "ProposalStatus") -> "list[StoredProposal]":
    """Those that can be applied in the order they were made, without those that change tests or what is run; those that
    `heal apply` brought the last first: what git or an editor put there is a person's own."""
    if to == "applied":
        left = [one for one in stored if one.status in ("pending", "rolled-back")]
        return [one for one in left if not one.proposal.touches]
    return [one for one in reversed(stored) if one.status == "applied" and not _came_otherwise(one)]


def _came_otherwise(one: "StoredProposal") -> bool:
    """Whether git or an editor gave the files what the fix would: a person did so, and may have built on it since."""
    from bot.laptop.local import THERE

    return one.reason == THERE


async def bring_one(repo: "LocalRepo", one: "StoredProposal", to: "ProposalStatus", reason: str = "") -> Brought:
    """Changes the files and notes it; gives why not, and then nothing was changed."""
    from bot.laptop.working_tree import DoesNotFit, WorkingTree

    tree = WorkingTree(repo.root)
    state = repo.states((one,))[one.proposal.id].state
    if to == "applied" and state == "applied":
        await repo.mark(repo.anchored(one), "applied", one.reason)
        return Brought(note=": your files have it already")
    if to == "rolled-back" and state == "absent":
        if one.status != "rolled-back":
            return Brought(f"it is {one.status}, and your files don't have it")
        return Brought(note=f": your files don't have it. Apply it again: heal apply {one.proposal.id[:8]}")
    if state == "unclear":
        return Brought(f"your files fit both with and without it; look: heal show {one.proposal.id[:8]}")
    try:
        if to == "applied":
            one = one.model_copy(update={"proposal": tree.apply(one.proposal)})
        else:
            tree.take_back(one.proposal, repo.reference(one))
    except DoesNotFit as error:
        return Brought(str(error))
    await repo.mark(repo.anchored(one), to, reason)
    return Brought()
