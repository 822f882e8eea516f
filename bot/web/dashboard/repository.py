"""One repository over the last twelve weeks: runs, decisions, costs; its settings; and the muted kinds of fixes."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from starlette.responses import Response

from bot.store.database import Database
from bot.store.insights import Week, weeks
from bot.store.kinds import tallies_of
from bot.store.overview import RunFilter, list_runs
from bot.store.repo_settings import settings_of
from bot.web.dashboard.missing_permissions import missing_permissions
from bot.web.dashboard.visits import Visit
from bot.web.drawing.plots import Series, bars, trend
from bot.web.labels import run_state
from bot.web.words import STEPS, day, dollars, duration
from handlers.comments.muting import why
from handlers.delivery.muting import visibility
from handlers.model import Tally

NEWEST = 10
FILLS = {"healed": "fill-good", "partly": "fill-fair", "not-healed": "fill-bad", "could-not-look": "fill-calm"}


# Which kinds of fixes are offered quietly or not at all in a repository, because people rejected them.
LIMIT = 50
ORDER = {"silent": 0, "quiet": 1, "loud": 2}


@dataclass(frozen=True)
class Kind:
    """A kind that people decided on; `why` is empty if it is offered as usual."""

    tally: Tally
    visibility: str
    why: str


async def muted(database: Database, now: float, repo: int) -> tuple[Kind, ...]:
    """Returns the kinds that people decided on, most muted first. `now` is Unix time in seconds."""
    kinds = []
    for tally in await tallies_of(database, now, repo):
        loud = visibility(tally)
        kinds.append(Kind(tally, loud, "" if loud == "loud" else why(tally)))
    kinds.sort(key=lambda one: (ORDER[one.visibility], -(one.tally.accepted + one.tally.rejected), one.tally.kind))
    return tuple(kinds[:LIMIT])


@dataclass(frozen=True)
class Plot:
    """A drawing with its main figure, and the same data as a table."""

    title: str
    figure: str
    drawing: Markup
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[str, str], ...] = ()  # (style class, name) of each colour


async def show(visit: Visit) -> Response:
    repo = visit.repo
    database, now = visit.services.database, visit.services.now()
    weekly = await weeks(database, repo, now)
    newest = await list_runs(database, RunFilter(repos=(repo,)), NEWEST)
    name = visit.visible.repos[repo]
    installation = next((i for i in visit.visible.installations if i.id == visit.visible.owners.get(repo)), None)
    return visit.render(
        "repository.html",
        section="repositories",
        name=name,
        plots=plots(weekly),
        runs=[visit.named(run) for run in newest[:NEWEST]],
        missing=(await missing_permissions(visit)).get(visit.visible.owners.get(repo, 0), ()),
        kinds=await muted(database, now, repo),
        read=await settings_of(database, repo),
        installation=installation,
        now=now,
    )


def plots(weekly: Sequence[Week]) -> tuple[Plot, ...]:
    """Returns the plots of one repository."""
    places = [day(week.begins) for week in weekly]
    return (
        _runs(weekly, places),
        _acceptance(weekly, places),
        _cost(weekly, places),
        _first(weekly, places),
        _prevented(weekly, places),
    )


def _runs(weekly: Sequence[Week], places: list[str]) -> Plot:
    series = [
        Series(run_state(name), [week.verdicts.get(name, 0) for week in weekly], fill) for name, fill in FILLS.items()
    ]
    total = sum(week.runs for week in weekly)
    healed = sum(week.verdicts.get("healed", 0) for week in weekly)
    rows = tuple((p, *(str(w.verdicts.get(name, 0)) for name in FILLS)) for p, w in zip(places, weekly, strict=True))
    keys = tuple((fill, name) for name, fill in FILLS.items())
    drawing = bars("Finished runs", places, series, _count, "runs per week", whole=True)
    return Plot("Runs", f"{healed} of {total} with a fix for every error", drawing, ("Week of", *FILLS), rows, keys)


def _acceptance(weekly: Sequence[Week], places: list[str]) -> Plot:
    yes, no = sum(week.accepted for week in weekly), sum(week.rejected for week in weekly)
    series = [
        Series("accepted", [week.accepted for week in weekly], "fill-good"),
        Series("rejected or reverted", [week.rejected for week in weekly], "fill-bad"),
    ]
    share = f"{yes / (yes + no):.0%} of {yes + no} decisions" if yes + no else "nothing decided yet"
    rows = tuple((p, str(w.accepted), str(w.rejected)) for p, w in zip(places, weekly, strict=True))
    keys = tuple((s.look, s.name) for s in series)
    heads = ("Week of", "Accepted", "Rejected or reverted")
    return Plot(
        "Acceptance",
        share,
        bars("Decisions on fixes", places, series, _count, "decisions per week", whole=True),
        heads,
        rows,
        keys,
    )


def _cost(weekly: Sequence[Week], places: list[str]) -> Plot:
    series = [Series("models", [week.dollars for week in weekly], "fill-accent")]
    rows = tuple((p, dollars(w.dollars)) for p, w in zip(places, weekly, strict=True))
    drawing = bars("US dollars spent on AI models", places, series, _price, "US dollars per week")
    return Plot("Cost", dollars(sum(week.dollars for week in weekly)), drawing, ("Week of", "Dollars"), rows)


def _first(weekly: Sequence[Week], places: list[str]) -> Plot:
    one = Series("median", [week.first_seconds for week in weekly], "accent")
    known = [week.first_seconds for week in weekly if week.first_seconds is not None]
    newest = f"{duration(known[-1])} in the newest week" if known else "no suggestion yet"
    rows = tuple((p, duration(w.first_seconds)) for p, w in zip(places, weekly, strict=True))
    drawing = trend("Time to the first suggestion, median", places, one, _time, "from the first failure, median")
    return Plot("Time to the first suggestion", newest, drawing, ("Week of", "Median"), rows)


def _prevented(weekly: Sequence[Week], places: list[str]) -> Plot:
    series = [Series("prevented", [week.prevented for week in weekly], "fill-fair")]
    total = sum(week.prevented for week in weekly)
    rows = tuple((p, str(w.prevented)) for p, w in zip(places, weekly, strict=True))
    drawing = bars("Fixes held back because they broke something", places, series, _count, "fixes per week", whole=True)
    return Plot("Regressions prevented", str(total), drawing, ("Week of", "Fixes held back"), rows)


def _count(value: float) -> str:
    return f"{value:g}"


def _price(value: float) -> str:
    return f"${value:.2f}" if value >= 0.01 or not value else f"${value:.3f}"


def _time(value: float) -> str:
    unit, size = next((unit, size) for limit, unit, size in STEPS if value < limit)
    return f"{value / size:g} {unit}" if value else "0"
