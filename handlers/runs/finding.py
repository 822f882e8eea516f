"""Finds the pull request of a red commit (payloads may list none; forks need their branch's owner)."""

from handlers.events import is_own_branch
from handlers.model import GitHub, Run, Store

Failures = tuple[dict[str, object], ...]


async def find_pull(github: GitHub, run: Run, failures: Failures) -> int | None:
    """Returns the number of the pull request whose head the commit is, or was when CI failed: the one that is known or
    that GitHub's event named, else the lowest of the open ones; None if there is none."""
    for number in _numbers(run, failures):
        return number
    for branch, owner in _heads(failures):
        pulls = [pull for pull in await github.pulls_of(run.sha, branch, owner) if pull.head_sha == run.sha]
        if pulls:
            return min(pull.number for pull in pulls)
    return None


def default_branch_of(failures: Failures, repo_id: int) -> str | None:
    """Returns the default branch if the failures say that the commit was pushed to it, else None. Whether it is still
    there must be checked with `is_on_branch`."""
    for failure in failures:
        branch, default = failure.get("head_branch"), failure.get("default_branch")
        own = is_own_branch(failure.get("source"), failure.get("head_repo_id"), repo_id)
        if isinstance(branch, str) and branch == default and own:
            return branch
    return None


async def is_on_branch(github: GitHub, branch: str, sha: str) -> bool:
    """Whether a branch of the repository contains the commit now, as its head or in its history."""
    head = await github.branch_head(branch)
    return head is not None and (head == sha or await github.merge_base(sha, head) == sha)


async def is_known(store: Store, number: int) -> bool:
    """Whether Heal ever worked on a pull request. Most events of a busy repository are about others, and then cost no
    request."""
    return bool(await store.runs(number) or await store.proposals(number))


def _numbers(run: Run, failures: Failures) -> tuple[int, ...]:
    named: list[int] = [] if run.number is None else [run.number]
    for failure in failures:
        listed = failure.get("pull_numbers")
        named += [n for n in listed if isinstance(n, int)] if isinstance(listed, list | tuple) else []
    return tuple(dict.fromkeys(named))


def _heads(failures: Failures) -> tuple[tuple[str | None, str | None], ...]:
    heads: dict[tuple[str | None, str | None], None] = {}
    for failure in failures:
        branch, owner = failure.get("head_branch"), failure.get("head_owner")
        heads[(branch if isinstance(branch, str) else None, owner if isinstance(owner, str) else None)] = None
    # Heads with an owner find pull requests of forks; the bare commit is the last resort.
    return tuple(sorted(heads, key=lambda head: (head[1] is None, head[0] is None))) or ((None, None),)
