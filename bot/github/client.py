"""Calls about one repository with one token: what may be retried is, what may not is reported (`Unsure`)."""

import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from bot.github.etags import EtagCache, Etags, address_of
from bot.github.names import segment
from bot.github.paging import next_page
from bot.github.tokens import RepoToken
from bot.github.transport import Transport, Unsure, is_limit, refused
from handlers.model import Refused

if TYPE_CHECKING:
    import httpx

_NOT_GRANTED = 422  # of a token that asks for more than the installation grants
_PAUSES = (1.0, 4.0)  # seconds before the second and the third try of something that may be repeated
_REDIRECTS = (301, 307, 308)  # 302 leads to a file somewhere else, which is not for our token
_HOPS = 3
# GraphQL says 200 whatever happened, and with these words that it doesn't know itself how far it came.
_BROKE = re.compile(r"something went wrong|timed? ?out", re.IGNORECASE)


class RepoClient:
    """Paths are relative to the repository: `/pulls/7`."""

    def __init__(self, transport: Transport, token: RepoToken, full_name: str, etags: Etags | None = None) -> None:
        owner, _, name = full_name.partition("/")
        self.owner = owner
        self.full_name = full_name
        self.transport = transport
        self._token = token
        self._etags = etags or Etags(EtagCache(), full_name)
        self._root = f"/repos/{segment(owner)}/{segment(name)}"

    async def authorize(self) -> None:
        """Gets the token, if there is none yet. Raises Refused, with 422 where GitHub does not grant what it is for."""
        await self._token.get()

    async def granted(self) -> bool:
        """Whether the installation grants what this client's token is for: GitHub makes no token for more. Raises
        Refused for anything else."""
        try:
            await self.authorize()
        except Refused as refusal:
            if refusal.status != _NOT_GRANTED:
                raise
            return False
        return True

    async def get(self, url: str, **params: Any) -> Any:
        """The JSON of a GET; None where there is no such thing. Raises Refused."""
        answer = await self.ask(url, **params)
        return None if answer is None else answer.json()

    async def ask(self, url: str, **params: Any) -> "httpx.Response | None":
        """The answer to a GET; None for 404. Redirects inside the API are followed (a renamed repository)."""
        answer = await self._read(self._root + url, params)
        for _ in range(_HOPS):
            moved = self._moved_to(answer)
            if moved is None:
                break
            answer = await self._read(moved)
        if answer.status_code == 404:
            return None
        if answer.is_error:
            raise refused(answer)
        return answer

    async def pages(self, url: str, key: str | None = None, most: int = 3000, **params: Any) -> AsyncIterator[Any]:
        """The items of a list, page after page by the Link header, at most `most`; `key` where they are wrapped."""
        left = most
        asked: set[str] = set()
        answer = await self.ask(url, per_page=min(100, most), **params)
        while answer is not None:
            body = answer.json()
            for item in (body[key] if key else body)[:left]:
                yield item
                left -= 1
            following = next_page(answer, self.transport.base_url)
            if left <= 0 or following is None or following in asked:
                return
            asked.add(following)
            answer = await self._page(following)

    async def _read(self, url: str, params: dict[str, Any] | None = None) -> "httpx.Response":
        """A GET; where GitHub gave the same before and it hasn't changed, what it gave."""
        address = address_of(url, params)
        kept = self._etags.kept(address)
        headers = {} if kept is None else {"If-None-Match": kept.headers["etag"]}
        answer = await self.again("GET", url, params=params or None, headers=headers)
        return self._etags.settled(address, answer, kept)

    async def _page(self, url: str) -> "httpx.Response":
        answer = await self._read(url)
        if answer.is_error:
            raise refused(answer)
        return answer

    async def write(self, method: str, url: str, body: dict[str, Any], repeatable: bool = False) -> Any:
        """The JSON of a write's answer. One that is not `repeatable` is sent once: Unsure says that it may have been
        performed. What a renamed repository sends elsewhere was not performed yet. Raises Refused."""
        send = self.again if repeatable else self.once
        answer = await send(method, self._root + url, json=body or None)
        for _ in range(_HOPS):
            moved = self._moved_to(answer)
            if moved is None:
                break
            answer = await send(method, moved, json=body or None)
        if not answer.is_success:
            raise refused(answer)
        return answer.json() if answer.content else None

    async def graphql(self, query: str, variables: dict[str, Any], repeatable: bool = False) -> dict[str, Any]:
        """The `data` of a GraphQL answer; sent once unless it is `repeatable`. Raises Refused with GitHub's words (422)
        and Unsure."""
        body = {"query": query, "variables": variables}
        send = self.again if repeatable else self.once
        answer = await send("POST", self.transport.graphql_url, json=body)
        if answer.is_error:
            raise refused(answer)
        answered = answer.json()
        if answered.get("errors"):
            raise await self._graphql_refused(answer, answered["errors"])
        data: dict[str, Any] = answered["data"]
        return data

    async def _graphql_refused(self, answer: "httpx.Response", errors: list[dict[str, Any]]) -> Refused:
        text = "; ".join(str(error.get("message", error)) for error in errors)[:1000]
        if is_limit(text) or any(error.get("type") == "RATE_LIMITED" for error in errors):
            return await self.transport.limited(answer, text)
        return Unsure(502, text) if _BROKE.search(text) else Refused(422, text)

    async def again(self, method: str, url: str, **options: Any) -> "httpx.Response":
        """Tries up to three times where no answer came or a 5xx; for requests that change nothing when repeated. So are
        writes to what GitHub says is not there: it was read or made a moment ago, and GitHub's copies can lag."""
        for pause in (*_PAUSES, None):
            try:
                answer = await self.once(method, url, **options)
            except Unsure:
                if pause is None:
                    raise
            else:
                late = answer.status_code == 404 and method in ("PATCH", "POST")
                if pause is None or not (late or answer.status_code >= 500):
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

    def _moved_to(self, answer: "httpx.Response") -> str | None:
        """Where a redirect leads inside the API."""
        if answer.status_code not in _REDIRECTS:
            return None
        return self._inside(answer, answer.headers.get("location", ""))

    def _inside(self, answer: "httpx.Response", named: str) -> str | None:
        """An address that GitHub named in an answer, where it is inside the API: the token goes nowhere else."""
        whole = urljoin(str(answer.url), named) if named else ""
        return whole if whole.startswith(f"{self.transport.base_url}/") else None
