"""All runs, filtered and searched."""

from typing import get_args

from starlette.responses import Response

from bot.store.insights import WEEK
from bot.store.overview import PAGE, Shown, list_runs, totals
from bot.web.dashboard.asked import asked
from bot.web.dashboard.visits import Visit

STATES = tuple(name for name in get_args(Shown) if name)


async def show(visit: Visit) -> Response:
    want = asked(visit.request.query_params, visit.seen)
    found = await list_runs(visit.desk.database, want.wanted)
    figures = await totals(visit.desk.database, visit.repos, visit.desk.now() - WEEK)
    runs, more = found[:PAGE], len(found) > PAGE
    return visit.render(
        "runs.html",
        section="runs",
        asked=want,
        runs=[visit.named(run) for run in runs],
        older=want.address(runs[-1].key) if more else "",
        newest=want.address() if want.wanted.before else "",
        totals=figures,
        states=STATES,
        names=sorted(visit.seen.repos.values(), key=str.lower),
        now=visit.desk.now(),
    )
