"""`/heal rollback`: reverts applied fixes, byte for byte, in one commit."""

from typing import Literal

from handlers.acceptance.applied import notice_changes, resolve_applied
from handlers.acceptance.reversal import Conflict, fixes_on_top, reversal, wanted_by_hand
from handlers.acceptance.states import FixAtHead, fix_states
from handlers.comments import answers, fixup, marks, reasons, refusals, rollback_answers
from handlers.comments.trailers import commit_body, generation_of, heal_id, rolled_back_by
from handlers.delivery.fixup_plan import LABEL
from handlers.delivery.fixups import life
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import EVERY, CIWait, Context, HeadMoved, ProposalChange, Pull, Refused, StoredProposal
from handlers.model.edit_conflict import edit_conflict_of
from handlers.model.plans import CommitPlan, FileChange, FixupPlan
from handlers.model.refusal import is_final, refusal_of
from handlers.slash.reading.choice import Choice, choose
from handlers.slash.start import open_pull

SYNTAX = "/heal rollback <id…|run>"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = (
    "Reverts applied fixes in one commit, including suggestions that were committed on GitHub. `run` stands for all "
    "fixes of the latest run."
)


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """Reverts all of the chosen fixes together, or none."""
    pull = await open_pull(comment, context)
    message = await context.github.commit_message(pull.head_sha) or ""
    if heal_id(_key(comment)) in message.splitlines():
        # The command crashed between its commit and its answer. The commit names what was reverted.
        return await _finish(rolled_back_by(message), pull, context)
    found = await notice_changes(context, pull)  # fixes may have been applied or reverted a moment ago
    chosen = (await _choose(comment, args, context)).stored
    found |= await _notice_rejected(pull, tuple(one for one in chosen if one.proposal.id not in found), context)
    ids = {item.proposal.id for item in chosen}
    standing = tuple(
        item
        for item in await context.store.proposals(pull.number)
        if item.proposal.id in ids and item.status == "applied"
    )
    if unclear := tuple(id_ for id_ in sorted(ids) if found[id_].state == "unclear"):
        raise UserError(rollback_answers.unclear(unclear))
    if not standing:
        return _nothing_to_do(chosen, found)
    if pull.is_fork_of(comment.repo.full_name):
        return rollback_answers.fork_rollback(tuple(item.proposal.id for item in standing))
    changes = await _changes(pull, standing, found, context)
    if await context.github.branch_protected(pull.head_ref):
        return await _by_pull(comment, pull, standing, changes, context)
    try:
        return await _by_commit(comment, pull, standing, changes, context)
    except Refused as error:
        if not is_final(error):
            raise
        why = refusals.explained(refusals.COMMIT, refusal_of(error))
        return await _by_pull(comment, pull, standing, changes, context, why)


async def _choose(comment: CommentCreated, args: tuple[str, ...], context: Context) -> Choice:
    """The fixes that the command is about; `run` stands for all applied fixes of the last run that has any. This may
    run again after a crash, because then nothing was committed."""
    if args[:1] != ("run",):
        return await choose(comment, args, context, "rollback", ("applied",))
    applied = [item for item in await context.store.proposals(comment.number) if item.status == "applied"]
    if not applied:
        raise UserError(answers.which("rollback", ()))
    return Choice(tuple(item for item in applied if item.run_id == applied[-1].run_id), args[1:])


async def _notice_rejected(pull: Pull, items: tuple[StoredProposal, ...], context: Context) -> dict[str, FixAtHead]:
    """Stores rejected and muted fixes as applied if the head contains them, so that they can be reverted."""
    found = await fix_states(context, pull, items)
    for one in found.values():
        if one.state == "applied":
            await resolve_applied(context.store, one.item, pull.head_sha, EVERY)
    return found


def _nothing_to_do(chosen: tuple[StoredProposal, ...], found: dict[str, FixAtHead]) -> str:
    on_base = tuple(one.proposal.id for one in chosen if found[one.proposal.id].state == "base")
    if on_base:
        return rollback_answers.on_base(on_base)
    return rollback_answers.not_applied(tuple(one.proposal.id for one in chosen))


