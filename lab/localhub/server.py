"""The local GitHub over real HTTP: REST at /api/v3, GraphQL at /api/graphql, git, logs, and added pages."""

import asyncio
import contextlib
import hashlib
import json
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from lab.localhub import auth, git_http, graphql, oauth
from lab.localhub.bare import GitError
from lab.localhub.calls import Answer, Call
from lab.localhub.calls import Route as Operation
from lab.localhub.faults import FaultLayer, Faults, RecordedRequest
from lab.localhub.hub import Hub
from lab.localhub.rest import actions, apps, checks, git, issues, persons, pulls, repos, reviews
from lab.localhub.state import App, Refused, Repo, Token
from lab.localhub.webhooks import Webhooks

MODULES = (apps, persons, git, pulls, reviews, issues, checks, actions, repos)
VERSIONS = ("2022-11-28", "2026-03-10")
STOP_WITHIN = 2.0
DOCS = "https://docs.github.com/rest"
NO_AUTH_AT_STORAGE = b"<?xml version='1.0'?><Error><Code>AuthenticationFailed</Code></Error>"


@dataclass
class LocalHub:
    """A running local GitHub. `url` has no trailing slash; the REST API is at `api`."""

    hub: Hub
    url: str
    faults: Faults
    webhooks: Webhooks

    @property
    def api(self) -> str:
        """The base URL for API clients, with a trailing slash as githubkit requires."""
        return f"{self.url}/api/v3/"

    @property
    def log(self) -> list[RecordedRequest]:
        """All requests so far."""
        return self.faults.log


def create_app(hub: Hub, extra_routes: Sequence[BaseRoute] = (), faults: Faults | None = None) -> Starlette:
    """Returns the whole server as an ASGI application; `extra_routes` (pages) come after the API and git."""
    routes: list[BaseRoute] = [
        _rest(hub, operation) for table in (*(one.table for one in MODULES), repos.last) for operation in table.routes
    ]
    every = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    routes += [Route("/api/v3/{rest:path}", _unknown, methods=every)]
    routes += [Route(path, _graphql(hub), methods=["POST"]) for path in ("/api/graphql", "/graphql")]
    routes += [Route("/blobs/{name}", _blob(hub)), *git_http.routes(hub), *oauth.routes(hub), *extra_routes]
    layer = Middleware(FaultLayer, faults=faults or Faults())
    return Starlette(routes=routes, middleware=[layer])


@contextlib.asynccontextmanager
async def serve(
    hub: Hub, host: str = "127.0.0.1", port: int = 0, extra_routes: Sequence[BaseRoute] = ()
) -> AsyncIterator[LocalHub]:
    """Serves the hub inside the `async with` block. Logs have a separate port: another origin, as on GitHub."""
    sockets = [listen(host, port), listen(host, 0)]
    hub.url, hub.blob_url = (f"http://{host}:{sock.getsockname()[1]}" for sock in sockets)
    faults, webhooks = Faults(), Webhooks(hub)
    config = uvicorn.Config(
        create_app(hub, extra_routes, faults), log_config=None, access_log=False, lifespan="off", ws="none"
    )  # fmt: skip
    server = Quiet(config)
    running = asyncio.create_task(server.serve(sockets=sockets))
    while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
        await asyncio.sleep(0.005)
    webhooks.start()
    try:
        yield LocalHub(hub, hub.url, faults, webhooks)
    finally:
        await webhooks.stop()
        faults.closing.set()
        server.should_exit = True
        await running
        for sock in sockets:
            sock.close()


