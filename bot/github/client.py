"""Calls about one repository with one token: what may be retried is, what may not is told (`Unsure`)."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from bot.github.etags import Etags, address_of
from bot.github.names import segment
from bot.github.tokens import RepoToken
from bot.github.transport import Transport, Unsure, refused
from handlers.ports import Refused

if TYPE_CHECKING:
    import httpx

_PAUSES = (1.0, 4.0)  # seconds before the second and the third try of something that may be repeated
_REDIRECTS = (301, 307, 308)  # 302 leads to a file somewhere else, which is not for our token


class RepoClient:
    """Paths are relative to the repository: `/pulls/7`."""

    def __init__(self, transport: Transport, token: RepoToken, full_name: str, etags: Etags | None = None) -> None:
        owner, _, name = full_name.partition("/")
        self.owner = owner
        self.full_name = full_name
        self.transport = transport
        self._token = token
        self._etags = etags or Etags()
        self._root = f"/repos/{segment(owner)}/{segment(name)}"

    async def authorize(self) -> None:
        """Gets the token, if there is none yet. Raises Refused, with 422 where GitHub does not grant what it is for."""
        await self._token.get()

    async def get(self, url: str, **params: Any) -> Any:
        """The JSON of a GET; None where there is no such thing. Raises Refused."""
        answer = await self.ask(url, **params)
        return None if answer is None else answer.json()

    async def ask(self, url: str, **params: Any) -> "httpx.Response | None":
        """The answer to a GET; None for 404. Redirects inside the API are followed (a renamed repository)."""
        answer = await self._read(self._root + url, params)
        for _ in range(3):
            if answer.status_code not in _REDIRECTS or not self._ours(answer.headers.get("location", "")):
                break
            answer = await self._read(answer.headers["location"])
        if answer.status_code == 404:
            return None
        if answer.is_error:
            raise refused(answer)
        return answer

    async def pages(self, url: str, key: str | None = None, most: int = 3000, **params: Any) -> AsyncIterator[Any]:
        """The items of a list, page after page by the Link header, at most `most`; `key` where they are wrapped."""
        left = most
        answer = await self.ask(url, per_page=min(100, most), **params)
        while answer is not None:
            body = answer.json()
            for item in (body[key] if key else body)[:left]:
                yield item
                left -= 1
            following = answer.links.get("next", {}).get("url", "")
            if left <= 0 or not self._ours(following):
                return
            answer = await self._page(following)

    async def _read(self, url: str, params: dict[str, Any] | None = None) -> "httpx.Response":
        """A GET; where GitHub gave the same before and it hasn't changed, what it gave."""
        address = address_of(url, params)
        answer = await self.again("GET", url, params=params or None, headers=self._etags.headers(address))
        return self._etags.settled(address, answer)

    async def _page(self, url: str) -> "httpx.Response":
        answer = await self._read(url)
        if answer.is_error:
            raise refused(answer)
        return answer

    async def write(self, method: str, url: str, body: dict[str, Any], repeatable: bool = False) -> Any:
        """The JSON of a write's answer. One that is not `repeatable` is sent once: Unsure says that it may have been
        performed. Raises Refused."""
        send = self.again if repeatable else self.once
        answer = await send(method, self._root + url, json=body or None)
        if answer.is_error:
            raise refused(answer)
        return answer.json() if answer.content else None

    async def graphql(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        """The `data` of a GraphQL answer; sent once. Raises Refused with GitHub's words (422) and Unsure."""
        body = {"query": query, "variables": variables}
        answer = await self.once("POST", self.transport.graphql_url, json=body)
        if answer.is_error:
            raise refused(answer)
        told = answer.json()
        if told.get("errors"):
            raise Refused(422, "; ".join(str(error.get("message", error)) for error in told["errors"])[:1000])
        data: dict[str, Any] = told["data"]
        return data

    async def again(self, method: str, url: str, **options: Any) -> "httpx.Response":
        """Tries up to three times where no answer came or a 5xx; for requests that change nothing when repeated."""
        for pause in (*_PAUSES, None):
            try:
                answer = await self.once(method, url, **options)
            except Unsure:
                if pause is None:
                    raise
            else:
                if answer.status_code < 500 or pause is None:
                    return answer
            await self.transport.sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def once(self, method: str, url: str, **options: Any) -> "httpx.Response":
        """One try; a token that ended or was revoked is replaced once (a 401 has performed nothing)."""
        token = await self._token.get()
        answer = await self.transport.send(method, url, f"token {token.get_secret_value()}", **options)
        if answer.status_code == 401:
            self._token.drop(token)
            token = await self._token.get()
            answer = await self.transport.send(method, url, f"token {token.get_secret_value()}", **options)
        return answer

    def _ours(self, url: str) -> bool:
        """Whether an address that GitHub named is inside the API: the token goes nowhere else."""
        return url.startswith(f"{self.transport.base_url}/")
