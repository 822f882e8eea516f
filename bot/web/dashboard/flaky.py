"""The page of flaky tests: those that failed and passed on the same commit."""

from starlette.responses import Response

from bot.store.outcomes import flaky_tests_of
from bot.web.dashboard.visits import Visit

LIMIT = 200


async def show(visit: Visit) -> Response:
    tests = await flaky_tests_of(visit.services.database, visit.repos)
    rows = [(visit.visible.repos[test.repo_id], test) for test in tests[:LIMIT]]
    more = max(0, len(tests) - LIMIT)
    return visit.render("flaky.html", section="flaky", rows=rows, more=more, now=visit.services.now())
