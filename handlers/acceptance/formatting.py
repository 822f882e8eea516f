"""Commits formatters' fixes right away where the repository's `commit_formatting` asks for it."""

from handlers.acceptance.applied import resolve_applied
from handlers.comments.formatting import commit_text
from handlers.comments.trailers import commit_body, generation_of
from handlers.model import Context, Pull, Refused, Run
from handlers.model.plans import CommitPlan, FileChange
from handlers.model.refusal import is_final
from handlers.model.repo_policy import RepoPolicy
from healing.model import Edit, Proposal
from healing.repair.tools import commit_message


async def commit_formatting(context: Context, run: Run, pull: Pull, proposals: tuple[Proposal, ...]) -> str | None:
    """Commits those fixes that the repository wants committed, and returns the commit. None if there are none, or if
    GitHub refuses the commit; they are offered like others then. Pushes nothing to a fork. Raises HeadMoved if the
    branch has moved."""
    policy = await context.healer.policy(run.sha, pull)
    if not policy.commit_formatting or not pull.number or pull.is_fork_of(run.full_name):
        return None
    chosen, changes = await _fitting_together(
        context, pull, tuple(one for one in proposals if is_formatting(one, policy))
    )
    if not chosen:
        return None
    tools = tuple(dict.fromkeys(one.source.removeprefix("autofix:") for one in chosen))
    key = f"formatting-{run.run_id}-{run.attempt}"
    generation = generation_of(await context.github.commit_message(pull.head_sha)) + 1
    text = commit_text(tools, tuple(one.id for one in chosen))
    body = f"{text}\n\n{commit_body(generation, key)}"
    plan = CommitPlan(
        branch=pull.head_ref,
        expected_head=pull.head_sha,
        headline=commit_message(tools),
        body=body,
        changes=changes,
    )
    try:
        async with context.pull_lock(pull.number):
            sha = await context.publisher.commit(plan, key)
    except Refused as error:
        if not is_final(error):
            raise
        return None
    ids = {one.id for one in chosen}
    for item in await context.store.proposals(pull.number):
        if item.proposal.id in ids:
            await resolve_applied(context.store, item.model_copy(update={"reference": sha}), sha)
    return sha


def is_formatting(proposal: Proposal, policy: RepoPolicy) -> bool:
    """Whether a fix only changes the layout of code, comes from a tool that the repository names, and needs no
    review."""
    tool = proposal.source.removeprefix("autofix:")
    is_named = proposal.source.startswith("autofix:") and tool in policy.commit_formatting
    return is_named and proposal.layout_only and not (proposal.needs or proposal.flags or proposal.touches)


async def _fitting_together(
    context: Context, pull: Pull, wanted: tuple[Proposal, ...]
) -> tuple[tuple[Proposal, ...], tuple[FileChange, ...]]:
    """The fixes that can be applied to the head together, and the files with all of them. Their wide edits are applied,
    so that their reverse edits fit right afterwards."""
    chosen: tuple[Proposal, ...] = ()
    edits: tuple[Edit, ...] = ()
    changes: tuple[FileChange, ...] = ()
    for one in wanted:
        tried = await context.healer.try_edits(pull, (*edits, *one.wide), one, verify=False)
        if tried.ok:
            chosen, edits, changes = (*chosen, one), (*edits, *one.wide), tried.changes
    return chosen, changes
