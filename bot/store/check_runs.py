"""Check runs that may still be open on GitHub: recorded before they are written, forgotten once completed, so that
none shows "in progress" forever."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import BigInteger, Column, Float, Integer, String, Table, Text, delete, select, update

from bot.store.database import Database, insert_new
from bot.store.runs import runs
from bot.store.tables import metadata
from handlers.model import UNFINISHED
from handlers.model.plans import CheckPlan
from healing.model import Frozen

GRACE_SECONDS = 60.0  # for the run itself to complete its check run first
MAX_SECONDS = 6 * 3600.0  # between two attempts
KEPT_SECONDS = 14 * 86_400.0  # by then GitHub itself has marked the check run as stale

check_runs = Table(
    "check_runs",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sha", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("plan", Text),
    Column("tries", Integer, nullable=False),
    Column("noted_at", Float, nullable=False),
    Column("due", Float, nullable=False, index=True),
)


class CheckRunRows:
    """Check runs of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def note_check(self, plan: CheckPlan, attempt: int) -> None:
        """See `handlers.model.Store`."""
        now = self._now()
        text = plan.model_dump_json() if plan.status == "completed" else None
        key = {"repo_id": self._repo_id, "sha": plan.sha, "attempt": attempt}
        row = {**key, "plan": text, "tries": 0, "noted_at": now, "due": now + GRACE_SECONDS}
        if text is None and await self.check_noted(plan.sha, attempt):
            return
        async with self._db.write() as connection:
            known = (await connection.execute(insert_new(connection, check_runs, row))).rowcount == 0
            if known and text is not None:
                wanted = {"plan": text, "tries": 0, "due": now + GRACE_SECONDS}
                await connection.execute(update(check_runs).where(self._same(plan.sha, attempt)).values(**wanted))

    async def check_noted(self, sha: str, attempt: int) -> bool:
        """See `handlers.model.Store`."""
        query = select(check_runs.c.attempt).where(self._same(sha, attempt))
        return await self._db.look(lambda connection: connection.execute(query).first()) is not None

    async def forget_check(self, sha: str, attempt: int) -> None:
        """See `handlers.model.Store`."""
        async with self._db.write() as connection:
            await connection.execute(delete(check_runs).where(self._same(sha, attempt)))

    async def put_off_check(self, sha: str, attempt: int, tries: int) -> None:
        """Schedules the next attempt after a failed write, with exponential backoff."""
        due = self._now() + min(GRACE_SECONDS * 2.0 ** min(tries, 16), MAX_SECONDS)
        values = {"tries": tries + 1, "due": due}
        async with self._db.write() as connection:
            await connection.execute(update(check_runs).where(self._same(sha, attempt)).values(**values))

    def _same(self, sha: str, attempt: int) -> Any:
        mine = (check_runs.c.repo_id == self._repo_id) & (check_runs.c.sha == sha)
        return mine & (check_runs.c.attempt == attempt)


class OpenCheck(Frozen):
    """A check run that is still open although no run works on it, and its repository. `plan` is the result to write,
    where it is known."""

    installation_id: int
    repo_id: int
    full_name: str
    sha: str
    attempt: int
    plan: CheckPlan | None
    tries: int
    noted_at: float


async def open_checks(database: Database, now: float) -> tuple[OpenCheck, ...]:
    """Returns the due check runs of all repositories whose result is known or whose run is over."""
    due = select(check_runs).where(check_runs.c.due <= now).order_by(check_runs.c.due)
    checks = []
    async with database.read() as connection:
        for row in (await connection.execute(due)).mappings().all():
            of_repo = select(runs).where(runs.c.repo_id == row["repo_id"])
            mine = of_repo.where(runs.c.sha == row["sha"], runs.c.attempt == row["attempt"])
            run = (await connection.execute(mine)).mappings().first()
            if row["plan"] is None and run is not None and run["state"] in UNFINISHED:
                continue
            newest = of_repo.order_by(runs.c.opened_at.desc()).limit(1)
            where = run or (await connection.execute(newest)).mappings().first()
            if where is not None:
                place = {key: where[key] for key in ("installation_id", "repo_id", "full_name")}
                plan = None if row["plan"] is None else CheckPlan.model_validate_json(row["plan"])
                about = {key: row[key] for key in ("sha", "attempt", "tries", "noted_at")}
                checks.append(OpenCheck(**place, **about, plan=plan))
    return tuple(checks)
