"""Removes the branches for trials that a killed process, or a GitHub that said no, left behind (CK-2)."""

from bot.store.tries import Tries, TryRow
from bot.trying import END_SECONDS, remove
from bot.world import Worlds
from handlers.events import Repo
from handlers.healing_run import OVER

LONGEST = 2 * END_SECONDS  # after this nobody can be at work on it any more


async def sweep_tries(worlds: Worlds, tries: Tries, at_start: bool = False) -> None:
    """To be called at start, when proofs that are no run's can't be at work, and by schedule."""
    for row in await tries.all():
        if await _left(worlds, row, tries.now(), at_start):
            repo = Repo(id=row.repo_id, full_name=row.full_name)
            async with worlds.try_branches(row.installation_id, repo) as branches:
                await remove(branches, tries, row.repo_id, row.branch)


async def _left(worlds: Worlds, row: TryRow, now: float, at_start: bool) -> bool:
    if now - row.made_at > LONGEST:
        return True
    run = await worlds.store(row.repo_id, row.full_name).run(row.sha, row.attempt)
    return at_start if run is None else run.state in OVER
