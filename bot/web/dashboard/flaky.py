"""Which tests fail by chance: red and green on the same commit."""

from starlette.responses import Response

from bot.store.outcomes import flaky_tests_of
from bot.web.dashboard.visits import Visit

MOST = 200


async def show(visit: Visit) -> Response:
    found = await flaky_tests_of(visit.desk.database, visit.repos)
    rows = [(visit.seen.repos[one.repo_id], one) for one in found[:MOST]]
    more = max(0, len(found) - MOST)
    return visit.render("flaky.html", section="flaky", rows=rows, more=more, now=visit.desk.now())
