"""Updates the pull request's summary comment and its suggestions, after an offer, a command or a push."""

from handlers.comments import marks
from handlers.comments.sticky import sticky
from handlers.delivery.dead_suggestions import withdraw_dead
from handlers.delivery.patches import head_patch
from handlers.model import Context, Pull, Refused, StoredProposal
from handlers.model.refusal import Refusal, is_final, refusal_of


async def refresh(context: Context, pull: Pull, full_name: str, create: bool = False) -> Refusal | None:
    """Rewrites the comment from the store, and withdraws dead suggestions. The comment is only created if there is
    something to offer and `create` is set; `full_name` is the repository's. Returns GitHub's refusal, for example on a
    locked pull request, else None.

    Does nothing for a branch without a pull request (number 0).
    """
    if not pull.number:
        return None
    async with context.pull_lock(pull.number):  # reads inside the lock, so that the last writer has the latest data
        stored = await context.store.proposals(pull.number)
        if not stored:
            return None
        runs = await context.store.runs(pull.number)
        run = context.addresses.run(runs[0].sha, runs[0].attempt) if runs else ""
        patches, is_fork = await _patches(context, pull, stored), pull.is_fork_of(full_name)
        text = sticky(pull.head_sha, stored, patches, run, context.addresses.settings, is_fork=is_fork)
        any_offered = any(item.status == "offered" for item in stored)
        try:
            await context.publisher.sticky(pull.number, marks.STICKY, text, create=create and any_offered)
        except Refused as error:
            if not is_final(error):
                raise
            return refusal_of(error)
        await withdraw_dead(context, pull.number)
    return None


async def _patches(context: Context, pull: Pull, stored: tuple[StoredProposal, ...]) -> tuple[tuple[str, str], ...]:
    wanted = [item.proposal for item in stored if item.status == "offered" and item.delivery == "patch"]
    texts = [(proposal.id, (await head_patch(context.github, proposal, pull.head_sha)).text) for proposal in wanted]
    return tuple((id_, text) for id_, text in texts if text is not None)
