"""What is to be done though no event says so: branches for trials that a killed process, or a GitHub that refused,
left behind, fixup pull requests that no CI looks at, and check runs that stand open though their run is
over."""

import logging

from bot.contexts import Contexts
from bot.store.check_runs import KEPT_SECONDS, OpenCheck, open_checks
from bot.store.ci_waits import due_ci_waits
from bot.store.database import Database
from bot.store.fixups import UntestedFixup, untested_fixups
from bot.store.tries import Tries, TryRow
from bot.trials import END_SECONDS, remove
from handlers.events import Repo
from handlers.model import Refused
from handlers.runs.healing_run import OVER

log = logging.getLogger("heal.sweeping")
CI_SECONDS = 300.0  # that CI may take to show on a fixup pull request, and on a commit with a fix

MAX_AGE = 2 * END_SECONDS  # after this nobody can be at work on it any more


async def sweep_tries(contexts: Contexts, tries: Tries, at_start: bool = False) -> None:
    """To be called at start, when proofs that are no run's can't be at work, and by schedule."""
    for row in await tries.all():
        if await _left(contexts, row, tries.now(), at_start):
            repo = Repo(id=row.repo_id, full_name=row.full_name)
            async with contexts.try_branches(row.installation_id, repo) as branches:
                await remove(branches, tries, row.repo_id, row.branch)


async def _left(contexts: Contexts, row: TryRow, now: float, at_start: bool) -> bool:
    if now - row.made_at > MAX_AGE:
        return True
    run = await contexts.store(row.repo_id, row.full_name).run(row.sha, row.attempt)
    return at_start if run is None else run.state in OVER


async def sweep_fixups(contexts: Contexts, database: Database) -> None:
    """Fixup pull requests of which no CI result came in time: where there is none, Heal's own validation decides. Each
    is looked at once; later results come as events."""
    for lonely in await untested_fixups(database, contexts.now() - CI_SECONDS):
        try:
            await _look_at(contexts, lonely)
        except Refused as refusal:
            log.warning("fixup pull request %s#%d: %s", lonely.full_name, lonely.fixup.number, refusal)


async def sweep_ci_waits(contexts: Contexts, database: Database) -> None:
    """Commits that brought or reverted a fix, and on which CI should have started by now."""
    from handlers.acceptance import ci_started

    for due in await due_ci_waits(database, contexts.now() - CI_SECONDS):
        repo = Repo(id=due.repo_id, full_name=due.full_name)
        try:
            async with contexts.open(due.installation_id, repo, f"ci/{due.wait.sha}") as context:
                await ci_started.judge(context, due.wait)
        except Refused as refusal:
            log.warning("CI on %s %s: %s", due.full_name, due.wait.sha, refusal)


async def sweep_checks(contexts: Contexts, database: Database) -> None:
    """Completes check runs that were left open: GitHub refused the last write, or nobody lived to make it. Each try
    comes later than the one before."""
    for left in await open_checks(database, contexts.now()):
        store = contexts.store(left.repo_id, left.full_name)
        try:
            await _complete(contexts, left)
        except Refused as refusal:
            log.warning("the check run of %s %s/%d: %s", left.full_name, left.sha, left.attempt, refusal)
        else:
            continue
        if contexts.now() - left.noted_at > KEPT_SECONDS:
            await store.forget_check(left.sha, left.attempt)
        else:
            await store.put_off_check(left.sha, left.attempt, left.tries)


async def _complete(contexts: Contexts, left: OpenCheck) -> None:
    """Raises Refused."""
    from handlers.runs import check_run

    repo = Repo(id=left.repo_id, full_name=left.full_name)
    async with contexts.open(left.installation_id, repo, f"check/{left.sha}/{left.attempt}") as context:
        await context.publisher.check(left.plan or check_run.ended(left.sha, left.attempt))
        await context.store.forget_check(left.sha, left.attempt)


async def _look_at(contexts: Contexts, lonely: UntestedFixup) -> None:
    from handlers.delivery.fixups import life

    repo = Repo(id=lonely.repo_id, full_name=lonely.full_name)
    async with contexts.open(lonely.installation_id, repo, f"fixup/{lonely.fixup.number}") as context:
        await life.judge(context, lonely.fixup, alone=True)
