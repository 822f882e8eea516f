"""What is asked of GitHub for a person: their token, who they are, and which repositories of the App they see."""

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
MOST_PAGES = 100  # of one list: ten thousand repositories
AT_ONCE = 4
WHOLE_TOKEN = 8 * 3600.0  # a token that doesn't say when it ends is used for as long as those that do


class PersonToken(Frozen):
    """A person's token, good for `seconds`."""

    token: SecretStr
    seconds: float


class Person(Frozen):
    """Who signed in."""

    id: int
    login: str


class SeenInstallation(Frozen):
    """An installation of the App that the person sees, with what it grants."""

    id: int
    account: str
    permissions: dict[str, str]
    url: str


class Seen(Frozen):
    """All that the person sees: repositories by id with their name now, and the installations they belong to. `at`:
    when GitHub was asked (Unix, seconds)."""

    at: float
    repos: dict[int, str]
    owners: dict[int, int]  # repository id → installation id
    writes: frozenset[int]  # ids of the repositories that they may push to
    installations: tuple[SeenInstallation, ...]

    def id_of(self, full_name: str) -> int | None:
        """The repository of this name, whatever its case."""
        wanted = full_name.lower()
        return next((number for number, name in self.repos.items() if name.lower() == wanted), None)


class PersonsGitHub:
    """GitHub as a person who signs in meets it, through the App."""

    def __init__(self, settings: Settings, callback: str, now: Callable[[], float]) -> None:
        """`callback`: where GitHub sends the browser back to."""
        self._settings, self._callback, self._now = settings, callback, now

    def address(self, state: str, challenge: str) -> str:
        """Where the browser goes to be asked for consent."""
        asked = {
            "client_id": self._settings.client_id,
            "redirect_uri": self._callback,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._settings.git_url}/login/oauth/authorize?{urlencode(asked)}"

    async def grant(self, code: str, verifier: str) -> PersonToken:
        """The token for a code that GitHub sent the browser back with. Raises Refused."""
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
        """Whose token it is. Raises Refused."""
        async with self._transport() as transport:
            payload = await _get(transport, token, "/user")
        return Person(id=int(payload["id"]), login=str(payload["login"]))

    async def seen(self, token: SecretStr) -> Seen:
        """What GitHub lets this person see of the App's repositories. Raises Refused."""
        at = self._now()
        async with self._transport() as transport:
            payload = await _pages(transport, token, "/user/installations", "installations")
            mine = [one for one in payload if str(one.get("app_id")) == self._settings.app_id]
            gate = asyncio.Semaphore(AT_ONCE)

            async def repos_of(number: int) -> list[dict[str, Any]]:
                async with gate:
                    return await _pages(transport, token, f"/user/installations/{number}/repositories", "repositories")

            lists = await asyncio.gather(*(repos_of(int(one["id"])) for one in mine))
        repos = {int(repo["id"]): str(repo["full_name"]) for listed in lists for repo in listed}
        owners = {int(repo["id"]): int(one["id"]) for one, listed in zip(mine, lists, strict=True) for repo in listed}
        writes = frozenset(int(repo["id"]) for listed in lists for repo in listed if _may_push(repo))
        return Seen(at=at, repos=repos, owners=owners, writes=writes, installations=tuple(map(_installation, mine)))

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
    found: list[dict[str, Any]] = []
    for page in range(1, MOST_PAGES + 1):
        payload = await _get(transport, token, path, params={"per_page": PER_PAGE, "page": page})
        found += payload[key]
        if len(payload[key]) < PER_PAGE:
            break
    return found


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
