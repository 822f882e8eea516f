"""The pages for people: sign-in and the dashboard, or one page that says which settings are missing for them."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.durable.inbox import Inbox
from bot.keys.sealing import sealer
from bot.settings import Settings
from bot.store.database import Database
from bot.store.sessions import SessionRows
from bot.web import dashboard
from bot.web.answers import Pages, asset
from bot.web.dashboard.visits import DashboardServices
from bot.web.missing import NotFoundPage
from bot.web.signin.access import PersonAccess
from bot.web.signin.github import PersonsGitHub
from bot.web.signin.pages import SignIn
from bot.web.signin.sessions import Sessions

MISSING = (
    "Heal works, but nobody can sign in: it doesn't know its App's client id and secret. They are on the settings page "
    "of the App at GitHub. Set HEAL_CLIENT_ID and HEAL_CLIENT_SECRET, and HEAL_PUBLIC_URL to the address of this page; "
    "then start Heal again."
)


@dataclass(frozen=True)
class Site:
    """All routes of the pages, and the response for unknown URLs."""

    routes: list[BaseRoute]
    missing: NotFoundPage


def site(settings: Settings, database: Database, inbox: Inbox, now: Callable[[], float]) -> Site:
    """Returns all pages for people; commands that they send are stored in the inbox. Raises UserError for keys that
    can't be used."""
    pages = Pages()
    assets = Route("/assets/{name}", asset)
    if not (settings.client_id and settings.client_secret.get_secret_value()):

        async def closed(_request: Request) -> Response:
            return pages.problem(503, "Nobody can sign in yet", MISSING)

        return Site([assets, Route("/", closed), Route("/sign-in", closed)], NotFoundPage(pages, None))
    github = PersonsGitHub(settings, f"{settings.site_url}/auth/callback", now)
    sealed = sealer(settings, "sessions")
    sessions = Sessions(SessionRows(database), sealed, settings.site_url.startswith("https://"), now)
    signing = SignIn(pages, github, sessions, sealer(settings, "sign-in"), settings.site_url, now)
    services = DashboardServices(
        database, pages, sessions, PersonAccess(github, now), inbox, settings.git_url, settings.site_url, now
    )
    return Site([assets, *signing.routes(), *dashboard.routes(services)], NotFoundPage(pages, sessions))
