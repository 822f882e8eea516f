"""Authentication and authorization: App JWTs, installation tokens with their permissions, persons' tokens."""

import base64
import binascii
from functools import lru_cache
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization

from lab.localhub.apps import LEVELS
from lab.localhub.hub import Hub
from lab.localhub.state import App, Installation, Permission, Refused, Repo, Token

BAD = "Bad credentials"
NOT_YOURS = "Resource not accessible by integration"
MAX_JWT = 600
CLOCK_DRIFT = 60
ROLE_FOR: dict[str, Permission] = {"pull_requests": "read", "issues": "read", "reactions": "read"}
"""What a person must be to write these; everything else takes `write`."""


def credential(header: str | None) -> str | None:
    """Returns the token in an Authorization header: `token X`, `Bearer X`, or Basic with it as password; or None."""
    kind, _, value = (header or "").partition(" ")
    if kind.lower() in ("token", "bearer"):
        return value.strip()
    if kind.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return None


def app_of_jwt(hub: Hub, text: str) -> App:
    """Returns the App that signed a JWT. Raises Refused(401) as GitHub does."""
    try:
        claims: dict[str, Any] = jwt.decode(text, options={"verify_signature": False})
    except jwt.PyJWTError as bad:
        raise Refused(401, "A JSON web token could not be decoded") from bad
    issuer = str(claims.get("iss"))
    app = next((a for a in hub.apps.values() if issuer in (str(a.id), a.client_id)), None)
    if app is None:
        raise Refused(401, "Integration not found")
    try:
        jwt.decode(
            text, _public(app.private_key), algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False}
        )
    except jwt.PyJWTError as bad:
        raise Refused(401, "A JSON web token could not be decoded") from bad
    _refuse_times(claims, hub.signing_now().timestamp())
    return app


@lru_cache
def _public(private_key: str) -> Any:
    """Cached, because loading a key validates it, which takes longer than a request."""
    return serialization.load_pem_private_key(private_key.encode(), password=None).public_key()


def _refuse_times(claims: dict[str, Any], now: float) -> None:
    issued, expires = claims.get("iat"), claims.get("exp")
    if not isinstance(issued, int) or issued > now + CLOCK_DRIFT:
        message = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued."
        raise Refused(401, message)
    if not isinstance(expires, int) or expires <= now:
        message = "'Expiration time' claim ('exp') must be a numeric value representing the future time"
        raise Refused(401, f"{message} at which the assertion expires.")
    if expires > now + MAX_JWT + CLOCK_DRIFT:
        raise Refused(401, "'Expiration time' claim ('exp') is too far in the future.")


def token_of(hub: Hub, text: str | None) -> Token:
    """Returns the valid token with this value. Raises Refused(401)."""
    if text is None:
        raise Refused(401, "Requires authentication")
    token = hub.tokens.get(text)
    if token is None or token.revoked or (token.expires_at is not None and token.expires_at <= hub.now()):
        raise Refused(401, BAD)
    return token


def installation_of(hub: Hub, token: Token) -> Installation | None:
    """Returns the installation of a token; None for a person's token. Raises Refused(403) while it is suspended."""
    if token.installation_id is None:
        return None
    installation = hub.installations.get(token.installation_id)
    if installation is None:
        raise Refused(401, BAD)
    if installation.suspended_at is not None:
        raise Refused(403, "This installation has been suspended")
    return installation


def repo_for(hub: Hub, token: Token, full_name: str) -> Repo:
    """Returns the repository. Raises Refused(404) if the token has no access to it, as if it didn't exist."""
    repo = hub.repo(full_name)
    installation = installation_of(hub, token)
    if installation is None:
        reached = hub.may(repo, token.account.login, "read")
    else:
        covered = installation.repo_ids is None or repo.id in installation.repo_ids
        narrowed = token.repo_ids is None or repo.id in token.repo_ids
        reached = covered and narrowed and repo.owner.id == installation.account.id
    if not reached:
        raise Refused(404, "Not Found")
    return repo


def allows(hub: Hub, token: Token, repo: Repo | None, need: str) -> bool:
    """Whether a token has a permission like `contents:write` (on `repo`)."""
    name, _, level = need.partition(":")
    if token.installation_id is not None:
        installation = hub.installations[token.installation_id]
        granted = min(LEVELS[token.permissions.get(name, "none")], LEVELS[installation.permissions.get(name, "none")])
        return (LEVELS["read"] if name == "metadata" else granted) >= LEVELS[level]
    if repo is None or level == "read":
        return True
    if name == "checks":
        return False  # only Apps may write checks
    return hub.may(repo, token.account.login, ROLE_FOR.get(name, "write"))


def require(hub: Hub, token: Token, repo: Repo | None, needs: tuple[str, ...]) -> None:
    """Raises Refused(403) unless one of `needs` is granted; `a:write+b:write` means both."""
    for need in needs:
        if all(allows(hub, token, repo, part) for part in need.split("+")):
            return
    accepted = "; ".join(need.replace(":", "=").replace("+", ",") for need in needs)
    person = token.installation_id is None
    words = "You must authenticate via a GitHub App." if "checks:write" in needs else "Must have write access."
    raise Refused(403, words if person else NOT_YOURS, accepted=accepted)
