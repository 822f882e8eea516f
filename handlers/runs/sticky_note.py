"""Keeps the pull request's one summary comment true, and its suggestions: after an offer, a command, a push (GH-4)."""

from handlers.comments import marks
from handlers.comments.sticky import sticky
from handlers.delivery.dead_suggestions import withdraw_dead
from handlers.delivery.patches import head_patch
from handlers.delivery.refusal import Refusal, is_final, refusal_of
from handlers.ports import Pull, Refused, StoredProposal, World


async def refresh(world: World, pull: Pull, create: bool = False) -> Refusal | None:
    """Writes it anew from what is stored, and takes dead suggestions off the page. The comment is only made where there
    is something to offer, and `create` is set. Gives GitHub's refusal, as in a locked conversation; None: it says what
    it should.

    A branch without a pull request (number 0) has no conversation.
    """
    if not pull.number:
        return None
    async with world.pull_lock(pull.number):  # read in here: who writes last has read last
        stored = await world.store.proposals(pull.number)
        if not stored:
            return None
        runs, here = world.addresses.runs(pull.number), world.addresses.here
        text = sticky(pull.head_sha, stored, await _patches(world, pull, stored), runs, here)
        something = any(item.status == "offered" for item in stored)
        try:
            await world.publisher.sticky(pull.number, marks.STICKY, text, create=create and something)
        except Refused as error:
            if not is_final(error):
                raise
            return refusal_of(error)
        await withdraw_dead(world, pull.number)
    return None


async def _patches(world: World, pull: Pull, stored: tuple[StoredProposal, ...]) -> tuple[tuple[str, str], ...]:
    wanted = [item.proposal for item in stored if item.status == "offered" and item.delivery == "patch"]
    texts = [(one.id, await head_patch(world.github, one, pull.head_sha)) for one in wanted]
    return tuple((id_, text) for id_, text in texts if text is not None)
