"""`/heal apply`: tests fixes again on the current head, and commits them to the branch."""

from typing import Literal, NamedTuple

from handlers.acceptance.applied import resolve_applied
from handlers.acceptance.fitting import Fit, fit_to_head
from handlers.acceptance.states import fix_states
from handlers.acceptance.tested_together import TestedTogether, sort_into_groups
from handlers.comments import answers, reasons
from handlers.comments.parts import headline
from handlers.comments.sticky import patch as patch_text
from handlers.comments.trailers import commit_body, generation_of, heal_id
from handlers.delivery.patches import head_patch
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import EVERY, STANDING, Context, HeadMoved, Pull, Refused, StoredProposal
from handlers.model.plans import CommitPlan
from handlers.model.refusal import is_final, refusal_of
from handlers.slash.reading.choice import choose
from handlers.slash.start import open_pull
from handlers.slash.via_pull_request import offer_in_pull_request

SYNTAX = "/heal apply <id…|all>"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Tests fixes again on the current commit and commits them."
_NOT_APPLIED = tuple(status for status in EVERY if status != "applied")
_WHY_NOT = {"base": reasons.ON_BASE, "unclear": reasons.UNCLEAR, "edited": reasons.EDITED}


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """Makes one commit for each fix, in the order in which they were made; each is tested on the head that the commit
    before it left."""
    choice = await choose(comment, args, context, "apply", STANDING)
    pull = await open_pull(comment, context)
    if pull.is_fork_of(comment.repo.full_name):
        return await for_fork(choice.stored, pull, context)
    lines = await _skipped_by_all(comment, args, context)
    done = missed = 0
    chosen = sort_into_groups(choice.stored)
    tested_together = TestedTogether(chosen, context)
    for at, item in enumerate(chosen):
        try:
            result = await _apply(comment, pull, item, tested_together, context)
        except Refused as error:
            if not is_final(error):
                raise
            rest = await offer_in_pull_request(comment, pull, chosen[at:], context, refusal_of(error))
            return answers.applied((*lines, *rest.lines), done, rest.more, missed)
        lines.append(result.line)
        done += result.sha is not None
        missed += result.sha is None
        pull = pull.model_copy(update={"head_sha": result.sha or pull.head_sha})
    return answers.applied(tuple(lines), done, missed=missed)


async def _skipped_by_all(comment: CommentCreated, args: tuple[str, ...], context: Context) -> list[str]:
    """The line about fixes that `all` skips, because they change tests or what is run; else an empty list."""
    if not args or args[0].lower() != "all":
        return []
    stored = await context.store.proposals(comment.number)
    left = tuple(item.proposal for item in stored if item.status in STANDING and item.proposal.touches)
    return [answers.by_name_only(left)] if left else []


class Applied(NamedTuple):
    """The result for one fix: its line in the answer, and the head that contains it (None: it was not applied)."""

    line: str
    sha: str | None


async def _apply(
    comment: CommentCreated, pull: Pull, item: StoredProposal, tested_together: TestedTogether, context: Context
) -> Applied:
    id_ = item.proposal.id
    if item.status == "applied" and item.applied_sha and await _made_here(comment, id_, item.applied_sha, context):
        return Applied(answers.applied_line(id_, item.applied_sha), pull.head_sha)  # committed before a crash
    found = (await fix_states(context, pull, (item,)))[id_]
    if found.state == "applied":
        await resolve_applied(context.store, found.item, pull.head_sha, _NOT_APPLIED)
        committed_here = await _made_here(comment, id_, pull.head_sha, context)
        line = answers.applied_line(id_, pull.head_sha) if committed_here else answers.already_line(id_)
        return Applied(line, pull.head_sha)
    if found.state in ("base", "unclear") or (found.state == "edited" and item.status == "applied"):
        return Applied(answers.refused_line(id_, _WHY_NOT[found.state]), None)
    fit = await fit_to_head(pull, found.item, context, tested_together)
    if not fit.changes:
        return Applied(answers.refused_line(id_, fit.why), None)
    sha = await _commit(comment, pull, fit, context)
    # It is on the branch, whatever was decided meanwhile, except for a rollback since then.
    only = tuple(status for status in EVERY if status in (item.status, *STANDING, "outdated", "rejected", "resolved"))
    made = item.model_copy(update={"proposal": fit.proposal, "reference": sha})
    await resolve_applied(context.store, made, sha, only)
    return Applied(answers.applied_line(id_, sha), sha)


async def _made_here(comment: CommentCreated, proposal_id: str, sha: str, context: Context) -> bool:
    """Whether this command made the commit."""
    message = await context.github.commit_message(sha) or ""
    return heal_id(_key(comment, proposal_id)) in message.splitlines()


def _key(comment: CommentCreated, proposal_id: str) -> str:
    """The id of a fix's commit, by which the command finds it when it runs again after a crash."""
    return f"apply-{proposal_id}-{comment.comment_id}"


async def _commit(comment: CommentCreated, pull: Pull, fit: Fit, context: Context) -> str:
    key = _key(comment, fit.proposal.id)
    generation = generation_of(await context.github.commit_message(pull.head_sha)) + 1
    plan = CommitPlan(
        branch=pull.head_ref,
        expected_head=pull.head_sha,
        headline=headline(fit.proposal),
        body=commit_body(generation, key, comment.sender),
        changes=fit.changes,
    )
    try:
        async with context.pull_lock(pull.number):
            return await context.publisher.commit(plan, key)
    except HeadMoved as error:
        raise UserError(answers.moved()) from error


async def for_fork(chosen: tuple[StoredProposal, ...], pull: Pull, context: Context) -> str:
    texts = []
    for item in chosen:
        id_ = item.proposal.id
        patch = await head_patch(context.github, item.proposal, pull.head_sha)
        shown = None if patch.text is None else patch_text(id_, patch.text, can_apply=False)
        texts.append(shown or answers.no_patch(id_, patch.why))
    return answers.fork_patch(tuple(texts))
