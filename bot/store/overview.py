"""Lists of runs for display: filtered, searched and paged by key, over the repositories that the user may see."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, and_, false, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from bot.store.proposals import proposals
from bot.store.pulls import pulls
from bot.store.runs import runs
from bot.store.spending import model_calls
from bot.store.words import contains, run_words
from handlers.model import UNFINISHED
from healing.model import Frozen

PAGE = 50
MAX_MATCHES = 200  # rows of another table that one search follows to their runs

Shown = Literal["", "at-work", "healed", "partly", "not-healed", "could-not-look", "stopped", "superseded"]
Key = tuple[float, int, str, int]  # opened_at, repo_id, sha, attempt: newest first


class RunLine(Frozen):
    """A run as lists show it. Times are Unix seconds; `dollars` is the cost of model calls so far. `title`, `author`
    and `open` are its pull request's; so is `branch`, or it is the checked branch without a pull request. `reason`: why
    errors are left, or why the run stopped. `cancelled`: why the run was asked to end early."""

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
    branch: str | None = None
    reason: str | None = None
    cancelled: str | None = None
    dollars: float = 0.0
    title: str = ""
    author: str = ""
    open: bool = True

    @property
    def name(self) -> str:
        """The run's display name: the pull request's title, else the branch or the commit."""
        return self.title or (
            f"Pull request #{self.number}" if self.number else self.branch or f"Commit {self.sha[:8]}"
        )

    @property
    def key(self) -> Key:
        """Its sort key in lists."""
        return (self.opened_at, self.repo_id, self.sha, self.attempt)


class RunFilter(Frozen):
    """Which runs to list. `repos`: the only repositories that may be seen. `sha` and `proposal` are hexadecimal
    prefixes. If several of `sha`, `number`, `proposal` and `words` are given, one must match. `words`: all of them must
    occur in a repository's name, in a pull request's title, branch and author, or in the errors; `named` are the
    repositories whose names contain them. `before`: only older runs."""

    repos: tuple[int, ...]
    shown: Shown = ""
    sha: str = ""
    number: int | None = None
    proposal: str = ""
    words: str = ""
    named: tuple[int, ...] = ()
    before: Key | None = None


ELSEWHERE = {"dollars", "title", "author", "open"}  # fields of a line that come from other tables
_COLUMNS = [runs.c[name] for name in RunLine.model_fields if name not in ELSEWHERE]


_state_in_passing = func.coalesce(
    runs.c.state, ""
)  # an expression, so that the index on `state` isn't used: it would match nearly all runs; they are read by time


async def list_runs(database: Database, wanted: RunFilter, most: int = PAGE) -> tuple[RunLine, ...]:
    """Returns the newest matching runs, at most `most` plus one (which means that there is another page)."""
    if not wanted.repos:
        return ()
    async with database.read() as connection:
        keys: set[Key] = set()
        for condition in await _searched(connection, wanted):
            keys |= {_key(row) for row in await connection.execute(_keys(wanted, condition).limit(most + 1))}
        return await lines_of(connection, sorted(keys, reverse=True)[: most + 1])


async def lines_of(connection: AsyncConnection, keys: Sequence[Key]) -> tuple[RunLine, ...]:
    """Returns the runs with these keys as lists show them, newest first."""
    if not keys:
        return ()
    rows = (await connection.execute(select(*_COLUMNS).where(_one_of(keys)))).mappings().all()
    pairs = [(row["repo_id"], row["run_id"]) for row in rows if row["run_id"]]
    spent = {(r.repo_id, r.run_id): r.dollars for r in await connection.execute(_spending(pairs))} if pairs else {}
    named = await named_pulls(connection, {(row["repo_id"], row["number"]) for row in rows if row["number"]})
    lines = []
    for row in rows:
        dollars = spent.get((row["repo_id"], row["run_id"]), 0.0)
        lines.append(RunLine(**{**row, "dollars": dollars, **named.get((row["repo_id"], row["number"]), {})}))
    return tuple(sorted(lines, key=lambda line: line.key, reverse=True))


async def named_pulls(
    connection: AsyncConnection, numbers: Collection[tuple[int, int]]
) -> dict[tuple[int, int], dict[str, Any]]:
    """Returns `title`, `branch`, `author` and `open` of the known pull requests, by repository and number."""
    if not numbers:
        return {}
    which = or_(*((pulls.c.repo_id == repo) & (pulls.c.number == number) for repo, number in numbers))
    rows = (await connection.execute(select(pulls).where(which))).mappings()
    return {
        (r["repo_id"], r["number"]): {name: r[name] for name in ("title", "branch", "author", "open")} for r in rows
    }


def among(repos: tuple[int, ...]) -> ColumnElement[bool]:
    """Condition for runs of these repositories, to be read in order of time. The sum keeps the database from using the
    index on the repository, where it would read and sort all of their runs to find the newest fifty."""
    return (runs.c.repo_id + 0).in_(repos)


def _key(row: Any) -> Key:
    return (row.opened_at, row.repo_id, row.sha, row.attempt)


def _keys(wanted: RunFilter, asked: ColumnElement[bool]) -> Select[Any]:
    """Selects only the keys, which an index covers."""
    order = (runs.c.opened_at, runs.c.repo_id, runs.c.sha, runs.c.attempt)
    query = select(*order).where(asked).order_by(*(column.desc() for column in order))
    if wanted.shown == "at-work":
        query = query.where(runs.c.state.in_(UNFINISHED))
    elif wanted.shown in ("stopped", "superseded"):
        query = query.where(_state_in_passing == wanted.shown)
    elif wanted.shown:
        query = query.where(_state_in_passing == "done", runs.c.verdict == wanted.shown)
    return query if wanted.before is None else query.where(tuple_(*order) < wanted.before)


async def _searched(connection: AsyncConnection, wanted: RunFilter) -> list[ColumnElement[bool]]:
    """Returns a condition for each possible meaning of the search, each with its own index; one of them must hold."""
    if not (wanted.sha or wanted.number is not None or wanted.proposal or wanted.words):
        return [among(wanted.repos)]
    conditions: list[ColumnElement[bool]] = []
    if wanted.sha:
        conditions.append(_begins(runs.c.sha, wanted.sha) & among(wanted.repos))
    if wanted.number is not None:
        conditions.append((runs.c.number == wanted.number) & runs.c.repo_id.in_(wanted.repos))
    if wanted.proposal:
        names = tuple((await connection.execute(_runs_with(wanted))).scalars())
        conditions.append(runs.c.run_id.in_(names) & among(wanted.repos))
    if wanted.words:
        conditions += [among(wanted.named)] if wanted.named else []
        conditions += await _with_words(connection, wanted)
    return conditions


async def _with_words(connection: AsyncConnection, wanted: RunFilter) -> list[ColumnElement[bool]]:
    """Conditions for runs of pull requests with these words and for runs whose errors have them; the newest of each."""
    matching_pulls = select(pulls.c.repo_id, pulls.c.number).where(
        pulls.c.repo_id.in_(wanted.repos), contains(pulls.c.words, wanted.words)
    )
    errors_of_runs = select(run_words.c.repo_id, run_words.c.sha, run_words.c.attempt).where(
        (run_words.c.repo_id + 0).in_(wanted.repos), contains(run_words.c.words, wanted.words)
    )
    numbers = (await connection.execute(matching_pulls.order_by(pulls.c.seen_at.desc()).limit(MAX_MATCHES))).all()
    errors = (await connection.execute(errors_of_runs.order_by(run_words.c.noted_at.desc()).limit(MAX_MATCHES))).all()
    of_pulls = or_(false(), *((runs.c.repo_id == repo) & (runs.c.number == number) for repo, number in numbers))
    return [of_pulls, _one_of([(0.0, *key) for key in errors])]


def _begins(column: Any, start: str) -> ColumnElement[bool]:
    """A prefix condition that can use the index, unlike `LIKE`: all hexadecimal digits sort before `g`."""
    return and_(column >= start, column < start + "g")


def _runs_with(wanted: RunFilter) -> Select[Any]:
    mine = and_(_begins(proposals.c.proposal_id, wanted.proposal), (proposals.c.repo_id + 0).in_(wanted.repos))
    return select(proposals.c.run_id).where(mine).distinct().limit(MAX_MATCHES)


def _one_of(keys: Sequence[Any]) -> ColumnElement[bool]:
    """A condition with one term per key: SQLite finds each by the primary key's index, whereas it compares every row of
    the table with a list of tuples."""
    mine = ((runs.c.repo_id == repo) & (runs.c.sha == sha) & (runs.c.attempt == at) for _, repo, sha, at in keys)
    return or_(false(), *mine)


def _spending(pairs: list[tuple[int, str]]) -> Select[Any]:
    which = or_(*((model_calls.c.repo_id == repo) & (model_calls.c.run_id == run) for repo, run in pairs))
    total = func.sum(model_calls.c.dollars).label("dollars")
    return (
        select(model_calls.c.repo_id, model_calls.c.run_id, total)
        .where(which)
        .group_by(model_calls.c.repo_id, model_calls.c.run_id)
    )


class Totals(Frozen):
    """The figures above the list: of runs opened since some time, and of all unfinished ones (`at_work`)."""

    at_work: int
    runs: int
    healed: int
    prevented: int


async def totals(database: Database, repos: tuple[int, ...], since: float) -> Totals:
    """Returns the totals over these repositories, of runs opened since that time (Unix, seconds)."""
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