async def _changes(
    pull: Pull, items: tuple[StoredProposal, ...], found: dict[str, FixAtHead], context: Context
) -> tuple[FileChange, ...]:
    """The files after the exact reverse edits of the fixes. Raises UserError if one doesn't fit."""
    known = {id_: one.tracked for id_, one in found.items()}
    stored = await context.store.proposals(pull.number)
    applied = tuple(known[one.proposal.id].proposal for one in stored if one.status == "applied")
    references = {id_: one.reference for id_, one in known.items() if one.reference is not None}
    paths = sorted({edit.file for proposal in applied for edit in proposal.reverse})
    files = {path: await context.github.file(path, pull.head_sha) for path in paths}
    wanted = tuple(known[item.proposal.id].proposal for item in items)
    try:
        edits = reversal(wanted, files.get, references)
    except Conflict as error:
        on_top = tuple(one.id for one in fixes_on_top(wanted, applied, files.get, references))
        raise UserError(
            rollback_answers.conflict(error.proposal_id, error.edit_conflict, error.wanted, on_top)
        ) from error
    tried = await context.healer.try_edits(pull, edits, items[-1].proposal, verify=False)
    if not tried.ok:
        last = items[-1].proposal
        raise UserError(
            rollback_answers.conflict(last.id, edit_conflict_of(edits, files.get), wanted_by_hand(last.reverse))
        )
    return tried.changes


async def _by_commit(
    comment: CommentCreated,
    pull: Pull,
    items: tuple[StoredProposal, ...],
    changes: tuple[FileChange, ...],
    context: Context,
) -> str:
    ids = tuple(item.proposal.id for item in items)
    body = commit_body(await _generation(pull, context), _key(comment), comment.sender, rollback=" ".join(ids))
    plan = CommitPlan(
        branch=pull.head_ref,
        expected_head=pull.head_sha,
        headline=fixup.rollback_title(items),
        body=body,
        changes=changes,
    )
    try:
        async with context.pull_lock(pull.number):
            sha = await context.publisher.commit(plan, _key(comment))
    except HeadMoved as error:
        raise UserError(answers.moved()) from error
    return await _finish(ids, pull.model_copy(update={"head_sha": sha}), context)


async def _finish(ids: tuple[str, ...], pull: Pull, context: Context) -> str:
    """Stores the fixes as reverted; their reference is the commit that reverted them."""
    items = [item for item in await context.store.proposals(pull.number) if item.proposal.id in ids]
    found = await fix_states(context, pull, items)
    await context.store.await_ci(CIWait(number=pull.number, sha=pull.head_sha))
    for item in items:
        one = found[item.proposal.id].item
        gone: ProposalChange = {"status": "rolled-back", "reference": one.reference}
        gone["reason"] = reasons.reverted_in(pull.head_sha)
        await context.store.update_proposal(item, {**gone, "proposal": one.proposal}, only=("applied",))
    return rollback_answers.rolled_back(ids, pull.head_sha)


async def _by_pull(
    comment: CommentCreated,
    pull: Pull,
    items: tuple[StoredProposal, ...],
    changes: tuple[FileChange, ...],
    context: Context,
    why: str = "",
) -> str:
    """Reverts by a pull request, because the branch is protected or GitHub refused the commit (`why`). The fixes count
    as applied until it is merged."""
    ids = tuple(item.proposal.id for item in items)
    branch = f"{life.ROLLBACK}{comment.comment_id}"
    body = commit_body(await _generation(pull, context), _key(comment), comment.sender, rollback=" ".join(ids))
    title = fixup.rollback_title(items)
    plan = FixupPlan(
        branch=branch,
        start_sha=pull.head_sha,
        base_ref=pull.head_ref,
        title=title,
        body=fixup.rollback_body(items, comment.sender.login, branch),
        marker=marks.of_fixup(branch),
        commits=((title, body, changes),),
        labels=(LABEL,),
        draft=False,
    )
    try:
        async with context.pull_lock(pull.number):
            posted = await life.publish(context, pull.number, plan)
    except HeadMoved as error:
        raise UserError(answers.moved()) from error
    except Refused as error:
        if not is_final(error):
            raise
        by_hand = "\n".join(wanted_by_hand(item.proposal.reverse) for item in reversed(items))
        raise UserError(refusals.rollback_refused(refusal_of(error), by_hand)) from error
    return rollback_answers.rollback_pull(ids, posted.id, why)


async def _generation(pull: Pull, context: Context) -> int:
    return generation_of(await context.github.commit_message(pull.head_sha)) + 1


def _key(comment: CommentCreated) -> str:
    """The id of the rollback's commit, by which the command finds it when it runs again after a crash."""
    return f"rollback-{comment.comment_id}"
