"""OAuth for Apps: a person's consent, one-time codes with PKCE, and user access tokens."""

import base64
import hashlib
import secrets
from collections.abc import Mapping
from datetime import timedelta
from hmac import compare_digest
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lab.localhub import apps
from lab.localhub.hub import Hub
from lab.localhub.state import App, Code, Installation, Refused, Repo, Token

CODE_LIFE = timedelta(minutes=10)
TOKEN_LIFE = timedelta(hours=8)
BAD_CODE = "The code passed is incorrect or expired."


def app_of(hub: Hub, client_id: str) -> App:
    """Returns the App with this client id. Raises Refused(404)."""
    found = next((app for app in hub.apps.values() if app.client_id == client_id), None)
    if found is None:
        raise Refused(404, "Not Found")
    return found


def redirect_of(app: App, asked: str) -> str:
    """Returns the redirect URL, which must be one of the App's callback URLs or below one. Raises Refused(422)."""
    for own in app.callback_urls:
        if not asked or asked == own or asked.startswith(own.rstrip("/") + "/"):
            return asked or own
    raise Refused(422, "The redirect_uri is not associated with this application.")


def consent(hub: Hub, login: str, app: App, redirect: str, challenge: str) -> str:
    """Records the consent and returns the code for the redirect."""
    with hub.lock:
        value = secrets.token_hex(10)
        hub.codes[value] = Code(app.id, login, redirect_of(app, redirect), challenge, hub.now() + CODE_LIFE)
        return value


def exchange(hub: Hub, fields: Mapping[str, str]) -> Token:
    """Exchanges a code, with the App's secret and the verifier, for a token. Raises Refused(200) with GitHub's
    error."""
    with hub.lock:
        app = next((one for one in hub.apps.values() if one.client_id == fields.get("client_id")), None)
        given = fields.get("client_secret", "")
        if app is None or not compare_digest(given.encode(), app.client_secret.encode()):
            raise Refused(
                200, "The client_id and/or client_secret passed are incorrect.", ["incorrect_client_credentials"]
            )
        code = hub.codes.pop(fields.get("code", ""), None)
        if code is None or code.app_id != app.id or code.until <= hub.now():
            raise Refused(200, BAD_CODE, ["bad_verification_code"])
        if fields.get("redirect_uri") not in (None, code.redirect):
            raise Refused(200, "The redirect_uri MUST match the registered callback URL.", ["redirect_uri_mismatch"])
        if code.challenge and _challenge(fields.get("code_verifier", "")) != code.challenge:
            raise Refused(200, BAD_CODE, ["bad_verification_code"])
        token = Token(f"ghu_{secrets.token_hex(18)}", hub.person(code.login), hub.now() + TOKEN_LIFE, app_id=app.id)
        hub.tokens[token.value] = token
        return token


def installations_of(hub: Hub, token: Token) -> list[Installation]:
    """Returns the installations of the token's App with repositories to which the person has explicit access."""
    mine = [one for one in hub.installations.values() if one.app_id == token.app_id]
    return [one for one in mine if repos_of(hub, token, one)]


def repos_of(hub: Hub, token: Token, installation: Installation) -> list[Repo]:
    """Returns the repositories with explicit access of the person; public ones alone don't count, as on GitHub."""
    login = token.account.login
    covered = apps.repos_of(hub, installation)
    return [repo for repo in covered if login == repo.owner.login or repo.collaborators.get(login, "none") != "none"]


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def routes(hub: Hub) -> list[Route]:
    """Returns the routes at which Apps exchange codes."""

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(_answer, hub, await _fields(request))

    return [Route("/login/oauth/access_token", endpoint, methods=["POST"])]


def _answer(hub: Hub, fields: Mapping[str, str]) -> Response:
    try:
        token = exchange(hub, fields)
    except Refused as no:
        return JSONResponse({"error": (no.errors or ["error"])[0], "error_description": no.message})
    seconds = int(TOKEN_LIFE.total_seconds())
    payload = {"access_token": token.value, "token_type": "bearer", "scope": "", "expires_in": seconds}
    return JSONResponse(
        payload | {"refresh_token": f"ghr_{secrets.token_hex(36)}", "refresh_token_expires_in": 15_811_200}
    )


async def _fields(request: Request) -> dict[str, str]:
    """Returns the fields of a JSON or form body."""
    if "json" in request.headers.get("content-type", ""):
        payload = await request.json()
        return {str(key): str(value) for key, value in payload.items()} if isinstance(payload, dict) else {}
    return {key: values[0] for key, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}
