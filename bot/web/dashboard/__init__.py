"""The dashboard: server-rendered pages for people who are signed in, each of whom sees what GitHub lets them (OP-4)."""

from starlette.routing import BaseRoute

from bot.web.dashboard import backlog, fixes, flaky, live, overview, repositories, repository, run, runs
from bot.web.dashboard.visits import Desk, View, page

RUN = "/runs/{owner}/{name}/{sha}/{attempt:int}"
LOOKS: tuple[tuple[str, View], ...] = (
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


def routes(desk: Desk) -> list[BaseRoute]:
    """Every page."""
    return [page(desk, path, view) for path, view in LOOKS]
