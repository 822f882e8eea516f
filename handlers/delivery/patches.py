"""Patches of fixes against a commit on GitHub, for comments and for forks."""

from typing import NamedTuple

from handlers.comments import reasons
from handlers.comments.patch import patch_of
from handlers.model import GitHub
from healing.edits.exact import EditError
from healing.model import Proposal


class HeadPatch(NamedTuple):
    """A fix as a patch; where there is none (`text` is None), why."""

    text: str | None
    why: str = ""


async def head_patch(github: GitHub, proposal: Proposal, sha: str) -> HeadPatch:
    """The fix as a patch of commit `sha`."""
    files = {edit.file: await github.file(edit.file, sha) for edit in proposal.edits}
    try:
        text = patch_of(proposal.edits, files.get)
    except EditError:
        return HeadPatch(None, reasons.NOT_FITTING)
    return HeadPatch(text) if text is not None else HeadPatch(None, reasons.NO_PATCH)
