"""A server over real HTTP that answers as scripted, for what localhub has no reason to do."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


class Peer:
    """`answers[("GET", "/path")]` are given in order, the last one for ever; anything else is a 404."""

    def __init__(self) -> None:
        self.url = ""
        self.answers: dict[tuple[str, str], list[Response]] = defaultdict(list)
        self.heard: list[tuple[str, str, str]] = []  # method, path with query, Authorization
        self.tags: list[str] = []  # If-None-Match of each request but for tokens
        self.minted = 0

    def script(self, method: str, path: str, *answers: Response) -> None:
        self.answers[(method, path)] = list(answers)

    def count(self, method: str, path: str) -> int:
        return sum(1 for m, p, _ in self.heard if (m, p.split("?")[0]) == (method, path))

    async def answer(self, request: Request) -> Response:
        raw = request.scope["raw_path"].decode()
        query = f"?{request.url.query}" if request.url.query else ""
        self.heard.append((request.method, raw + query, request.headers.get("authorization", "")))
        if raw.endswith("/access_tokens"):
            self.minted += 1
            await asyncio.sleep(0.01)
            return JSONResponse({"token": f"ghs_{self.minted}", "expires_at": "2036-01-01T00:00:00Z"}, 201)
        self.tags.append(request.headers.get("if-none-match", ""))
        waiting = self.answers[(request.method, raw)]
        if not waiting:
            return JSONResponse({"message": "Not Found"}, 404)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@asynccontextmanager
async def serving(peer: Peer) -> AsyncIterator[Peer]:
    methods = ["GET", "POST", "PATCH", "DELETE", "PUT"]
    app = Starlette(routes=[Route("/{path:path}", peer.answer, methods=methods)])
    # An answer is dated by the test: one that has two dates is read with the first.
    config = uvicorn.Config(app, port=0, log_level="warning", lifespan="off", ws="none", date_header=False)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
        await asyncio.sleep(0.005)
    peer.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    yield peer
    server.should_exit = True
    await task
