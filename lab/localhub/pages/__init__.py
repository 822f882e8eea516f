"""The local GitHub's pages for the demo: server-rendered, working without a script."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from lab.localhub.hub import Hub
from lab.localhub.pages import acts, consent, run_page, views
from lab.localhub.pages.guide import Guide
from lab.localhub.pages.site import Act, Site, View, form, page, templates

STATIC = Path(__file__).parent.parent / "static"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PULL = "/{owner}/{repo}/pull/{number:int}"
RUN = "/{owner}/{repo}/checks/{run:int}"


def routes(hub: Hub, guide: Guide | None = None) -> list[BaseRoute]:
    """Returns all pages, for `serve(hub, extra_routes=routes(hub))`. `guide` is shown at the top of pull requests."""
    site = Site(hub, templates(hub.now), guide or Guide())
    looks: list[tuple[str, View]] = [
        ("/", views.home),
        (PULL, views.conversation),
        (f"{PULL}/files", views.files),
        (f"{PULL}/checks", views.checks),
        ("/{owner}/{repo}/commit/{sha}", views.commit),
        (RUN, run_page.show),
        ("/{owner}/{repo}/runs/{run:int}", run_page.show),
        ("/{owner}/{repo}/actions/runs/{workflow:int}/job/{run:int}", run_page.show),
        (f"{RUN}/log", run_page.raw_log),
        ("/login/oauth/authorize", consent.authorize),
        ("/apps/{slug}/installations/new", consent.install),
        ("/{owner}/{repo}/pulse", views.pulse),
        ("/{owner}/{repo}", views.repository),
        ("/{owner}/{repo}/pulls", views.repository),
    ]
    does: list[tuple[str, Act, View]] = [
        ("/you", acts.choose, views.home),
        (f"{PULL}/comment", acts.comment, views.conversation),
        (f"{PULL}/reply", acts.reply, views.conversation),
        (f"{PULL}/suggestion", acts.commit_suggestion, views.conversation),
        (f"{PULL}/resolve", acts.resolve, views.conversation),
        (f"{PULL}/merge", acts.merge, views.conversation),
        (f"{PULL}/close", acts.close, views.conversation),
        (f"{RUN}/press", acts.press, run_page.show),
        (f"{RUN}/rerun", acts.rerun, run_page.show),
        ("/login/oauth/authorize", consent.authorized, consent.authorize),
        ("/apps/{slug}/installations/new", consent.installed, consent.install),
        ("/settings/apps/new/confirmed", consent.registered, views.home),
    ]
    places = ("/settings/apps/new", "/organizations/{org}/settings/apps/new")
    new_app = [form(site, place, consent.new_app, views.home, foreign=True) for place in places]
    pages = [*(page(site, *one) for one in looks), *(form(site, *one) for one in does)]
    return [Route("/assets/{name}", _asset), *new_app, *pages]


async def _asset(request: Request) -> Response:
    """Serves a style sheet, the script or the icon."""
    name = request.path_params["name"]
    known = {path.name: path for path in STATIC.iterdir() if path.suffix in TYPES}
    if name not in known:
        return Response(b"Not Found", 404, media_type="text/plain")
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
    return Response(known[name].read_bytes(), headers=headers, media_type=TYPES[known[name].suffix])
