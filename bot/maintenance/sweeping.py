"""Handles what no event triggers: branches of CI trials that were left behind by a killed process or a refusal of
GitHub's, fixup pull requests and commits without CI, and check runs that are open although their run has ended."""

import logging

from bot.contexts import Contexts
from bot.store.check_runs import KEPT_SECONDS, open_checks
from bot.store.ci_waits import due_ci_waits
from bot.store.database import Database
from bot.store.fixups import untested_fixups
from bot.store.tries import Tries, TryRow
from bot.trials import END_SECONDS, remove
from handlers.events import Repo
from handlers.model import Refused
from handlers.runs.healing_run import OVER

log = logging.getLogger("heal.sweeping")
CI_SECONDS = 300.0  # that CI may take to start on a fixup pull request or a commit with a fix
MAX_AGE = 2 * END_SECONDS  # no trial takes longer


async def sweep_tries(contexts: Contexts, tries: Tries, at_start: bool = False) -> None:
    """Removes the branches of trials that are over. `at_start`: no trial outside a run can be in progress."""
    for row in await tries.all():
        if await _is_over(contexts, row, tries.now(), at_start):
            repo = Repo(id=row.repo_id, full_name=row.full_name)
            async with contexts.try_branches(row.installation_id, repo) as branches:
                await remove(branches, tries, row.repo_id, row.branch)


async def _is_over(contexts: Contexts, row: TryRow, now: float, at_start: bool) -> bool:
    if now - row.made_at > MAX_AGE:
        return True
    run = await contexts.store(row.repo_id, row.full_name).run(row.sha, row.attempt)
    return at_start if run is None else run.state in OVER


async def sweep_fixups(contexts: Contexts, database: Database) -> None:
    """Lets Heal's own tests decide about fixup pull requests on which no CI started in time. Each is handled once;
    later results of CI come as events."""
    for untested in await untested_fixups(database, contexts.now() - CI_SECONDS):
        from handlers.delivery.fixups import life

        repo, number = Repo(id=untested.repo_id, full_name=untested.full_name), untested.fixup.number
        try:
            async with contexts.open(untested.installation_id, repo, f"fixup/{number}") as context:
                await life.judge(context, untested.fixup, alone=True)
        except Refused as refusal:
            log.warning("fixup pull request %s#%d: %s", untested.full_name, number, refusal)


async def sweep_ci_waits(contexts: Contexts, database: Database) -> None:
    """Comments on commits that applied or reverted a fix and on which no CI started in time."""
    from handlers.acceptance import ci_started

    for due in await due_ci_waits(database, contexts.now() - CI_SECONDS):
        repo = Repo(id=due.repo_id, full_name=due.full_name)
        try:
            async with contexts.open(due.installation_id, repo, f"ci/{due.wait.sha}") as context:
                await ci_started.judge(context, due.wait)
        except Refused as refusal:
            log.warning("CI on %s %s: %s", due.full_name, due.wait.sha, refusal)


async def sweep_checks(contexts: Contexts, database: Database) -> None:
    """Completes check runs that are still open because GitHub refused the last write or the process was killed. The
    pause before each further attempt is longer."""
    for check in await open_checks(database, contexts.now()):
        from handlers.runs import check_run

        store = contexts.store(check.repo_id, check.full_name)
        repo = Repo(id=check.repo_id, full_name=check.full_name)
        try:
            async with contexts.open(check.installation_id, repo, f"check/{check.sha}/{check.attempt}") as context:
                await context.publisher.check(check.plan or check_run.ended(check.sha, check.attempt))
                await context.store.forget_check(check.sha, check.attempt)
        except Refused as refusal:
            log.warning("the check run of %s %s/%d: %s", check.full_name, check.sha, check.attempt, refusal)
            if contexts.now() - check.noted_at > KEPT_SECONDS:
                await store.forget_check(check.sha, check.attempt)
            else:
                await store.put_off_check(check.sha, check.attempt, check.tries)
