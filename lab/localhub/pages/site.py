"""The basis of all pages: the viewer, forms that only this site's pages can send, threads, templates, refusals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from lab.localhub.bare import GitError
from lab.localhub.ci_state import CheckRun
from lab.localhub.hub import Hub
from lab.localhub.pages import markup, people, pulse, visible, when
from lab.localhub.pages.guide import Guide
from lab.localhub.state import Account, Pull, Refused, Repo

TEMPLATES = Path(__file__).parent.parent / "templates"
MAX_FORM = 1_000_000  # bytes; a comment has at most 65,536 characters
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Site:
    """What all pages share. `guide` is shown at the top of every pull request."""

    hub: Hub
    templates: Environment
    guide: Guide = field(default_factory=Guide)


@dataclass(frozen=True)
class Visit:
    """One request. `refusal` says why its form was refused."""

    site: Site
    path: str
    params: Mapping[str, Any]
    query: Mapping[str, str]
    cookie: str | None
    form: Mapping[str, list[str]] = field(default_factory=dict)
    refusal: str = ""

    @property
    def hub(self) -> Hub:
        """The local GitHub."""
        return self.site.hub

    def text(self, name: str) -> str:
        """Returns a field of the form; empty if it was not sent."""
        return (self.form.get(name) or [""])[0]

    def numbers(self, name: str) -> list[int]:
        """Returns the ids in a field. Raises Refused(422) for anything else."""
        values = self.form.get(name) or []
        if not values or not all(value.isascii() and value.isdigit() and len(value) < 19 for value in values):
            raise Refused(422, f"Choose at least one {name}.")
        return [int(value) for value in dict.fromkeys(values)]

    @property
    def you(self) -> Account | None:
        """The person viewing the page."""
        everybody = people.of_all(self.hub)
        return people.chosen(self.hub, self.cookie, everybody)

    @property
    def repo(self) -> Repo:
        """The repository in the URL. Raises Refused(404) if the person may not see it."""
        repo = self.hub.repo(f"{self.params['owner']}/{self.params['repo']}")
        you = self.you
        if repo.private and not (you and self.hub.may(repo, you.login, "read")):
            raise Refused(404, "Not Found")
        return repo

    @property
    def pull(self) -> Pull:
        """The pull request in the URL. Raises Refused(404)."""
        return self.hub.pull(self.repo, self.params["number"])

    @property
    def check_run(self) -> CheckRun:
        """The check run in the URL. Raises Refused(404)."""
        run = self.hub.check_runs.get(self.params["run"])
        if run is None or run.repo_id != self.repo.id:
            raise Refused(404, "Not Found")
        return run


View = Callable[[Visit], Response]
Act = Callable[[Visit], str | Response]
"""Does what a form asks for and gives the address to go to (or the whole answer)."""


def page(site: Site, path: str, view: View) -> Route:
    """Returns the route of a page without a form action."""

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(_show, site, request, view)

    return Route(path, endpoint, methods=["GET"])


def form(site: Site, path: str, act: Act, back: View, foreign: bool = False) -> Route:
    """Returns the route of a form. If the action is refused, the page of the form (`back`) shows why, and keeps the
    input. `foreign`: pages of other sites may send it, because it only shows something."""

    async def endpoint(request: Request) -> Response:
        body = await _body(request)
        refuse = refuse_host if foreign else refuse_foreign
        return await run_in_threadpool(_submit, site, request, body, act, back, refuse)

    return Route(path, endpoint, methods=["POST"])


def _show(site: Site, request: Request, view: View) -> Response:
    visit = visit_of(site, request)
    with site.hub.lock:
        try:
            refuse_host(site.hub, request)
            return view(visit)
        except Refused as no:
            return refused_page(visit, no)
        except GitError as bad:
            return refused_page(visit, Refused(422, str(bad)))


def _submit(
    site: Site, request: Request, body: bytes | None, act: Act, back: View, refuse: Callable[[Hub, Request], None]
) -> Response:
    visit = visit_of(site, request)
    with site.hub.lock:
        try:
            refuse(site.hub, request)
            visit = replace(visit, form=_fields(body))
        except Refused as no:
            return refused_page(visit, no)
        try:
            done = act(visit)
            return done if isinstance(done, Response) else RedirectResponse(done, 303, HEADERS)
        except Refused as no:
            return _again(visit, back, no)
        except GitError as bad:
            return _again(visit, back, Refused(422, str(bad)))


def _again(visit: Visit, back: View, refusal: Refused) -> Response:
    """Returns the page of the form with the refusal."""
    try:
        answer = back(replace(visit, refusal=error_text(refusal)))
    except Refused as also:
        return refused_page(visit, also)
    answer.status_code = refusal.status
    return answer


def _fields(body: bytes | None) -> dict[str, list[str]]:
    """Parses a form in the browsers' default encoding."""
    if body is None:
        raise Refused(413, "This form is too long.")
    try:
        return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=1000)
    except ValueError as bad:
        raise Refused(400, "This form has too many fields.") from bad


