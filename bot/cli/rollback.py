"""`heal rollback`: reverts applied fixes in the working tree, even after other edits to the same files."""

from bot.cli.apply import apply_or_revert
from bot.cli.options import HERE, AsJson, Clone, Proposals
from bot.cli.shell import wait_for


def rollback(idents: Proposals, repo: Clone = HERE, as_json: AsJson = False) -> int:
    """Revert applied fixes (`all`: every one), byte for byte, whatever else you edited since.

    Example: heal rollback 3f2a
    """
    return wait_for(apply_or_revert(idents, repo, as_json, "rolled-back"))
