"""What the base branch shows too is healed once, there, and not on every pull request (IN-6): the first pull request
that tells of it has the default branch's head looked at, by the checks that failed here."""

from handlers.ports import Pull, Run, World
from handlers.runs.asking import NO_FAILURE, attempts
from handlers.runs.check_run import announce
from handlers.runs.finding import Failures
from healing.model import Outcome

ON_BASE = "on_base"  # of a failure: it is a pull request's, of whose job only the command counts here


async def hand_on(world: World, run: Run, pull: Pull, outcome: Outcome) -> None:
    """Asks for a look at the default branch, unless its head was looked at before. While failures still gather there,
    these join: so what a crash left half said is said to its end."""
    if not any(resolution.how == "preexisting" for resolution in outcome.resolutions):
        return
    failures = await world.store.failures(run.sha, run.attempt)
    if pull.base_ref not in {failure.get("default_branch") for failure in failures}:
        return  # a fix for it would have no pull request that follows the branch
    head = await world.github.branch_head(pull.base_ref)
    if head is None or any(one.state != "gathering" for one in await attempts(world.store, head)):
        return
    await _open(world, run, head, pull.base_ref, failures)


async def _open(world: World, run: Run, head: str, branch: str, failures: Failures) -> None:
    opened = None
    for index, failure in enumerate(failures):
        if failure.get("source") in NO_FAILURE:
            continue
        here: dict[str, object] = {"head_branch": branch, "head_owner": None, "head_repo_id": run.repo_id}
        row = {**failure, **here, "pull_numbers": [], ON_BASE: True}
        key = f"preexisting:{run.sha[:12]}:{run.attempt}:{index}"
        opened = await world.store.open_attempt(key, run.installation_id, head, row)
    if opened is not None:
        await world.queue.healing(opened)
        await announce(world, opened)
