"""The response for unknown URLs: for people a page with links, for programs a line of text."""

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from bot.web.answers import Pages
from bot.web.signin.sessions import Sessions

WORDS = "There is nothing at this address, or you may not see it."


class NotFoundPage:
    """`sessions` is None if sign-in is not configured."""

    def __init__(self, pages: Pages, sessions: Sessions | None) -> None:
        self._pages, self._sessions = pages, sessions

    async def answer(self, request: Request) -> Response:
        """Returns a 404; signed-in users get the navigation."""
        if "text/html" not in request.headers.get("accept", ""):
            return PlainTextResponse("Not Found", 404)
        try:
            session = await self._sessions.of(request) if self._sessions is not None else None
        except (SQLAlchemyError, TimeoutError):
            session = None
        if session is None:
            return self._pages.problem(404, "Not found", WORDS)
        return self._pages.problem(404, "Not found", WORDS, you=session.person.login, csrf=session.csrf)


async def not_found(request: Request, _error: Exception) -> Response:
    """Exception handler for Starlette, which passes only the application; before the site is open there are no
    pages."""
    missing: NotFoundPage | None = getattr(request.app.state, "missing", None)
    return PlainTextResponse("Not Found", 404) if missing is None else await missing.answer(request)
