"""Why a fix doesn't hold on a head, in people's words: what changed there, or what its check said."""

from handlers.acceptance.clash import clash_of
from handlers.comments.clashes import what_changed
from handlers.ports import Pull, World
from healing.model import NotLooked, Proposal


async def misfit(world: World, pull: Pull, proposal: Proposal, not_run: NotLooked) -> str:
    """A sentence. `said` is what the engine says, which is meant for agents where edits don't fit."""
    paths = {edit.file for edit in proposal.edits}
    files = {path: await world.github.file(path, pull.head_sha) for path in paths}
    clash = clash_of(proposal.edits, files.get)
    if clash is not None:
        return what_changed(clash)
    return not_run.why if not_run.what == proposal.id else f"{not_run.what}: {not_run.why}"
