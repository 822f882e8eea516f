"""Reads what a delivery is planned on: the head's files, their modes, and the pull request's diff."""

from handlers.comments.trailers import generation_of
from handlers.delivery.planning import Ground
from handlers.model import Context, Pull
from healing.model import Proposal


async def ground_of(context: Context, pull: Pull, full_name: str, proposals: tuple[Proposal, ...]) -> Ground:
    """Returns the ground for `proposals` on the head. `pull.number` 0 is a branch without a pull request, which has no
    diff."""
    paths = sorted({edit.file for proposal in proposals for edit in proposal.edits})
    files = {path: await context.github.file(path, pull.head_sha) for path in paths}
    changed = await context.github.changed_files(pull.number) if pull.number else ()
    generation = generation_of(await context.github.commit_message(pull.head_sha)) + 1
    return Ground(
        pull,
        tuple(file for file in changed if file.path in files),
        files.get,
        await _modes(context, pull, proposals),
        fork=pull.is_fork_of(full_name),
        generation=generation,
    )


async def _modes(context: Context, pull: Pull, proposals: tuple[Proposal, ...]) -> dict[str, str]:
    """Returns file modes from the engine, which has the tree; GitHub's contents API doesn't include them."""
    modes: dict[str, str] = {}
    for proposal in proposals:
        tried = await context.healer.try_edits(pull, proposal.edits, proposal, verify=False)
        modes |= {change.path: change.mode for change in tried.changes}
    return modes


def branch_as_pull(sha: str, branch: str, full_name: str) -> Pull:
    """Returns a branch without a pull request as a `Pull` with number 0, to which fixes can be delivered."""
    return Pull(
        number=0,
        title="",
        state="open",
        draft=False,
        head_sha=sha,
        head_ref=branch,
        head_repo=full_name,
        base_sha=sha,
        base_ref=branch,
        author="",
    )
