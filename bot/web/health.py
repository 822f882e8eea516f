"""GET /healthz: the process answers. GET /readyz: it can take work (OP-5)."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response


async def healthz(_request: Request) -> Response:
    return JSONResponse({"ok": True})


class Readiness:
    """`problems` gives, for each part that is not ready, one sentence."""

    def __init__(self, problems: Callable[[], Awaitable[dict[str, str]]]) -> None:
        self._problems = problems

    async def get(self, _request: Request) -> Response:
        problems = await self._problems()
        return JSONResponse({"ready": not problems, "problems": problems}, status_code=503 if problems else 200)
