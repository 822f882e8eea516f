"""GET /healthz: the process responds. GET /readyz: it is ready for work."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.watching.readiness import Readiness


async def healthz(_request: Request) -> Response:
    return JSONResponse({"ok": True})


class Readyz:
    """Responds with 503 while there are problems that keep the process from working."""

    def __init__(self, readiness: Readiness) -> None:
        self._readiness = readiness

    async def get(self, _request: Request) -> Response:
        health = await self._readiness.look()
        ready = not health.problems
        answer = {"ready": ready, "problems": health.problems, "notes": health.notes}
        return JSONResponse(answer, status_code=200 if ready else 503)
