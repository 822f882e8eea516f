"""Sessions: the cookie is a random name, and the session's contents are sealed in the database until it ends."""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response

from bot.keys.sealing import Sealer, Unsealable
from bot.store.sessions import SessionRows
from bot.web.signin.github import Person, PersonToken

MAX_AGE = 8 * 3600.0
MAX_COOKIE = 100


@dataclass(frozen=True)
class SignInSession:
    """The session of a signed-in user. Every form must include `csrf`."""

    cookie: str
    person: Person
    token: SecretStr
    csrf: str
    ends_at: float


class Sessions:
    """All sessions. `secure`: the site uses https. `now` returns Unix time in seconds."""

    def __init__(self, rows: SessionRows, sealer: Sealer, secure: bool, now: Callable[[], float]) -> None:
        self._rows, self._sealer, self._secure, self._now = rows, sealer, secure, now
        self.name = "__Host-heal" if secure else "heal_session"

    async def begin(self, person: Person, grant: PersonToken) -> SignInSession:
        """Begins a session, for as long as GitHub's token is valid, but at most eight hours."""
        session = SignInSession(
            secrets.token_urlsafe(32), person, grant.token, secrets.token_urlsafe(32),
            self._now() + min(grant.seconds, MAX_AGE),
        )  # fmt: skip
        kept = {
            "person": person.model_dump(), "token": grant.token.get_secret_value(), "csrf": session.csrf,
            "ends_at": session.ends_at,
        }  # fmt: skip
        sealed = self._sealer.seal(json.dumps(kept))
        await self._rows.open(session.cookie, sealed, session.ends_at, self._now())
        return session

    async def of(self, request: Request) -> SignInSession | None:
        """Returns the session of a request; None if the user is not signed in."""
        cookie = request.cookies.get(self.name, "")
        if not cookie or len(cookie) > MAX_COOKIE:
            return None
        sealed = await self._rows.find(cookie, self._now())
        if sealed is None:
            return None
        try:
            kept = json.loads(self._sealer.open(sealed))
        except Unsealable:  # the key was changed: all users must sign in again
            return None
        person = Person.model_validate(kept["person"])
        return SignInSession(cookie, person, SecretStr(kept["token"]), kept["csrf"], float(kept["ends_at"]))

    async def end(self, session: SignInSession) -> None:
        await self._rows.end(session.cookie)

    def put(self, answer: Response, session: SignInSession) -> None:
        """Sets the session's cookie on a response."""
        left = max(1, int(session.ends_at - self._now()))
        answer.set_cookie(
            self.name, session.cookie, max_age=left, path="/", secure=self._secure, httponly=True, samesite="lax"
        )

    def drop(self, answer: Response) -> None:
        answer.delete_cookie(self.name, path="/", secure=self._secure, httponly=True, samesite="lax")
