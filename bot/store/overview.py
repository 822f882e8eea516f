"""Lists runs for people: filtered, searched, and paged by key, of the repositories that somebody sees (OP-4)."""

from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, and_, func, or_, select, tuple_

from bot.store.database import Database
from bot.store.proposals import proposals
from bot.store.runs import runs
from bot.store.spending import model_calls
from healing.model import Frozen

PAGE = 50
MOST_MATCHES = 200  # proposals that one search looks at
UNFINISHED = ("gathering", "running")

Shown = Literal["", "at-work", "healed", "partly", "not-healed", "could-not-look", "stopped", "superseded"]
Key = tuple[float, int, str, int]  # opened_at, repo_id, sha, attempt: newest first


class RunLine(Frozen):
    """A run as lists show it. Times are Unix seconds; `dollars` is what models cost so far."""

    repo_id: int
    full_name: str
    sha: str
    attempt: int
    number: int | None
    state: str
    run_id: str | None
    verdict: str | None
    errors: int | None
    proposals: int | None
    opened_at: float
    started_at: float | None
    ended_at: float | None
    dollars: float = 0.0

    @property
    def key(self) -> Key:
        """Its place in lists."""
        return (self.opened_at, self.repo_id, self.sha, self.attempt)


class Wanted(Frozen):
    """Which runs to list. `repos`: the only ones that may be seen. `sha` and `proposal` are beginnings, hexadecimal;
    where several of `sha`, `number` and `proposal` are given, one has to fit. `before`: only older ones."""

    repos: tuple[int, ...]
    shown: Shown = ""
    sha: str = ""
    number: int | None = None
    proposal: str = ""
    before: Key | None = None


_COLUMNS = [runs.c[name] for name in RunLine.model_fields if name != "dollars"]


_state_in_passing = func.coalesce(
    runs.c.state, ""
)  # of runs looked through by time: its own index would gather nearly all


async def list_runs(database: Database, wanted: Wanted, most: int = PAGE) -> tuple[RunLine, ...]:
    """The newest that are wanted, at most `most` and one more (then there is another page)."""
    if not wanted.repos:
        return ()
    async with database.read() as connection:
        names: tuple[str, ...] = ()
        if wanted.proposal:
            names = tuple((await connection.execute(_runs_with(wanted))).scalars())
        found: set[Key] = set()
        for asked in _searched(wanted, names) or [among(wanted.repos)]:
            found |= {_key(row) for row in await connection.execute(_keys(wanted, asked).limit(most + 1))}
        keys = sorted(found, reverse=True)[: most + 1]
        if not keys:
            return ()
        rows = (await connection.execute(select(*_COLUMNS).where(_one_of(keys)))).mappings().all()
        pairs = [(row["repo_id"], row["run_id"]) for row in rows if row["run_id"]]
        spent = {(r.repo_id, r.run_id): r.dollars for r in await connection.execute(_spending(pairs))} if pairs else {}
    lines = [RunLine(**row, dollars=spent.get((row["repo_id"], row["run_id"]), 0.0)) for row in rows]
    return tuple(sorted(lines, key=lambda line: line.key, reverse=True))


def among(repos: tuple[int, ...]) -> ColumnElement[bool]:
    """Runs of these repositories, looked through by time: the sum keeps the database from taking each repository's runs
    one after another, whole, and sorting all of them for the newest fifty."""
    return (runs.c.repo_id + 0).in_(repos)


def _key(row: Any) -> Key:
    return (row.opened_at, row.repo_id, row.sha, row.attempt)


def _keys(wanted: Wanted, asked: ColumnElement[bool]) -> Select[Any]:
    """Only what an index holds."""
    order = (runs.c.opened_at, runs.c.repo_id, runs.c.sha, runs.c.attempt)
    query = select(*order).where(asked).order_by(*(column.desc() for column in order))
    if wanted.shown == "at-work":
        query = query.where(runs.c.state.in_(UNFINISHED))
    elif wanted.shown in ("stopped", "superseded"):
        query = query.where(_state_in_passing == wanted.shown)
    elif wanted.shown:
        query = query.where(_state_in_passing == "done", runs.c.verdict == wanted.shown)
    return query if wanted.before is None else query.where(tuple_(*order) < wanted.before)


def _searched(wanted: Wanted, names: tuple[str, ...]) -> list[ColumnElement[bool]]:
    """A condition for each thing that the search may mean, each with an index of its own; one of them has to hold."""
    asked: list[ColumnElement[bool]] = []
    if wanted.sha:
        asked.append(_begins(runs.c.sha, wanted.sha) & among(wanted.repos))
    if wanted.number is not None:
        asked.append((runs.c.number == wanted.number) & runs.c.repo_id.in_(wanted.repos))
    if wanted.proposal:
        asked.append(runs.c.run_id.in_(names) & among(wanted.repos))
    return asked


def _begins(column: Any, start: str) -> ColumnElement[bool]:
    """By the index, where `LIKE` would not: all hexadecimal digits come before `g`."""
    return and_(column >= start, column < start + "g")


def _runs_with(wanted: Wanted) -> Select[Any]:
    mine = and_(_begins(proposals.c.proposal_id, wanted.proposal), (proposals.c.repo_id + 0).in_(wanted.repos))
    return select(proposals.c.run_id).where(mine).distinct().limit(MOST_MATCHES)


def _one_of(keys: list[Any]) -> ColumnElement[bool]:
    """One by one: SQLite finds each by the key's index then, where a list of tuples would be looked up the other way
    round, for each row of the table."""
    mine = ((runs.c.repo_id == repo) & (runs.c.sha == sha) & (runs.c.attempt == at) for _, repo, sha, at in keys)
    return or_(*mine)


def _spending(pairs: list[tuple[int, str]]) -> Select[Any]:
    which = or_(*((model_calls.c.repo_id == repo) & (model_calls.c.run_id == run) for repo, run in pairs))
    total = func.sum(model_calls.c.dollars).label("dollars")
    return (
        select(model_calls.c.repo_id, model_calls.c.run_id, total)
        .where(which)
        .group_by(model_calls.c.repo_id, model_calls.c.run_id)
    )


class Totals(Frozen):
    """The figures above the list: of runs that were opened since some time, and of all that are at work."""

    at_work: int
    runs: int
    healed: int
    prevented: int


async def totals(database: Database, repos: tuple[int, ...], since: float) -> Totals:
    """Over the repositories that somebody sees."""
    if not repos:
        return Totals(at_work=0, runs=0, healed=0, prevented=0)
    mine = runs.c.repo_id.in_(repos)
    query = (
        select(runs.c.state, runs.c.verdict, func.count(), func.coalesce(func.sum(runs.c.prevented), 0))
        .where(mine, runs.c.opened_at >= since)
        .group_by(runs.c.state, runs.c.verdict)
    )
    working = select(func.count()).select_from(runs).where(among(repos), runs.c.state.in_(UNFINISHED))
    async with database.read() as connection:
        rows = [tuple(row) for row in await connection.execute(query)]
        at_work = int((await connection.execute(working)).scalar_one())
    healed = sum(count for state, verdict, count, _ in rows if state == "done" and verdict == "healed")
    finished = sum(count for state, _, count, _ in rows if state == "done")
    return Totals(at_work=at_work, runs=finished, healed=healed, prevented=sum(row[3] for row in rows))
