"""A person said no to a fix: what a later agent that works on the same cause is to know of it (GH-9, AG-6)."""

from handlers.comments.muting import turned_down
from handlers.ports import StoredProposal, World
from healing.memory import FailedFix
from healing.model import content_id

LONGEST_NAME = 80  # characters of who made a fix


async def remember(world: World, full_name: str, item: StoredProposal, why: str) -> None:
    """With the person's reason, where there is one. A fork's code teaches nothing. Idempotent."""
    pull = await world.github.pull(item.number) if item.number else None
    if pull is not None and pull.is_fork_of(full_name):
        return
    proposal = item.proposal
    failed = tuple(
        FailedFix(
            cause=cause,
            edit=content_id([edit.model_dump() for edit in proposal.edits]),
            specialist=proposal.source[:LONGEST_NAME],
            edits=proposal.edits,
            message=turned_down(why),
        )
        for cause in await _causes(world, item)
    )
    if failed:
        await world.store.learn(failed)


async def _causes(world: World, item: StoredProposal) -> tuple[str, ...]:
    """Fingerprints of the root causes that the fix is for."""
    cured = set(item.proposal.error_ids)
    found = [
        cause.fingerprint
        for run in await world.store.runs(item.number)
        if run.run_id == item.run_id and run.outcome is not None
        for cause in run.outcome.causes
        if cured & set(cause.error_ids)
    ]
    return tuple(dict.fromkeys(found))