def visit_of(site: Site, request: Request) -> Visit:
    """Returns the visit of a request, without its form."""
    cookie = request.cookies.get(people.COOKIE)
    return Visit(site, request.url.path, request.path_params, dict(request.query_params), cookie)


async def _body(request: Request) -> bytes | None:
    """Reads the body; returns None if it is too long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM:
            return None
    return bytes(body)


def refuse_host(hub: Hub, request: Request) -> None:
    """Raises Refused(403) unless the Host header names this machine: another name could be an attacker's."""
    asked = request.headers.get("host", "")
    try:
        name = urlsplit(f"//{asked}").hostname
    except ValueError:
        name = None
    if name not in LOOPBACK and asked != urlsplit(hub.url).netloc:
        raise Refused(403, f"These pages are for this machine only; they are at {hub.url}.")


def refuse_foreign(hub: Hub, request: Request) -> None:
    """Raises Refused(403) for a form of another site's page (or of an unknown page)."""
    refuse_host(hub, request)
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    own = f"http://{request.headers.get('host', '')}"
    if (site is not None and site != "same-origin") or (origin is not None and origin != own):
        raise Refused(403, "This form was sent by a page of another site, so nothing was done.")
    if site is None and origin is None:
        raise Refused(403, "This form doesn't say which page sent it (Origin), so nothing was done.")


def error_text(refusal: Refused) -> str:
    """Returns a refusal as a readable text."""
    comments = []
    for error in refusal.errors or []:
        if isinstance(error, str):
            comments.append(error)
        elif error.get("message"):
            comments.append(str(error["message"]))
        elif error.get("code") == "missing_field":
            comments.append(f"The {error.get('field')} is missing.")
        else:
            comments.append(f"The {error.get('field')} is {error.get('code')}.")
    general = (
        refusal.message if refusal.message not in ("Validation Failed", "Unprocessable Entity") or not comments else ""
    )
    return " ".join(part for part in (general, *comments) if part)


def refused_page(visit: Visit, refusal: Refused) -> Response:
    """Returns a separate page for a refusal."""
    titles = {403: "You may not do that", 404: "There is no such page"}
    words = "Nothing here has this address." if refusal.message == "Not Found" else error_text(refusal)
    title = titles.get(refusal.status, "That didn't work")
    return shown(visit, "refused.html", status=refusal.status, title=title, words=words)


def shown(visit: Visit, template: str, status: int = 200, **values: Any) -> Response:
    """Renders a template as response. Every page gets the visit, the persons and the clock."""
    hub, you = visit.hub, visit.you
    repo: Repo | None = values.get("repo")
    listed = people.of_repo(hub, repo) if repo else people.of_all(hub)
    if you and you not in listed:
        listed = [*listed, you]
    roles = {one.login: hub.permission(repo, one.login) for one in listed} if repo else {}
    text = visit.site.templates.get_template(template).render(
        visit=visit, you=you, people=listed, roles=roles, pulse=pulse.of(hub, repo) if repo else "",
        **{"repo": None, "pull": None, **values},
    )  # fmt: skip
    return HTMLResponse(text, status, HEADERS)


def templates(now: Callable[[], datetime]) -> Environment:
    """Returns the template environment; `now` is the clock for relative times."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {
        "code": visible.code,
        "seen": lambda value: visible.plain(str(value)),
        "hue": _hue,
        "markdown": markup.render,
    }
    made.filters["ago"] = lambda moment: _ago(now(), moment)
    return made


def _ago(now: datetime, moment: datetime) -> Markup:
    stamp = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    return Markup('<time datetime="{}" title="{} UTC">{}</time>').format(
        stamp, f"{moment:%Y-%m-%d %H:%M:%S}", when.ago(now, moment)
    )


def _hue(account: Account) -> str:
    """Returns a person's colour, which never changes."""
    return f"hue-{sum(account.login.encode()) % 6}"
