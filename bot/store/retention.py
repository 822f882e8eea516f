"""Deletes old data: finished runs, with everything that is stored about them."""

from sqlalchemy import ColumnElement, Table, and_, delete, exists, select, tuple_

from bot.store.chat_messages import chat_messages
from bot.store.check_runs import check_runs
from bot.store.ci_waits import ci_waits
from bot.store.claims import claims
from bot.store.cluster_tasks import cluster_tasks
from bot.store.database import Database
from bot.store.fixups import fixups
from bot.store.kinds import proposal_kinds
from bot.store.proposals import proposals, unfixables
from bot.store.pull_heads import pull_heads
from bot.store.pulls import pulls
from bot.store.questions import questions
from bot.store.repo_settings import repo_settings
from bot.store.runs import failures, runs, settled_suites
from bot.store.spending import model_calls, spending_holds
from bot.store.steps import blobs, steps
from bot.store.words import run_words
from handlers.model import UNFINISHED

BY_AGE = (
    steps.c.made_at,
    failures.c.received_at,
    settled_suites.c.settled_at,
    pull_heads.c.noted_at,
    pulls.c.seen_at,
    run_words.c.noted_at,
    proposals.c.made_at,
    proposal_kinds.c.seen_at,
    fixups.c.made_at,
    questions.c.asked_at,
    model_calls.c.made_at,
    spending_holds.c.held_at,
    claims.c.claimed_at,
    cluster_tasks.c.made_at,
    check_runs.c.noted_at,
    ci_waits.c.made_at,
    chat_messages.c.made_at,
    repo_settings.c.read_at,
)


async def forget_runs(database: Database, before: float) -> int:
    """Deletes finished runs opened before that time (Unix, seconds), and other rows that are older. Returns the number
    of runs."""
    old = and_(runs.c.opened_at < before, runs.c.state.not_in(UNFINISHED))
    reported = exists().where(runs.c.repo_id == unfixables.c.repo_id, runs.c.run_id == unfixables.c.run_id, old)
    await _delete(database, unfixables, reported)  # they have no timestamp of their own
    deleted = await _delete(database, runs, old)
    for column in BY_AGE:
        await _delete(database, column.table, column < before)
    in_use = select(steps.c.repo_id, steps.c.blob).where(steps.c.blob.is_not(None))
    await _delete(database, blobs, tuple_(blobs.c.repo_id, blobs.c.hash).not_in(in_use))
    return deleted


async def _delete(database: Database, table: Table, which: ColumnElement[bool]) -> int:
    """Deletes in a transaction of its own, so that other writers needn't wait for all deletions."""
    async with database.write() as connection:
        return int((await connection.execute(delete(table).where(which))).rowcount)


async def known_of(database: Database, repo_ids: frozenset[int]) -> frozenset[int]:
    """Returns those of these repositories that have a run in the store."""
    query = select(runs.c.repo_id).where(runs.c.repo_id.in_(repo_ids)).distinct()
    async with database.read() as connection:
        return frozenset((await connection.execute(query)).scalars())
