"""Keeps the pull request's one summary comment true, and its suggestions: after an offer, a command, a push."""

from handlers.comments import marks
from handlers.comments.sticky import sticky
from handlers.delivery.dead_suggestions import withdraw_dead
from handlers.delivery.patches import head_patch
from handlers.model import Context, Pull, Refused, StoredProposal
from handlers.model.refusal import Refusal, is_final, refusal_of


async def refresh(context: Context, pull: Pull, create: bool = False) -> Refusal | None:
    """Writes it again from what is stored, and takes dead suggestions off the page. The comment is only made where
    there is something to offer, and `create` is set. Gives GitHub's refusal, as in a locked conversation; None: it says
    what it should.

    A branch without a pull request (number 0) has no conversation.
    """
    if not pull.number:
        return None
    async with context.pull_lock(pull.number):  # read in here: who writes last has read last
        stored = await context.store.proposals(pull.number)
        if not stored:
            return None
        runs, here = context.addresses.runs(pull.number), context.addresses.here
        text = sticky(pull.head_sha, stored, await _patches(context, pull, stored), runs, here)
        something = any(item.status == "offered" for item in stored)
        try:
            await context.publisher.sticky(pull.number, marks.STICKY, text, create=create and something)
        except Refused as error:
            if not is_final(error):
                raise
            return refusal_of(error)
        await withdraw_dead(context, pull.number)
    return None


async def _patches(context: Context, pull: Pull, stored: tuple[StoredProposal, ...]) -> tuple[tuple[str, str], ...]:
    wanted = [item.proposal for item in stored if item.status == "offered" and item.delivery == "patch"]
    texts = [(one.id, await head_patch(context.github, one, pull.head_sha)) for one in wanted]
    return tuple((id_, text) for id_, text in texts if text is not None)
