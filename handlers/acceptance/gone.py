"""Applied fixes that are no longer on the branch, whoever took them off it and however (GH-6)."""

from handlers.comments import reasons
from handlers.ports import ProposalChange, Pull, StoredProposal, World
from healing.edits import EditError, apply_edits


async def notice_gone(world: World, pull: Pull) -> None:
    """Taken back by somebody's commit, or lost with the commits that a push by force threw away."""
    for item in await world.store.proposals(pull.number):
        if item.status == "applied" and item.applied_sha and await _is_gone(world, pull, item):
            kept = await world.github.merge_base(item.applied_sha, pull.head_sha) == item.applied_sha
            gone: ProposalChange = {"status": "rolled-back" if kept else "outdated", "reason": reasons.gone(kept)}
            await world.store.update_proposal(item, gone, only=("applied",))


async def _is_gone(world: World, pull: Pull, item: StoredProposal) -> bool:
    """Not those that were only edited since."""
    if await world.healer.changed_since(pull, item.proposal) != "absent":
        return False
    there = await world.healer.try_edits(pull, item.proposal.wide, item.proposal, verify=False)
    if not there.ok:
        return False
    # What only adds lines fits again also where they were changed: then the whole files have to be as before.
    adds = any(edit.old_string in edit.new_string for edit in item.proposal.wide)
    return not adds or await _as_before(world, pull, item)


async def _as_before(world: World, pull: Pull, item: StoredProposal) -> bool:
    paths = {edit.file for edit in item.proposal.reverse}
    applied = {path: await world.github.file(path, item.applied_sha or "") for path in paths}
    try:
        before = apply_edits(item.proposal.reverse, applied.get)
    except EditError:
        return False
    return all([await world.github.file(path, pull.head_sha) == before.get(path, applied[path]) for path in paths])
