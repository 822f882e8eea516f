"""/sign-in, /auth/start, /auth/callback and /sign-out: users sign in with GitHub, by OAuth with state and PKCE."""

import base64
import hashlib
import json
import secrets
from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.keys.sealing import Sealer, Unsealable
from bot.web.answers import Pages, headers
from bot.web.forms import FormRefused, read_form, read_own_form, same
from bot.web.signin.github import PersonsGitHub
from bot.web.signin.sessions import Sessions
from handlers.model import Refused

BEGUN = "heal_begun"  # the cookie of a browser that was redirected to GitHub to sign in
BEGUN_SECONDS = 600
MAX_NEXT = 500
NOT_ASKED = "This browser didn't ask to sign in here, or it was more than ten minutes ago. Begin again."


class SignIn:
    """The endpoints for signing in and out. `public_url` is Heal's public URL. `now` returns Unix time in seconds."""

    def __init__(
        self,
        pages: Pages,
        github: PersonsGitHub,
        sessions: Sessions,
        sealer: Sealer,
        public_url: str,
        now: Callable[[], float],
    ) -> None:
        self._pages, self._github, self._sessions, self._sealer = pages, github, sessions, sealer
        self._public_url, self._now = public_url, now

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/sign-in", self.page),
            Route("/auth/start", self.start),
            Route("/auth/callback", self.callback),
            Route("/sign-out", self.sign_out, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        return self._pages.render("sign_in.html", next=_own(request.query_params.get("next", "/")))

    async def start(self, request: Request) -> Response:
        """Redirects the browser to GitHub; the expected state is sealed in a cookie that is valid for ten minutes."""
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        begun = {"state": state, "verifier": verifier, "next": _own(request.query_params.get("next", "/"))}
        begun["until"] = str(self._now() + BEGUN_SECONDS)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        answer = RedirectResponse(self._github.address(state, challenge), 303, headers())
        answer.set_cookie(
            BEGUN, self._sealer.seal(json.dumps(begun)), max_age=BEGUN_SECONDS, path="/auth",
            secure=self._public_url.startswith("https://"), httponly=True, samesite="lax",
        )  # fmt: skip
        return answer

    async def callback(self, request: Request) -> Response:
        """Handles GitHub's redirect back."""
        begun = self._begun(request)
        asked = request.query_params
        if begun is None or not same(asked.get("state", ""), begun["state"]):
            return self._problem(403, NOT_ASKED)
        if asked.get("error"):
            return self._problem(403, "You declined on GitHub, so Heal doesn't know who you are. Nothing was done.")
        try:
            grant = await self._github.grant(asked.get("code", "")[:500], begun["verifier"])
            person = await self._github.person(grant.token)
        except Refused as refusal:
            words = f"GitHub did not confirm who you are: {refusal.message[:300]}. Begin again."
            return self._problem(502 if refusal.status >= 500 else 403, words)
        session = await self._sessions.begin(person, grant)
        answer = RedirectResponse(begun["next"], 303, headers())
        self._sessions.put(answer, session)
        answer.delete_cookie(BEGUN, path="/auth")
        return answer

    async def sign_out(self, request: Request) -> Response:
        session = await self._sessions.of(request)
        try:
            if session is None:
                await read_own_form(request, self._public_url)
            else:
                await read_form(request, self._public_url, session.csrf)
        except FormRefused as refusal:
            who = {"you": session.person.login, "csrf": session.csrf} if session is not None else {}
            return self._pages.problem(403, "You are not signed out", str(refusal), **who)
        if session is not None:
            await self._sessions.end(session)
        answer = RedirectResponse("/sign-in", 303, headers())
        self._sessions.drop(answer)
        return answer

    def _begun(self, request: Request) -> dict[str, str] | None:
        try:
            begun: dict[str, str] = json.loads(self._sealer.open(request.cookies.get(BEGUN, "")))
        except Unsealable:
            return None
        return begun if float(begun["until"]) > self._now() else None

    def _problem(self, status: int, words: str) -> Response:
        return self._pages.problem(status, "You are not signed in", words)


def sign_in_first(request: Request) -> Response:
    """Redirects to /sign-in, and from there back to the page; a form must be sent again by the user."""
    if request.method == "POST":
        return RedirectResponse("/sign-in", 303, headers())
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/sign-in?next={quote(wanted, safe='')}", 303, headers())


def _own(path: str) -> str:
    """Returns the path if it is one of this site, else that of the first page."""
    fit = path.startswith("/") and not path.startswith(("//", "/\\")) and len(path) <= MAX_NEXT
    return path if fit and path.isprintable() and "\\" not in path else "/"
