"""Failures in GitHub's merge queue: its branches are read-only, so they are fixed and reported on the pull request's
own head."""

import re

from handlers.events import CheckFailed
from handlers.model import Context, Pull

BRANCHES = "gh-readonly-queue/"
IN_QUEUE = "in_queue"  # marks a failure of the queue's merge, not of the head itself
ONTO = "queue_base"  # of such a failure: the commit onto which the queue merged, taken from the branch's name
_PULL = re.compile(r"gh-readonly-queue/.{1,250}/pr-([0-9]{1,10})-([0-9a-f]{40})")


def is_queue(branch: str | None) -> bool:
    """Whether a branch belongs to the merge queue."""
    return (branch or "").startswith(BRANCHES)


async def queued(event: CheckFailed, context: Context) -> Pull | None:
    """Returns the pull request that was being merged, if it is still open. Only the branch's name identifies it."""
    named = _PULL.fullmatch(event.head_branch or "") if _is_ours(event) else None
    pull = await context.github.pull(int(named[1])) if named else None
    return pull if pull is not None and pull.state == "open" else None


def _is_ours(event: CheckFailed) -> bool:
    """Whether the branch is the repository's own: a fork, for whose pull request Actions runs here, may have a branch
    of the same name. For Actions only the workflow run's event names the repository, so its jobs' events are ignored;
    they add nothing. Other Apps' suites and statuses are reported only for the repository's own branches."""
    if event.app_slug == "github-actions" and event.source != "workflow_run":
        return False
    return event.own_branch is not None


def as_pull_failure(row: dict[str, object], pull: Pull) -> dict[str, object]:
    """Returns the failure as one of the pull request's head."""
    named = _PULL.fullmatch(str(row.get("head_branch")))
    onto = {ONTO: named[2]} if named else {}
    return {**row, "head_branch": pull.head_ref, "pull_numbers": [pull.number], IN_QUEUE: True, **onto}


def only_in_queue(failures: tuple[dict[str, object], ...]) -> bool:
    """Whether all failures are of the queue's merge."""
    return bool(failures) and all(failure.get(IN_QUEUE) is True for failure in failures)


async def is_behind_red(context: Context, pull: Pull, failures: tuple[dict[str, object], ...]) -> bool:
    """Whether all failures are of queue merges onto merges of other pull requests that failed too. Those pull requests
    get the report, and GitHub rebuilds the queue without them."""
    if not only_in_queue(failures):
        return False
    for onto in {str(failure.get(ONTO) or "") for failure in failures}:
        if not onto or await context.github.merge_base(pull.base_ref, onto) in (onto, None):
            return False
        if await context.github.ci_state(onto, context.slug) != "red":
            return False
    return True
