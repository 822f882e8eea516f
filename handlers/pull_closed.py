"""Handles a closed pull request: stops its runs and closes its fixup pull requests; or it was a fixup pull request."""

from handlers.acceptance.applied import resolve_applied
from handlers.acceptance.rejection import store_rejection
from handlers.comments import fixup as texts
from handlers.comments import reasons, skips, summary
from handlers.delivery.fixups import life
from handlers.delivery.sticky_note import refresh
from handlers.events import PullClosed
from handlers.model import Context, Fixup, ProposalChange
from handlers.runs.finding import is_known
from handlers.runs.report import report


async def handle(event: PullClosed, context: Context) -> None:
    """Handles a merged or closed pull request: fixes can no longer be merged through its fixup pull requests."""
    fixup = await life.known(context, event.number)
    if fixup is not None:
        if event.sender.login != f"{context.slug}[bot]":
            await _of_a_fixup(event, fixup, context)
        return
    if not await is_known(context.store, event.number):
        return
    pull = await context.github.pull(event.number)
    if pull is not None and pull.state == "open":
        return  # a late event: it has been reopened meanwhile
    if pull is not None:
        await context.store.note_pull(pull)
    for run in await context.store.supersede(event.number, keep_sha=""):
        await report(context, run, summary.STOPPED, summary.stopped(skips.CLOSED))
    for item in await context.store.proposals(event.number):
        if item.status == "offered" and item.fixup_number is not None:
            outdated: ProposalChange = {"status": "outdated", "reason": reasons.PULL_CLOSED}
            await context.store.update_proposal(item, outdated, only=("offered",))
    for other in await context.store.fixups():
        if other.target == event.number:
            await life.close(context, other, texts.target_closed(event.number))


async def _of_a_fixup(event: PullClosed, fixup: Fixup, context: Context) -> None:
    """Handles a fixup pull request that a person merged or closed; closing it rejects every fix in it. Fixes merged
    into a pull request's branch are handled when its push is received."""
    for item in await context.store.proposals(fixup.target):
        if item.fixup_number != fixup.number:
            continue
        if not event.merged:
            rejected: ProposalChange = {"status": "rejected", "reason": texts.left(event.sender.login, fixup.number)}
            if await context.store.update_proposal(item, rejected, only=("offered",)):
                await store_rejection(context, event.repo.full_name, item, "")
        elif not fixup.target:
            await resolve_applied(context.store, item, fixup.head_sha)
    await life.close(context, fixup, "")
    target = await context.github.pull(fixup.target) if fixup.target else None
    if target is not None and not event.merged:
        await refresh(context, target, event.repo.full_name)
