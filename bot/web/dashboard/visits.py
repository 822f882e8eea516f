"""Authenticates requests for pages of the dashboard, and determines what the user may see."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bot.durable.inbox import Inbox
from bot.store.database import Database
from bot.store.overview import RunLine
from bot.web.answers import Pages
from bot.web.forms import Form, FormRefused, read_form
from bot.web.missing import WORDS
from bot.web.signin.access import PersonAccess
from bot.web.signin.github import VisibleRepos
from bot.web.signin.pages import sign_in_first
from bot.web.signin.sessions import Sessions, SignInSession
from handlers.model import Refused


class PageNotFound(Exception):
    """The thing doesn't exist, or the user may not see it; the response is the same for both."""


@dataclass(frozen=True)
class DashboardServices:
    """What all pages share. `inbox` stores commands. `github` is the base URL of GitHub's pages, `public_url` this
    site's. `now` returns Unix time in seconds."""

    database: Database
    pages: Pages
    sessions: Sessions
    access: PersonAccess
    inbox: Inbox
    github: str
    public_url: str
    now: Callable[[], float]


@dataclass(frozen=True)
class Visit:
    """One request of a signed-in user."""

    services: DashboardServices
    request: Request
    session: SignInSession
    visible: VisibleRepos

    @property
    def repos(self) -> tuple[int, ...]:
        """The ids of all repositories that the user may see."""
        return tuple(self.visible.repos)

    @property
    def repo(self) -> int:
        """The id of the repository in the URL. Raises PageNotFound."""
        params = self.request.path_params
        repo_id = self.visible.id_of(f"{params['owner']}/{params['name']}")
        if repo_id is None:
            raise PageNotFound
        return repo_id

    def named(self, run: RunLine) -> RunLine:
        """Returns the run with its repository's current name."""
        return run.model_copy(update={"full_name": self.visible.repos[run.repo_id]})

    def may_write(self, repo_id: int) -> bool:
        """Whether to show buttons; the permission is checked again when one is pressed."""
        return repo_id in self.visible.writes

    def render(self, template: str, **values: Any) -> HTMLResponse:
        """Returns a page for this user."""
        session, github = self.session, self.services.github
        once = secrets.token_urlsafe(12)  # so that the same form, sent twice, counts once
        own: dict[str, Any] = {"you": session.person.login, "csrf": session.csrf, "once": once, "github": github}
        return self.services.pages.render(template, **own, **values)

    def problem(self, status: int, title: str, words: str) -> HTMLResponse:
        """Returns a page that says what is wrong."""
        session = self.session
        return self.services.pages.problem(status, title, words, you=session.person.login, csrf=session.csrf)


View = Callable[[Visit], Awaitable[Response]]
Act = Callable[[Visit, Form], Awaitable[Response]]


def page(services: DashboardServices, path: str, view: View) -> Route:
    """Returns the route of a page of the dashboard."""
    return Route(path, _endpoint(services, view))


def form(services: DashboardServices, path: str, act: Act) -> Route:
    """Returns the route of a form; forms that don't come from the dashboard's own pages are refused."""

    async def view(visit: Visit) -> Response:
        try:
            sent = await read_form(visit.request, services.public_url, visit.session.csrf)
        except FormRefused as refusal:
            return visit.problem(403, "Nothing was asked for", str(refusal))
        return await act(visit, sent)

    return Route(path, _endpoint(services, view), methods=["POST"])


def _endpoint(services: DashboardServices, view: View) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            session = await services.sessions.of(request)
            if session is None:
                return sign_in_first(request)
            return await _visited(services, request, session, view)
        except (SQLAlchemyError, TimeoutError) as error:
            return _no_database(services, error)

    return endpoint


def _no_database(services: DashboardServices, error: Exception) -> Response:
    words = f"The database doesn't respond ({type(error).__name__}). Reload in a moment; /readyz has details."
    return services.pages.problem(503, "The database doesn't answer", words)


async def _visited(services: DashboardServices, request: Request, session: SignInSession, view: View) -> Response:
    try:
        return await view(Visit(services, request, session, await services.access.visible_repos(session)))
    except Refused as refusal:
        if refusal.status == 401:  # the token, or the consent to the App, was revoked
            await services.sessions.end(session)
            return sign_in_first(request)
        words = f"{str(refusal)[:300]}. Until GitHub says what you may see, nothing is shown. Reload in a moment."
        return services.pages.problem(502, "GitHub doesn't answer", words, you=session.person.login, csrf=session.csrf)
    except PageNotFound:
        return services.pages.problem(404, "Not found", WORDS, you=session.person.login, csrf=session.csrf)