class Quiet(uvicorn.Server):
    """A server that leaves signals to the process, and stops at once, as tests start many."""

    def __init__(self, config: uvicorn.Config) -> None:
        self._ending = asyncio.Event()
        super().__init__(config)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield

    @property
    def should_exit(self) -> bool:
        """Whether the server should end; set by uvicorn and by the server's owner."""
        return self._ending.is_set()

    @should_exit.setter
    def should_exit(self, value: bool) -> None:
        (self._ending.set if value else self._ending.clear)()

    async def main_loop(self) -> None:
        """Waits for the end instead of polling ten times a second; meanwhile updates the date of responses."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), 1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Closes the sockets, gives open requests two seconds, and returns at once if there are none."""
        for server in self.servers:
            server.close()
        for sock in sockets or []:
            sock.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_WITHIN):
                while self.server_state.connections or self.server_state.tasks:
                    for connection in list(self.server_state.connections):
                        connection.shutdown()
                    await asyncio.sleep(0.005)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 picks a free one.

    Nagle's algorithm is switched off: asyncio only does that on sockets with an explicit protocol, and otherwise each
    response in two parts would wait 40 ms for the client's delayed ACK.
    """
    sock = socket.create_server((host, port), backlog=128)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited by every connection
    return sock


def _rest(hub: Hub, operation: Operation) -> Route:
    """Returns a REST operation as a route; it runs in a thread, one at a time."""

    async def endpoint(request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(_handle, hub, operation, request, body)

    return Route(f"/api/v3{operation.path}", endpoint, methods=[operation.method])


def _handle(hub: Hub, operation: Operation, request: Request, body: bytes) -> Response:
    with hub.lock:
        try:
            answer = operation.handler(_call(hub, operation, request, body))
        except Refused as no:
            answer = _refusal(no)
        except GitError as bad:
            answer = _refusal(Refused(422, str(bad)))
        return _respond(hub, request, answer)


def _call(hub: Hub, operation: Operation, request: Request, body: bytes) -> Call:
    """Checks credential, version, repository, permission and JSON, in this order, and returns the call."""
    if not request.headers.get("user-agent"):
        raise Refused(403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent.")
    header = request.headers.get("authorization")
    app: App | None = None
    token: Token | None = None
    repo: Repo | None = None
    if "jwt" in operation.needs:
        app = auth.app_of_jwt(hub, auth.credential(header) or "")
    elif "open" not in operation.needs:
        token = auth.token_of(hub, auth.credential(header))
        auth.installation_of(hub, token)
        if "owner" in request.path_params:
            repo = auth.repo_for(hub, token, f"{request.path_params['owner']}/{request.path_params['repo']}")
        if "token" not in operation.needs:
            auth.require(hub, token, repo, operation.needs)
    version = request.headers.get("x-github-api-version", VERSIONS[0])
    if version not in VERSIONS:
        raise Refused(400, f"The API version '{version}' is not supported.")
    path = request.url.path
    params, query = request.path_params, dict(request.query_params)
    return Call(hub, request.method, path, params, query, _json(body), dict(request.headers), token, app, repo)


def _json(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        parsed = json.loads(body)
    except ValueError as bad:
        raise Refused(400, "Problems parsing JSON") from bad
    if not isinstance(parsed, dict):
        raise Refused(400, "Body should be a JSON object")
    return parsed


def _refusal(refusal: Refused) -> Answer:
    body: dict[str, Any] = {"message": refusal.message, "documentation_url": DOCS, "status": str(refusal.status)}
    if refusal.errors is not None:
        body["errors"] = refusal.errors
    headers = {"X-Accepted-GitHub-Permissions": refusal.accepted} if refusal.accepted else {}
    return Answer(body, refusal.status, headers)


def _respond(hub: Hub, request: Request, answer: Answer) -> Response:
    """Returns the response with GitHub's headers, or a 304 if the client has it already."""
    version = request.headers.get("x-github-api-version", VERSIONS[0])
    raw = answer.body if isinstance(answer.body, bytes) else b""
    if answer.body is not None and not isinstance(answer.body, bytes):
        raw = json.dumps(_of_version(answer.body, version)).encode()
    tag = f'"{hashlib.sha256(raw).hexdigest()}"'
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "X-GitHub-Media-Type": "github.v3; format=json",
        "X-GitHub-Api-Version-Selected": version,
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "4999",
        "X-RateLimit-Used": "1",
        "X-RateLimit-Reset": str(int(hub.now().timestamp()) + 3600),
        "X-RateLimit-Resource": "core",
        "Vary": "Accept, Authorization",
        **answer.headers,
    }
    if request.method == "GET" and answer.status == 200:
        headers["ETag"] = tag
        if tag in request.headers.get("if-none-match", ""):
            return Response(b"", 304, headers)
    return Response(raw, answer.status, headers)


def _of_version(body: Any, version: str) -> Any:
    """Removes fields that version 2026-03-10 doesn't have: `assignee` and `merge_commit_sha` of pull requests,
    `rate`."""
    if version == VERSIONS[0]:
        return body
    if isinstance(body, list):
        return [_of_version(item, version) for item in body]
    if not isinstance(body, dict):
        return body
    removed = {"merge_commit_sha", "assignee"} if "merge_commit_sha" in body else set()
    removed |= {"rate"} if "resources" in body else set()
    return {key: _of_version(value, version) for key, value in body.items() if key not in removed}


async def _unknown(request: Request) -> Response:
    """Responds with a clear message that the local GitHub, not GitHub, lacks this operation."""
    message = f"Not Found: the local GitHub has no {request.method} {request.url.path}"
    body = {"message": message, "documentation_url": DOCS, "status": "404"}
    return Response(json.dumps(body), 404, media_type="application/json")


def _graphql(hub: Hub) -> Any:
    async def endpoint(request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(_run_graphql, hub, request, body)

    return endpoint


def _run_graphql(hub: Hub, request: Request, body: bytes) -> Response:
    with hub.lock:
        try:
            token = auth.token_of(hub, auth.credential(request.headers.get("authorization")))
            auth.installation_of(hub, token)
            asked = _json(body)
            answer = Answer(graphql.execute(hub, token, str(asked.get("query", "")), asked.get("variables") or {}))
        except Refused as no:
            answer = _refusal(no)
        return _respond(hub, request, answer)


def _blob(hub: Hub) -> Any:
    """Returns the endpoint of logs: links are valid for a minute, and credentials are refused, as by GitHub's
    storage."""

    async def endpoint(request: Request) -> Response:
        data, until = hub.links.get(request.path_params["name"], (b"", None))
        if request.headers.get("authorization") or until is None or until <= hub.now():
            return Response(NO_AUTH_AT_STORAGE, 403, media_type="application/xml")
        return Response(data, headers={"Content-Type": "text/plain; charset=utf-8"})

    return endpoint
