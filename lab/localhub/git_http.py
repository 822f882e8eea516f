"""git over HTTP: clone, fetch and push through `git http-backend`, with tokens as passwords."""

import os
import subprocess

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from lab.localhub import auth, pushes
from lab.localhub.bare import scrubbed_env
from lab.localhub.hub import Hub
from lab.localhub.rules import refuses_commits
from lab.localhub.state import Account, Refused, Repo, Token

CHALLENGE = {"WWW-Authenticate": 'Basic realm="GitHub"'}
SERVICES = ("info/refs", "git-upload-pack", "git-receive-pack")


def routes(hub: Hub) -> list[BaseRoute]:
    """Returns git's routes, with and without `.git`."""

    async def endpoint(request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(_answer, hub, request, body)

    paths = [f"/{{owner}}/{{repo}}{suffix}/{service}" for suffix in (".git", "") for service in SERVICES]
    return [Route(path, endpoint, methods=["GET", "POST"]) for path in paths]


def _answer(hub: Hub, request: Request, body: bytes) -> Response:
    service = request.query_params.get("service") or request.url.path.rpartition("/")[2]
    writing = service == "git-receive-pack"
    full_name = f"{request.path_params['owner']}/{request.path_params['repo']}"
    try:
        repo, token = _admit(hub, request.headers.get("authorization"), full_name, writing)
    except Refused as no:
        headers = CHALLENGE if no.status == 401 else {}
        return PlainTextResponse(no.message + "\n", no.status, headers)
    if request.method == "POST" and writing:
        with hub.lock:
            return _receive(hub, repo, token, request, body)
    return _backend(hub, repo, token, request, body)


def _admit(hub: Hub, header: str | None, full_name: str, writing: bool) -> tuple[Repo, Token | None]:
    """Returns the repository and the token. Without a token only public repositories can be read."""
    if header is None:
        repo = hub.repo(full_name)
        if writing or repo.private:
            raise Refused(401, "Authentication required")
        return repo, None
    token = auth.token_of(hub, auth.credential(header))
    repo = auth.repo_for(hub, token, full_name)
    need = "contents:write" if writing else "contents:read"
    if not auth.allows(hub, token, repo, need):
        message = f"Permission to {repo.full_name}.git denied to {token.account.login}."
        raise Refused(403, message)
    return repo, token


def _receive(hub: Hub, repo: Repo, token: Token | None, request: Request, body: bytes) -> Response:
    """Handles a push; moved refs are found by comparing the refs before and after."""
    bare = hub.bare(repo)
    before = bare.refs()
    answer = _backend(hub, repo, token, request, body)
    after = bare.refs()
    moves = {ref: (before.get(ref), after.get(ref)) for ref in {**before, **after}}
    moved = {ref: pair for ref, pair in moves.items() if pair[0] != pair[1]}
    if moved and token:
        pushes.refs_moved(hub, repo, token.account, moved)
    return answer


def _backend(hub: Hub, repo: Repo, token: Token | None, request: Request, body: bytes) -> Response:
    """Runs git's own CGI program."""
    params = request.path_params
    name = request.url.path.removeprefix(f"/{params['owner']}/{params['repo']}").removeprefix(".git")
    account: Account | None = token.account if token else None
    env = scrubbed_env() | {
        "GIT_PROJECT_ROOT": str(repo.path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repo.path.name}{name}",
        "QUERY_STRING": request.url.query,
        "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
        "REMOTE_USER": account.login if account else "",
        "REMOTE_ADDR": "127.0.0.1",
        **_rules(hub, repo, token),
    }
    done = subprocess.run(["git", "http-backend"], cwd=repo.path, env=env, input=body, capture_output=True, check=False)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in os.fsdecode(head).split("\r\n") if ": " in line)
    status = int(fields.pop("Status", "200").split()[0])
    return Response(content, status if head else 500, fields)


def _rules(hub: Hub, repo: Repo, token: Token | None) -> dict[str, str]:
    """Returns the rules by which the repository's hook must refuse parts of this push."""
    if token is None:
        return {}
    admin = token.installation_id is None and hub.may(repo, token.account.login, "admin")
    protected = " ".join(
        f"refs/heads/{name}" for name in sorted({*repo.protected, *repo.rules}) if refuses_commits(repo, name)
    )
    bare_app = not auth.allows(hub, token, repo, "workflows:write")
    return {"HUB_PROTECTED": "" if admin else protected, "HUB_NO_WORKFLOWS": "1" if bare_app else ""}
