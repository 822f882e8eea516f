"""The current state of a pull request, as far as Heal knows it; it decides which requests make sense there."""

from sqlalchemy import select

from bot.store.database import Database
from bot.store.pauses import pauses
from bot.store.proposals import proposals
from bot.store.pull_heads import pull_heads
from bot.store.pulls import pulls
from bot.store.runs import runs
from handlers.model import STANDING, UNFINISHED
from healing.model import Frozen


class PullNow(Frozen):
    """`newest` is the commit and attempt of its newest run; `head` is empty if it was never recorded. `standing` are
    the ids of undecided fixes."""

    open: bool
    paused: bool
    at_work: bool
    newest: tuple[str, int] | None
    head: str
    standing: frozenset[str]


async def pull_now(database: Database, repo_id: int, number: int) -> PullNow:
    """Returns the state of a pull request; an unknown one counts as open, without runs, head or fixes."""
    run = select(runs.c.sha, runs.c.attempt, runs.c.state).where(runs.c.repo_id == repo_id, runs.c.number == number)
    fixes = select(proposals.c.proposal_id).where(proposals.c.repo_id == repo_id, proposals.c.number == number)
    is_open = select(pulls.c.open).where(pulls.c.repo_id == repo_id, pulls.c.number == number)
    paused = select(pauses.c.by).where(pauses.c.repo_id == repo_id, pauses.c.number == number)
    head = select(pull_heads.c.sha).where(pull_heads.c.repo_id == repo_id, pull_heads.c.number == number)
    async with database.read() as connection:
        rows = (await connection.execute(run.order_by(runs.c.opened_at.desc(), runs.c.attempt.desc()))).all()
        standing = (await connection.execute(fixes.where(proposals.c.status.in_(STANDING)))).scalars()
        return PullNow(
            open=(await connection.execute(is_open)).scalar() is not False,
            paused=(await connection.execute(paused)).first() is not None,
            at_work=any(row.state in UNFINISHED for row in rows),
            newest=(rows[0].sha, rows[0].attempt) if rows else None,
            head=(await connection.execute(head)).scalar() or "",
            standing=frozenset(standing),
        )
