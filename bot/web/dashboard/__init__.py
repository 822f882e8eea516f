"""The dashboard: server-rendered pages for signed-in users, who see what GitHub lets them see."""

from starlette.routing import BaseRoute

from bot.web.dashboard import backlog, command_forms, fixes, flaky, live, overview, repositories, repository, run, runs
from bot.web.dashboard.visits import Act, DashboardServices, View, form, page

RUN = "/runs/{owner}/{name}/{sha}/{attempt:int}"
PAGES: tuple[tuple[str, View], ...] = (
    ("/", overview.show),
    ("/runs", runs.show),
    ("/fixes", fixes.show),
    ("/flaky", flaky.show),
    ("/live", live.runs),
    (RUN, run.show),
    (f"{RUN}/live", live.run),
    ("/repositories", repositories.show),
    ("/repositories/{owner}/{name}", repository.show),
    ("/queue", backlog.show),
)
# Forms share a path prefix, which has its own rate limit (bot/web/limits.py).
FORMS: tuple[tuple[str, Act], ...] = (
    (f"/ask{RUN}", command_forms.submit_for_run),
    ("/ask/fixes/{owner}/{name}/{number:int}", command_forms.submit_for_fixes),
)


def routes(services: DashboardServices) -> list[BaseRoute]:
    """Returns the routes of all pages and their forms."""
    return [*(page(services, path, view) for path, view in PAGES), *(form(services, path, act) for path, act in FORMS)]
