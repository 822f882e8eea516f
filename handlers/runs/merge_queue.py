"""What fails in GitHub's merge queue: its branches are read-only, so the pull request's own head is where it is
reported and healed."""

import re

from handlers.events import CheckFailed
from handlers.model import Context, Pull

BRANCHES = "gh-readonly-queue/"
IN_QUEUE = "in_queue"  # of a failure: it was seen on the merge that the queue made, not on the head itself
ONTO = "queue_base"  # of such a failure: the commit that the merge was made onto, as the branch's name has it
_PULL = re.compile(r"gh-readonly-queue/.{1,250}/pr-([0-9]{1,10})-([0-9a-f]{40})")


def is_queue(branch: str | None) -> bool:
    """Whether a branch is one of the merge queue's."""
    return (branch or "").startswith(BRANCHES)


async def queued(event: CheckFailed, context: Context) -> Pull | None:
    """The pull request that was being merged, where it is still open; the branch's name is all that names it."""
    named = _PULL.fullmatch(event.head_branch or "") if _is_ours(event) else None
    pull = await context.github.pull(int(named[1])) if named else None
    return pull if pull is not None and pull.state == "open" else None


def _is_ours(event: CheckFailed) -> bool:
    """Whether the branch is the repository's own: anybody can call one so in a fork, whose pull request Actions runs
    for here. Only the event of the whole workflow says whose it is; its jobs' events, which don't, add nothing to it.
    Others are reported for the repository's own branches alone (other Apps' suites, and statuses)."""
    if event.app_slug == "github-actions" and event.source != "workflow_run":
        return False
    return event.own_branch is not None


def as_of_pull(row: dict[str, object], pull: Pull) -> dict[str, object]:
    """The failure as one of the pull request's head."""
    named = _PULL.fullmatch(str(row.get("head_branch")))
    onto = {ONTO: named[2]} if named else {}
    return {**row, "head_branch": pull.head_ref, "pull_numbers": [pull.number], IN_QUEUE: True, **onto}


def only_in_queue(failures: tuple[dict[str, object], ...]) -> bool:
    """Whether nothing failed but the merge in the queue."""
    return bool(failures) and all(failure.get(IN_QUEUE) is True for failure in failures)


async def is_behind_red(context: Context, pull: Pull, failures: tuple[dict[str, object], ...]) -> bool:
    """Whether nothing failed but merges in the queue that were made onto those of other pull requests, which failed
    too: whose fault it is they tell, and GitHub builds the queue again without them."""
    if not only_in_queue(failures):
        return False
    for onto in {str(failure.get(ONTO) or "") for failure in failures}:
        if not onto or await context.github.merge_base(pull.base_ref, onto) in (onto, None):
            return False
        if await context.github.ci_state(onto, context.slug) != "red":
            return False
    return True
