"""The pages of the set-up: opened with a token that is printed once; GitHub then redirects back with a code."""

import asyncio
import json
import re
import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.github.permissions import manifest, missing, wanted
from bot.keys.registration import NotAnApp, RegisteredApp, read_app, store_app
from bot.keys.sealing import Unsealable, sealer
from bot.settings import Settings
from bot.store.database import Database
from bot.web.answers import Pages, headers
from bot.web.forms import same
from handlers.model import Refused

COOKIE, HOUR = "heal_setup", 3600.0
_CODE = re.compile(r"[A-Za-z0-9_-]{1,100}")
_ORGANISATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}")
_LOCAL = ("127.0.0.1", "localhost", "::1")
CLOSED = (
    "This page opens with the address that `heal serve` printed when it started, in one browser only. If it was opened "
    "in another one, or lost: stop Heal and start it again, it prints a new one."
)
AGAIN = "Nothing is stored. Open /setup and start again. If an App was made at GitHub meanwhile, delete it there."


MAX_NAME = 34  # GitHub's own limit


def manifest_for(site: str, name: str) -> str:
    """Returns the manifest from which GitHub registers an App, as JSON: app.yml with this Heal's URLs. `site` is Heal's
    public URL, without a trailing slash."""
    own = manifest()
    return json.dumps(
        {
            **own,
            "name": name[:MAX_NAME],
            "hook_attributes": {"url": f"{site}/webhook", "active": True},
            "redirect_url": f"{site}/setup/created",
            "callback_urls": [f"{site}/auth/callback"],
            "setup_on_update": False,
        }
    )


class SetUp:
    """The set-up, usable while no App is registered. `now` returns Unix time in seconds."""

    def __init__(
        self, settings: Settings, database: Database, pages: Pages, token: str, done: Callable[[], None],
        now: Callable[[], float],
    ) -> None:  # fmt: skip
        self._settings, self._database, self._pages, self._now = settings, database, pages, now
        self._token, self._done = token, done
        self._sealer = sealer(settings, "set-up")
        self._secure = settings.site_url.startswith("https://")

    def routes(self) -> list[BaseRoute]:
        return [Route("/setup", self.page), Route("/setup/created", self.created)]

    async def page(self, request: Request) -> Response:
        """Shows what will be requested from GitHub, with the button that does it."""
        if "token" in request.query_params:
            return self._opened(request)
        state = self._state(request)
        if state is None:
            return self._problem(403, CLOSED)
        name = request.query_params.get("name", "").strip()[:MAX_NAME] or "Heal"
        organisation = request.query_params.get("organisation", "").strip()
        if organisation and not _ORGANISATION.fullmatch(organisation):
            return self._problem(400, "That is no organisation's name. Go back and write it as in its address.")
        place = f"/organizations/{organisation}/settings/apps/new" if organisation else "/settings/apps/new"
        github, site = self._settings.git_url, self._settings.site_url
        return self._pages.render(
            "setup.html",
            form_targets=(_origin(github),),
            action=f"{github}{place}?state={quote(state)}",
            manifest=manifest_for(site, name),
            name=name,
            organisation=organisation,
            site=site,
            local=urlsplit(site).hostname in _LOCAL and urlsplit(github).hostname not in _LOCAL,
            permissions=wanted(),
        )

    def _opened(self, request: Request) -> Response:
        """Exchanges the token for a cookie of this browser; the token is then no longer valid."""
        if not same(request.query_params["token"], self._token):
            return self._problem(403, CLOSED)
        self._token = ""
        kept = json.dumps({"state": secrets.token_urlsafe(32), "until": self._now() + HOUR})
        answer = RedirectResponse("/setup", 303, headers())
        answer.set_cookie(
            COOKIE, self._sealer.seal(kept), max_age=int(HOUR), path="/setup", secure=self._secure, httponly=True,
            samesite="lax",
        )  # fmt: skip
        return answer

    async def created(self, request: Request) -> Response:
        """Handles GitHub's redirect after registering the App, with a code for its secrets."""
        state, asked = self._state(request), request.query_params
        if state is None or not same(asked.get("state", ""), state):
            return self._problem(403, f"GitHub's answer doesn't belong to this browser's question. {AGAIN}")
        if not _CODE.fullmatch(asked.get("code", "")):
            return self._problem(400, f"GitHub's answer holds no code. {AGAIN}")
        try:
            converted = await self._converted(asked["code"])
            app = read_app(converted)
        except Refused as refusal:
            return self._problem(502, f"GitHub did not give the App's secrets: {refusal.message[:300]}. {AGAIN}")
        except NotAnApp as error:
            return self._problem(502, f"GitHub's answer can't be used: {error}. {AGAIN}")
        if not await store_app(self._database, self._settings, app, self._now()):
            return self._problem(
                409, "Heal has an App already; the new one can be deleted at GitHub. Nothing is changed."
            )
        return self._finished(app, converted)

    def _finished(self, app: RegisteredApp, converted: dict[str, Any]) -> Response:
        not_granted = missing({str(key): str(value) for key, value in (converted.get("permissions") or {}).items()})
        answer = self._pages.render("setup_done.html", app=app, not_granted=not_granted)
        answer.delete_cookie(COOKIE, path="/setup")
        answer.background = BackgroundTask(self._done)
        return answer

    async def _converted(self, code: str) -> dict[str, Any]:
        from bot.github.pace import Pace
        from bot.github.transport import Transport, refused

        async with Transport(self._settings.github_url, Pace(self._now, asyncio.sleep)) as transport:
            answer = await transport.send("POST", f"/app-manifests/{quote(code)}/conversions", None)
        if answer.is_error:
            raise refused(answer)
        converted = answer.json()
        return converted if isinstance(converted, dict) else {}

    def _state(self, request: Request) -> str | None:
        """Returns the state of the browser that was opened with the token, for an hour; else None."""
        try:
            kept = json.loads(self._sealer.open(request.cookies.get(COOKIE, "")))
        except Unsealable:
            return None
        return str(kept["state"]) if kept["until"] > self._now() else None

    def _problem(self, status: int, words: str) -> Response:
        return self._pages.problem(status, "Set-up", words)


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
