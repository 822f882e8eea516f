"""Why an attempt offers nothing of what it found: somebody wished for a dry run, or Heal only observes here (OP-8)."""

from handlers.comments import summary, switches
from handlers.ports import Run, Store
from handlers.runs.asking import is_dry


async def why_quiet(store: Store, run: Run) -> tuple[str, ...]:
    """Notes for the check run; none: it may offer."""
    if await is_dry(store, run):
        return summary.DRY
    return switches.OBSERVING if await store.observing() else ()
