"""Explains to people why a fix doesn't apply to a head: what changed there, or what its check reported."""

from handlers.comments.edit_conflicts import what_changed
from handlers.model import Context, Pull
from handlers.model.edit_conflict import edit_conflict_of
from healing.model import NotChecked, Proposal


async def describe_mismatch(context: Context, pull: Pull, proposal: Proposal, not_run: NotChecked) -> str:
    """One sentence. `not_run` is the engine's reason, whose words are meant for agents if the edits don't fit."""
    paths = {edit.file for edit in proposal.edits}
    files = {path: await context.github.file(path, pull.head_sha) for path in paths}
    edit_conflict = edit_conflict_of(proposal.edits, files.get)
    if edit_conflict is not None:
        return what_changed(edit_conflict)
    return not_run.why if not_run.what == proposal.id else f"{not_run.what}: {not_run.why}"
