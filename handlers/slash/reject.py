"""`/heal reject`: rejects fixes, so that they are not offered on this pull request again."""

from typing import Literal

from handlers.acceptance.rejection import store_rejection
from handlers.comments import answers
from handlers.comments.clean import cut
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import EVERY, STANDING, Context, ProposalStatus
from handlers.slash.reading.choice import choose

SYNTAX = "/heal reject <id…> [why]"
PERMISSION: Literal["anyone", "write"] = "write"
OFF_BRANCH: tuple[ProposalStatus, ...] = tuple(status for status in EVERY if status != "applied")
HELP = "Drops fixes. The AI model reads the reason when it works on the same errors again."


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """Stores the chosen fixes as rejected. Raises UserError for one that is on the branch: it must be rolled back."""
    choice = await choose(comment, args, context, "reject", STANDING)
    on_branch = [item.proposal.id for item in choice.stored if item.status == "applied"]
    if on_branch:
        raise UserError(answers.reject_applied(tuple(on_branch)))
    why = cut(" ".join(choice.rest).removeprefix("why:").strip(), 1000)
    for item in choice.stored:
        if not await context.store.update_proposal(item, {"status": "rejected", "reason": why}, only=OFF_BRANCH):
            raise UserError(answers.reject_applied((item.proposal.id,)))
        await store_rejection(context, comment.repo.full_name, item, why)
    return answers.rejected(tuple(item.proposal.id for item in choice.stored), why)
