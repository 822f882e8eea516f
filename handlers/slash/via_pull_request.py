"""Opens a pull request with fixes against the pull request's branch, because somebody asked for it or GitHub refused a
commit."""

from typing import NamedTuple

from handlers.acceptance.fitting import fit_to_head
from handlers.acceptance.tested_together import TestedTogether, sort_into_groups
from handlers.comments import answers, refusals
from handlers.comments.sticky import patch as patch_text
from handlers.delivery.fixups import life
from handlers.delivery.patches import head_patch
from handlers.events import CommentCreated
from handlers.model import Context, Pull, StoredProposal
from handlers.model.refusal import Refusal


class PullRequestAnswer(NamedTuple):
    """The answer's `lines`, one for each fix, and what comes after them: GitHub's reasons and patches."""

    lines: tuple[str, ...]
    more: tuple[str, ...]


async def offer_in_pull_request(
    comment: CommentCreated,
    pull: Pull,
    items: tuple[StoredProposal, ...],
    context: Context,
    refusal: Refusal | None = None,
) -> PullRequestAnswer:
    """Tests the fixes on the head and puts them into a pull request. `refusal`: why GitHub refused a commit, if it did.
    If GitHub refuses the pull request too, the answer has patches. Fixes that are in a pull request already stay
    there."""
    lines: list[str] = []
    new: list[StoredProposal] = []
    tested_together = TestedTogether(items, context)
    for item in sort_into_groups(items):
        fit = await fit_to_head(pull, item, context, tested_together)
        if not fit.changes:
            lines.append(answers.refused_line(item.proposal.id, fit.why))
        elif item.delivery == "fixup" and item.fixup_number:
            lines.append(answers.in_pull_line(item.proposal.id, item.fixup_number))
        else:
            new.append(item.model_copy(update={"proposal": fit.proposal}))
    branch = f"{life.APPLY}{comment.comment_id}"
    made = await life.restack(context, pull, comment.repo.full_name, branch, tuple(new)) if new else life.Restacked({})
    parts = ((refusals.COMMIT, refusal), (refusals.PULL_REQUEST, made.refusal))
    refused = tuple((what, why) for what, why in parts if why is not None)
    patches: list[str] = []
    for item in new:
        id_ = item.proposal.id
        if id_ in made.numbers:
            lines.append(answers.in_pull_line(id_, made.numbers[id_]))
            continue
        text = (await head_patch(context.github, item.proposal, pull.head_sha)).text
        patches += [patch_text(id_, text, can_apply=False)] if text else []
        lines.append(answers.not_committed_line(id_, text is not None))
    return PullRequestAnswer(tuple(lines), (*refusals.notes(refused), *patches))
