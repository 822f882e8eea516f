"""The first page: undecided fixes, what was not fixed and why, what was fixed, and what it cost."""

from starlette.responses import Response

from bot.store.attention import applied_fixes, open_fixes, runs_with_errors_left, spent_since
from bot.store.insights import WEEK
from bot.store.outcomes import flaky_tests_of
from bot.store.overview import totals
from bot.web.dashboard.fixes import pulls_of
from bot.web.dashboard.visits import Visit

LIMIT = 8  # per list
LEFT_SECONDS = 2 * WEEK


async def show(visit: Visit) -> Response:
    database, repos, now = visit.services.database, visit.repos, visit.services.now()
    fixes = await open_fixes(database, repos)
    left = [visit.named(run) for run in await runs_with_errors_left(database, repos, now - LEFT_SECONDS)]
    spent = await spent_since(database, repos, now - WEEK)
    return visit.render(
        "overview.html",
        section="overview",
        waiting=pulls_of(visit, fixes),
        fixes=len(fixes),
        unfixed=[run for run in left if run.state == "done"],
        stopped=[run for run in left if run.state == "stopped"],
        applied=pulls_of(visit, await applied_fixes(database, repos, now - WEEK)),
        spent=[(visit.visible.repos[repo], dollars) for repo, dollars in spent.items()],
        flaky=[(visit.visible.repos[test.repo_id], test) for test in await flaky_tests_of(database, repos)],
        totals=await totals(database, repos, now - WEEK),
        most=LIMIT,
        installed=bool(repos),
        now=now,
    )
