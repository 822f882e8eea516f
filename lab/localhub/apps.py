"""GitHub Apps: registering, installing, suspending, and their restricted, expiring tokens."""

import base64
import json
import secrets
from collections.abc import Iterable
from datetime import timedelta

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from lab.localhub.hub import Hub
from lab.localhub.state import Account, App, Installation, Refused, Repo, Token

PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "pull_requests": "write",
    "checks": "write",
    "actions": "read",
    "issues": "read",
    "statuses": "read",
}
EVENTS = [
    "check_run", "check_suite", "workflow_run", "workflow_job", "pull_request", "issue_comment", "pull_request_review",
    "pull_request_review_comment", "pull_request_review_thread", "push", "status",
    "merge_group",
]  # fmt: skip
LEVELS = {"none": 0, "read": 1, "write": 2, "admin": 3}
TOKEN_LIFE = timedelta(hours=1)


def register(
    hub: Hub,
    slug: str = "heal",
    owner: str = "octo",
    webhook_url: str | None = None,
    permissions: dict[str, str] | None = None,
    events: list[str] | None = None,
    private_key: str | None = None,
) -> App:
    """Registers an App with a fresh webhook secret and (unless one is given) a fresh key."""
    with hub.lock:
        pem = private_key or new_key()
        number = hub.next_id()
        app = App(
            number, slug, slug.title(), f"Iv23li{secrets.token_hex(7)}", hub.person(owner),
            hub.person(f"{slug}[bot]", kind="Bot"), pem, secrets.token_hex(20), webhook_url,
            dict(permissions or PERMISSIONS), list(events or EVENTS), hub.now(), secrets.token_hex(20),
        )  # fmt: skip
        hub.apps[number] = app
        return app


def new_key() -> str:
    """Returns a new private key in GitHub's format: PKCS#1 PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form, plain = serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, plain).decode()


def install(
    hub: Hub,
    app: App,
    account: str,
    repos: Iterable[Repo] | None = None,
    permissions: dict[str, str] | None = None,
) -> Installation:
    """Installs an App on an account; `repos` None means all its repositories, including later ones."""
    with hub.lock:
        installation = Installation(
            hub.next_id(), app.id, hub.person(account), dict(permissions or app.permissions), list(app.events),
            None if repos is None else {repo.id for repo in repos}, hub.now(),
        )  # fmt: skip
        hub.installations[installation.id] = installation
        hub.publish("installation", "created", None, installation.account, installation=installation)
        return installation


def uninstall(hub: Hub, installation: Installation) -> None:
    """Removes an installation; its tokens are revoked at once."""
    with hub.lock:
        hub.publish("installation", "deleted", None, installation.account, installation=installation)
        del hub.installations[installation.id]
        revoke_tokens(hub, installation)


def suspend(hub: Hub, installation: Installation, suspended: bool = True) -> None:
    """Suspends or unsuspends an installation."""
    with hub.lock:
        installation.suspended_at = hub.now() if suspended else None
        action = "suspend" if suspended else "unsuspend"
        hub.publish("installation", action, None, installation.account, installation=installation)


def revoke_tokens(hub: Hub, installation: Installation) -> None:
    """Revokes all tokens of an installation."""
    for token in hub.tokens.values():
        if token.installation_id == installation.id:
            token.revoked = True


def repos_of(hub: Hub, installation: Installation) -> list[Repo]:
    """Returns the repositories of an installation."""
    mine = [r for r in hub.repos.values() if r.owner.id == installation.account.id and not r.deleted]
    return [repo for repo in mine if installation.repo_ids is None or repo.id in installation.repo_ids]


def mint(
    hub: Hub,
    installation: Installation,
    permissions: dict[str, str] | None = None,
    repo_ids: set[int] | None = None,
) -> Token:
    """Creates an installation token, valid for an hour of the hub's clock. Raises Refused(422) if more is requested
    than was granted."""
    with hub.lock:
        if installation.suspended_at is not None:
            raise Refused(403, "This installation has been suspended")
        for name, level in (permissions or {}).items():
            if LEVELS.get(level, 9) > LEVELS[installation.permissions.get(name, "none")]:
                raise Refused(422, "The permissions requested are not granted to this installation.")
        covered = {repo.id for repo in repos_of(hub, installation)}
        if repo_ids is not None and not repo_ids <= covered:
            message = (
                "There is at least one repository that does not exist or is not accessible to the parent installation."
            )
            raise Refused(422, message)
        expires = (hub.now() + TOKEN_LIFE).replace(microsecond=0)
        granted = dict(permissions) if permissions else dict(installation.permissions)
        granted.setdefault("metadata", "read")
        app = hub.apps[installation.app_id]
        value = f"ghs_{app.id}_{_opaque(installation, int(expires.timestamp()))}"
        token = Token(value, app.bot, expires, installation.id, granted, repo_ids)
        hub.tokens[value] = token
        return token


def person_token(hub: Hub, login: str) -> Token:
    """Creates a token with all permissions of the person; it never expires."""
    with hub.lock:
        account: Account = hub.person(login)
        token = Token(f"ghp_{secrets.token_hex(18)}", account)
        hub.tokens[token.value] = token
        return token


def _opaque(installation: Installation, expires: int) -> str:
    """Returns a token shaped like GitHub's current ones (a JWT of about 520 characters, with dots), with fake
    contents."""
    header = _part(json.dumps({"alg": "RS256", "typ": "JWT"}).encode())
    claims = _part(json.dumps({"sub": installation.id, "exp": expires, "jti": secrets.token_hex(16)}).encode())
    return f"{header}.{claims}.{_part(secrets.token_bytes(256))}"


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
