"""Pending and running work, for display."""

from sqlalchemy import func, select

from bot.store.beats import beats
from bot.store.database import Database
from bot.store.deliveries import deliveries
from bot.store.overview import RunFilter, RunLine, list_runs
from bot.store.runs import runs
from handlers.model import UNFINISHED
from healing.model import Frozen

LIMIT = 200


class Backlog(Frozen):
    """`deliveries` counts webhooks by state; `beaten_at` is the time of each part's last heartbeat (Unix, seconds).
    `runs` are the unfinished runs of the repositories that the user may see; `elsewhere` counts the others."""

    runs: tuple[RunLine, ...]
    elsewhere: int
    deliveries: dict[str, int]
    beaten_at: dict[str, float]


async def backlog(database: Database, repos: tuple[int, ...]) -> Backlog:
    """Returns the current backlog."""
    mine = await list_runs(database, RunFilter(repos=repos, shown="at-work"), LIMIT)
    by_state = select(deliveries.c.state, func.count()).group_by(deliveries.c.state)
    unfinished = select(func.count()).select_from(runs).where(runs.c.state.in_(UNFINISHED))
    async with database.read() as connection:
        states = {str(state): int(count) for state, count in await connection.execute(by_state)}
        total = int((await connection.execute(unfinished)).scalar_one())
        beaten_at = {row.part: row.beaten_at for row in await connection.execute(select(beats))}
    return Backlog(runs=mine, elsewhere=max(0, total - len(mine)), deliveries=states, beaten_at=beaten_at)
