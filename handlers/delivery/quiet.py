"""Whether fixes may be offered: not in a dry run, in trial mode, on a paused pull request, or while Heal is stopped."""

from handlers.comments import summary, switches
from handlers.model import Run, Store
from handlers.model.wishes import is_dry_run


async def why_nothing_offered(store: Store, run: Run) -> tuple[str, ...]:
    """Returns the check run's notes on why an attempt offers nothing; empty if it may offer fixes."""
    if await is_dry_run(store, run):
        return summary.DRY
    return switches.OBSERVING if await store.observing() else ()


async def is_posting_suspended(store: Store, number: int) -> bool:
    """Whether nothing may be posted on a pull request now: it is paused, in trial mode, or Heal is stopped."""
    return bool(await store.paused_by(number) or await store.observing() or await store.stopped())
