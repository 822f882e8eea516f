"""Patches of fixes against a commit on GitHub, for pages and for forks."""

from handlers.comments.patch import patch_of
from handlers.model import GitHub
from healing.edits.exact import EditError
from healing.model import Proposal


async def head_patch(github: GitHub, proposal: Proposal, sha: str) -> str | None:
    """The fix as a patch of commit `sha`; None where it doesn't fit there, or a page would spoil a file's name."""
    files = {edit.file: await github.file(edit.file, sha) for edit in proposal.edits}
    try:
        return patch_of(proposal.edits, files.get)
    except EditError:
        return None
