"""`/heal show`: shows a fix with its change and its proof."""

from typing import Literal

from handlers.comments import answers
from handlers.comments.parts import by_id
from handlers.delivery.patches import head_patch
from handlers.events import CommentCreated
from handlers.model import Context, StoredProposal
from handlers.slash.reading.choice import choose
from healing.model import CIError

SYNTAX = "/heal show <id>"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Shows a fix with its change and its proof."
LIMIT = 5


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """Shows the chosen fixes in full, at most five."""
    choice = await choose(comment, args, context, "show", ("offered", "applied"))
    pull = await context.github.pull(comment.number)
    texts = []
    for item in choice.stored[:LIMIT]:
        diff = (await head_patch(context.github, item.proposal, pull.head_sha)).text if pull else None
        texts.append(answers.shown_proposal(item, await errors_of(item, context), diff))
    return "\n\n---\n\n".join(texts)


async def errors_of(item: StoredProposal, context: Context) -> dict[str, CIError]:
    """The errors of the run that made a fix, by id."""
    for run in await context.store.runs(item.number):
        if run.run_id == item.run_id and run.outcome is not None:
            return by_id(run.outcome.errors)
    return {}
