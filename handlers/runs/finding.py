"""From a red commit to its pull request (payloads may list none, forks need their branch's owner)."""

from handlers.events import StatusPassed, SuiteSettled
from handlers.ports import GitHub, Run, World

Failures = tuple[dict[str, object], ...]


async def find_pull(github: GitHub, run: Run, failures: Failures) -> int | None:
    """The number of the pull request whose head the commit is, or was when CI failed: the one that is known or that
    GitHub's event named, else the lowest of the open ones."""
    for number in _numbers(run, failures):
        return number
    for branch, owner in _heads(failures):
        found = [pull for pull in await github.pulls_of(run.sha, branch, owner) if pull.head_sha == run.sha]
        if found:
            return min(pull.number for pull in found)
    return None


def default_branch_of(failures: Failures) -> str | None:
    """The default branch, where the failed commit is on it (by what the failures say)."""
    for failure in failures:
        branch, default = failure.get("head_branch"), failure.get("default_branch")
        if isinstance(branch, str) and branch == default:
            return branch
    return None


async def head_of(world: World, event: SuiteSettled | StatusPassed) -> tuple[int, ...]:
    """The open pull requests whose head the event's commit is; not looked for on every push to the main branch."""
    if event.head_branch == event.repo.default_branch:
        return ()
    return tuple(pull.number for pull in await world.github.pulls_of(event.sha, event.head_branch, None))


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
    # Those that name an owner find forks' pull requests; the bare commit is the last resort.
    return tuple(sorted(heads, key=lambda head: (head[1] is None, head[0] is None))) or ((None, None),)
