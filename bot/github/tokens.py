"""Authentication at GitHub: the App's JWT, and installation tokens restricted to one repository."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Any

from pydantic import SecretStr

from bot.github.paging import next_page
from bot.github.transport import Transport, refused

READ = {
    "metadata": "read",
    "contents": "read",
    "pull_requests": "read",
    "checks": "read",
    "actions": "read",
    "statuses": "read",
}
WRITE = {"metadata": "read", "contents": "write", "pull_requests": "write", "checks": "write"}
RERUN = {"metadata": "read", "actions": "write"}  # separate: Heal also works for an installation that doesn't grant it
ASK_TEAMS = {"metadata": "read", "pull_requests": "write", "members": "read"}  # separate for the same reason
_EARLY = 60.0  # seconds before its expiry from which a token is no longer used


class App:
    """The App itself, authenticated with its private key."""

    def __init__(self, transport: Transport, app_id: str, private_key: SecretStr, now: Callable[[], float]) -> None:
        self.transport = transport
        self._app_id = app_id
        self._key = private_key
        self._now = now
        self._slug: str | None = None
        self._signer: Any = None

    async def slug(self) -> str:
        """Returns the App's slug; its comments are by `<slug>[bot]`. Fetched once."""
        if self._slug is None:
            self._slug = str((await self.call("GET", "/app"))["slug"])
        return self._slug

    async def mint(self, installation_id: int, body: dict[str, Any]) -> tuple[SecretStr, float]:
        """Creates an installation token; returns it and its expiry (Unix seconds). Raises Refused."""
        answer = await self.call("POST", f"/app/installations/{installation_id}/access_tokens", json=body)
        ends = datetime.fromisoformat(str(answer["expires_at"]).replace("Z", "+00:00"))
        return SecretStr(str(answer["token"])), ends.timestamp()

    async def call(self, method: str, url: str, **options: Any) -> Any:
        """Sends a request with the App's JWT and returns the JSON of the response. Raises Refused."""
        answer = await self.transport.send(method, url, f"Bearer {self._signed()}", **options)
        if answer.is_error:
            raise refused(answer)
        return answer.json() if answer.content else None

    async def pages(self, url: str) -> AsyncIterator[Any]:
        """Yields the items of one of the App's lists, page by page along the Link header. Raises Refused."""
        params: dict[str, Any] | None = {"per_page": 100}
        next_url: str | None = url
        asked: set[str] = set()
        while next_url is not None and next_url not in asked:
            asked.add(next_url)
            answer = await self.transport.send("GET", next_url, f"Bearer {self._signed()}", params=params)
            if answer.is_error:
                raise refused(answer)
            for item in answer.json():
                yield item
            next_url, params = next_page(answer, self.transport.base_url), None

    def _signed(self) -> str:
        """A JWT for GitHub: issued a minute ago against clock drift, valid for nine more (GitHub allows ten)."""
        import jwt
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        if self._signer is None:  # the key was validated when it was read; doing so takes longer than a request
            pem = self._key.get_secret_value().encode()
            self._signer = load_pem_private_key(pem, password=None, unsafe_skip_rsa_key_validation=True)
        at = int(self._now())
        claims = {"iat": at - 60, "exp": at + 540, "iss": self._app_id}
        return jwt.encode(claims, self._signer, algorithm="RS256")


class RepoToken:
    """An installation token for one repository, created when needed and kept until a minute before it expires. It isn't
    left to githubkit, which would use the App's JWT for URLs that end in `/installation`."""

    def __init__(
        self, app: App, installation_id: int, repo_id: int, permissions: dict[str, str], now: Callable[[], float]
    ) -> None:
        self._app = app
        self._installation_id = installation_id
        self._body = {"repository_ids": [repo_id], "permissions": permissions}
        self._now = now
        self._minting = asyncio.Lock()
        self._token: SecretStr | None = None
        self._ends = 0.0

    async def get(self) -> SecretStr:
        """Returns the token; concurrent callers share one request for it. Raises Refused."""
        async with self._minting:
            if self._token is None or self._now() > self._ends - _EARLY:
                self._token, self._ends = await self._app.mint(self._installation_id, self._body)
            return self._token

    def drop(self, used: SecretStr) -> None:
        """Drops a token that GitHub refused (revoked or expired early), unless there is a newer one already."""
        if self._token == used:
            self._token = None
