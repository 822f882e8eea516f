"""Server-sent events that tell an open page to reload because something changed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import PlainTextResponse, Response, StreamingResponse

from bot.store.changes import list_version, run_version
from bot.web.dashboard.visits import PageNotFound, Visit

LOOK_SECONDS = 1.5
LIFE_SECONDS = 120.0  # then the browser reconnects, and its session is checked again
LIMIT = 200  # open streams per process

Mark = Callable[[], Awaitable[str]]


class _Listeners:
    """The number of open streams of this process."""

    count = 0


async def runs(visit: Visit) -> Response:
    """Streams changes of the list of runs."""
    return _stream(visit, lambda: list_version(visit.services.database, visit.repos))


async def run(visit: Visit) -> Response:
    """Streams changes of one run."""
    repo, sha = visit.repo, visit.request.path_params["sha"]
    attempt = visit.request.path_params["attempt"]
    if len(sha) > 64 or attempt >= 2**31 or not await run_version(visit.services.database, repo, sha, attempt):
        raise PageNotFound
    return _stream(visit, lambda: run_version(visit.services.database, repo, sha, attempt))


def _stream(visit: Visit, mark: Mark) -> Response:
    if _Listeners.count >= LIMIT:
        return PlainTextResponse("Too many pages listen; reload by hand.\n", 503, {"Retry-After": "60"})
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
    return StreamingResponse(_changes(visit, mark), media_type="text/event-stream", headers=headers)


async def _changes(visit: Visit, mark: Mark) -> AsyncIterator[str]:
    _Listeners.count += 1
    try:
        last = await mark()
        yield f"retry: 3000\nevent: mark\ndata: {last}\n\n"
        for _ in range(int(LIFE_SECONDS / LOOK_SECONDS)):
            await asyncio.sleep(LOOK_SECONDS)
            if await visit.request.is_disconnected():
                return
            now = await mark()
            yield f"event: mark\ndata: {now}\n\n" if now != last else ": still here\n\n"
            last = now
    finally:
        _Listeners.count -= 1
