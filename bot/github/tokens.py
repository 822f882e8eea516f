"""Who Heal is at GitHub: the App's signed word, and installation tokens narrowed to one repository."""

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
RERUN = {"metadata": "read", "actions": "write"}  # apart: an installation that doesn't grant it works all the same
ASK_TEAMS = {"metadata": "read", "pull_requests": "write", "members": "read"}  # the same
_EARLY = 60.0  # seconds before its end that a token is no longer used


class App:
    """The App itself, speaking with its private key."""

    def __init__(self, transport: Transport, app_id: str, private_key: SecretStr, now: Callable[[], float]) -> None:
        self.transport = transport
        self._app_id = app_id
        self._key = private_key
        self._now = now
        self._slug: str | None = None
        self._signer: Any = None

    async def slug(self) -> str:
        """The App's slug; its comments are by `<slug>[bot]`. Asked once."""
        if self._slug is None:
            self._slug = str((await self.call("GET", "/app"))["slug"])
        return self._slug

    async def mint(self, installation_id: int, body: dict[str, Any]) -> tuple[SecretStr, float]:
        """A new installation token and when it ends (Unix seconds). Raises Refused."""
        made = await self.call("POST", f"/app/installations/{installation_id}/access_tokens", json=body)
        ends = datetime.fromisoformat(str(made["expires_at"]).replace("Z", "+00:00"))
        return SecretStr(str(made["token"])), ends.timestamp()

    async def call(self, method: str, url: str, **options: Any) -> Any:
        """A request with the App's signed word. Raises Refused."""
        answer = await self.transport.send(method, url, f"Bearer {self._signed()}", **options)
        if answer.is_error:
            raise refused(answer)
        return answer.json() if answer.content else None

    async def pages(self, url: str) -> AsyncIterator[Any]:
        """The items of a list of the App's, page after page by the Link header. Raises Refused."""
        params: dict[str, Any] | None = {"per_page": 100}
        following: str | None = url
        asked: set[str] = set()
        while following is not None and following not in asked:
            asked.add(following)
            answer = await self.transport.send("GET", following, f"Bearer {self._signed()}", params=params)
            if answer.is_error:
                raise refused(answer)
            for item in answer.json():
                yield item
            following, params = next_page(answer, self.transport.base_url), None

    def _signed(self) -> str:
        """A JWT for GitHub: a minute back against clock drift, nine ahead (ten is the most it takes)."""
        import jwt
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        if self._signer is None:  # its numbers were checked where it was read, which takes longer than a request
            pem = self._key.get_secret_value().encode()
            self._signer = load_pem_private_key(pem, password=None, unsafe_skip_rsa_key_validation=True)
        at = int(self._now())
        claims = {"iat": at - 60, "exp": at + 540, "iss": self._app_id}
        return jwt.encode(claims, self._signer, algorithm="RS256")


class RepoToken:
    """An installation token for one repository, minted when needed, kept until a minute before it ends. Minting our
    own, instead of letting githubkit do it, keeps addresses that end in `/installation` on this token."""

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
        """The token; one at a time is minted however many ask. Raises Refused."""
        async with self._minting:
            if self._token is None or self._now() > self._ends - _EARLY:
                self._token, self._ends = await self._app.mint(self._installation_id, self._body)
            return self._token

    def drop(self, used: SecretStr) -> None:
        """Forgets a token that GitHub refused (revoked or ended early), unless there is a newer one already."""
        if self._token == used:
            self._token = None
