"""Stores that a person rejected a fix, for agents that later work on the same root cause."""

from handlers.comments.muting import rejection_message
from handlers.model import Context, StoredProposal
from healing.model import content_id
from healing.repair.agents.memory import FailedFix

MAX_NAME = 80  # characters of who made a fix


async def store_rejection(context: Context, full_name: str, item: StoredProposal, why: str) -> None:
    """Stores it with the person's reason, which may be empty. Rejections on forks are not stored. Idempotent."""
    pull = await context.github.pull(item.number) if item.number else None
    if pull is not None and pull.is_fork_of(full_name):
        return
    proposal = item.proposal
    failed = tuple(
        FailedFix(
            cause=cause,
            edit=content_id([edit.model_dump() for edit in proposal.edits]),
            specialist=proposal.source[:MAX_NAME],
            edits=proposal.edits,
            message=rejection_message(why),
        )
        for cause in await _causes(context, item)
    )
    if failed:
        await context.store.learn(failed)


async def _causes(context: Context, item: StoredProposal) -> tuple[str, ...]:
    """The fingerprints of the root causes that the fix is for."""
    fixed = set(item.proposal.error_ids)
    found = [
        cause.fingerprint
        for run in await context.store.runs(item.number)
        if run.run_id == item.run_id and run.outcome is not None
        for cause in run.outcome.causes
        if fixed & set(cause.error_ids)
    ]
    return tuple(dict.fromkeys(found))
