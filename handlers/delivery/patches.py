"""Patches of fixes against a commit on GitHub, for comments and for forks."""

from handlers.comments.patch import patch_of
from handlers.model import GitHub
from healing.edits.exact import EditError
from healing.model import Proposal


async def head_patch(github: GitHub, proposal: Proposal, sha: str) -> str | None:
    """Returns the fix as a patch of commit `sha`; None if it doesn't fit there, or a file name can't be shown
    safely."""
    files = {edit.file: await github.file(edit.file, sha) for edit in proposal.edits}
    try:
        return patch_of(proposal.edits, files.get)
    except EditError:
        return None
