"""Requests to GitHub for a user: their token, identity, and which of the App's repositories they may see."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from pydantic import SecretStr

from bot.settings import Settings
from handlers.model import Refused
from healing.model import Frozen

if TYPE_CHECKING:
    from bot.github.transport import Transport

PER_PAGE = 100
MAX_PAGES = 100  # per list: ten thousand repositories
AT_ONCE = 4
WHOLE_TOKEN = 8 * 3600.0  # lifetime of a token without a stated expiry: the usual one


class PersonToken(Frozen):
    """A user's token, valid for `seconds`."""

    token: SecretStr
    seconds: float


class Person(Frozen):
    """A user who signed in."""

    id: int
    login: str


class SeenInstallation(Frozen):
    """An installation of the App that the user may see, with its permissions."""

    id: int
    account: str
    permissions: dict[str, str]
    url: str


class VisibleRepos(Frozen):
    """All that the user may see: repositories by id with their current names, and their installations. `at`: the time
    of the request to GitHub (Unix, seconds)."""

    at: float
    repos: dict[int, str]
    owners: dict[int, int]  # repository id → installation id
    writes: frozenset[int]  # ids of the repositories to which the user may push
    installations: tuple[SeenInstallation, ...]

    def id_of(self, full_name: str) -> int | None:
        """Returns the id of the repository with this name, ignoring case, or None."""
        wanted = full_name.lower()
        return next((number for number, name in self.repos.items() if name.lower() == wanted), None)


class PersonsGitHub:
    """GitHub's API on behalf of a user, with the App's OAuth credentials."""

    def __init__(self, settings: Settings, callback: str, now: Callable[[], float]) -> None:
        """`callback`: the URL to which GitHub redirects the browser back."""
        self._settings, self._callback, self._now = settings, callback, now

    def address(self, state: str, challenge: str) -> str:
        """Returns the URL at which GitHub asks for the user's consent."""
        asked = {
            "client_id": self._settings.client_id,
            "redirect_uri": self._callback,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._settings.git_url}/login/oauth/authorize?{urlencode(asked)}"

    async def grant(self, code: str, verifier: str) -> PersonToken:
        """Exchanges the code of GitHub's redirect for a token. Raises Refused."""
        body = {
            "client_id": self._settings.client_id,
            "client_secret": self._settings.client_secret.get_secret_value(),
            "code": code,
            "redirect_uri": self._callback,
            "code_verifier": verifier,
        }
        url = f"{self._settings.git_url}/login/oauth/access_token"
        async with self._transport() as transport:
            answer = await transport.send("POST", url, None, json=body, headers={"Accept": "application/json"})
        payload = _object(answer)
        if answer.is_error or not isinstance(payload.get("access_token"), str):
            raise Refused(403, str(payload.get("error_description") or payload.get("error") or "GitHub gave no token"))
        seconds = payload.get("expires_in")
        return PersonToken(
            token=SecretStr(payload["access_token"]),
            seconds=float(seconds) if isinstance(seconds, int) and seconds > 0 else WHOLE_TOKEN,
        )

    async def person(self, token: SecretStr) -> Person:
        """Returns the user of the token. Raises Refused."""
        async with self._transport() as transport:
            payload = await _get(transport, token, "/user")
        return Person(id=int(payload["id"]), login=str(payload["login"]))

    async def visible_repos(self, token: SecretStr) -> VisibleRepos:
        """Returns which of the App's repositories GitHub lets this user see. Raises Refused."""
        at = self._now()
        async with self._transport() as transport:
            payload = await _pages(transport, token, "/user/installations", "installations")
            own = [item for item in payload if str(item.get("app_id")) == self._settings.app_id]
            gate = asyncio.Semaphore(AT_ONCE)

            async def repos_of(number: int) -> list[dict[str, Any]]:
                async with gate:
                    return await _pages(transport, token, f"/user/installations/{number}/repositories", "repositories")

            lists = await asyncio.gather(*(repos_of(int(item["id"])) for item in own))
        repos = {int(repo["id"]): str(repo["full_name"]) for listed in lists for repo in listed}
        owners = {int(repo["id"]): int(item["id"]) for item, listed in zip(own, lists, strict=True) for repo in listed}
        writes = frozenset(int(repo["id"]) for listed in lists for repo in listed if _may_push(repo))
        return VisibleRepos(
            at=at, repos=repos, owners=owners, writes=writes, installations=tuple(map(_installation, own))
        )

    def _transport(self) -> "Transport":
        from bot.github.pace import Pace
        from bot.github.transport import Transport

        return Transport(self._settings.github_url, Pace(self._now, asyncio.sleep))


def _may_push(repo: dict[str, Any]) -> bool:
    return bool((repo.get("permissions") or {}).get("push"))


def _installation(payload: dict[str, Any]) -> SeenInstallation:
    granted = payload.get("permissions") or {}
    return SeenInstallation(
        id=int(payload["id"]),
        account=str((payload.get("account") or {}).get("login", "")),
        permissions={str(name): str(level) for name, level in granted.items()},
        url=str(payload.get("html_url", "")),
    )


async def _pages(transport: "Transport", token: SecretStr, path: str, key: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for page in range(1, MAX_PAGES + 1):
        payload = await _get(transport, token, path, params={"per_page": PER_PAGE, "page": page})
        items += payload[key]
        if len(payload[key]) < PER_PAGE:
            break
    return items


async def _get(transport: "Transport", token: SecretStr, path: str, **options: Any) -> dict[str, Any]:
    from bot.github.transport import refused

    answer = await transport.send("GET", path, f"Bearer {token.get_secret_value()}", **options)
    if answer.is_error:
        raise refused(answer)
    return _object(answer)


def _object(answer: Any) -> dict[str, Any]:
    try:
        payload = answer.json()
    except ValueError:
        payload = None
    return payload if isinstance(payload, dict) else {}
