"""GET /healthz: the process answers. GET /readyz: it can take work."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.watching.readiness import Readiness


async def healthz(_request: Request) -> Response:
    return JSONResponse({"ok": True})


class Readyz:
    """503 while something keeps the process from its work."""

    def __init__(self, readiness: Readiness) -> None:
        self._readiness = readiness

    async def get(self, _request: Request) -> Response:
        health = await self._readiness.look()
        ready = not health.problems
        answer = {"ready": ready, "problems": health.problems, "notes": health.notes}
        return JSONResponse(answer, status_code=200 if ready else 503)
