"""API requests about one repository with one token. Requests that may be repeated are retried; for others an unknown
result is raised as `Unsure`."""

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

_NOT_GRANTED = 422  # for a token with more permissions than the installation grants
_PAUSES = (1.0, 4.0)  # seconds before the second and third attempt of a request that may be repeated
_REDIRECTS = (301, 307, 308)  # not 302: it leads to a file on another host, which must not get our token
_HOPS = 3
# GraphQL errors come with status 200. These messages mean that GitHub doesn't know whether the request was performed.
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
        """Gets the token, if there is none yet. Raises Refused, with 422 if GitHub does not grant its permissions."""
        await self._token.get()

    async def granted(self) -> bool:
        """Whether the installation grants the permissions of this client's token: GitHub issues no token with more.
        Raises Refused for any other refusal."""
        try:
            await self.authorize()
        except Refused as refusal:
            if refusal.status != _NOT_GRANTED:
                raise
            return False
        return True

    async def get(self, url: str, **params: Any) -> Any:
        """Returns the JSON of a GET; None for 404. Raises Refused."""
        answer = await self.ask(url, **params)
        return None if answer is None else answer.json()

    async def ask(self, url: str, **params: Any) -> "httpx.Response | None":
        """Returns the response to a GET; None for 404. Redirects inside the API are followed (a renamed repository).
        Raises Refused."""
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
        """Yields the items of a list, page by page along the Link header, at most `most`. `key` names the list if the
        JSON wraps it in an object."""
        left = most
        asked: set[str] = set()
        answer = await self.ask(url, per_page=min(100, most), **params)
        while answer is not None:
            body = answer.json()
            for item in (body[key] if key else body)[:left]:
                yield item
                left -= 1
            next_url = next_page(answer, self.transport.base_url)
            if left <= 0 or next_url is None or next_url in asked:
                return
            asked.add(next_url)
            answer = await self._page(next_url)

    async def _read(self, url: str, params: dict[str, Any] | None = None) -> "httpx.Response":
        """Sends a GET with the ETag of an earlier response; returns that response if nothing has changed."""
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
        """Returns the JSON of a write's response. A write that is not `repeatable` is sent once; Unsure means that it
        may have been performed. A redirected write (of a renamed repository) was not performed, so it is sent to the
        new address. Raises Refused."""
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
        """Returns the `data` of a GraphQL response; sent once unless it is `repeatable`. Raises Refused (422) with
        GitHub's message, and Unsure."""
        body = {"query": query, "variables": variables}
        send = self.again if repeatable else self.once
        answer = await send("POST", self.transport.graphql_url, json=body)
        if answer.is_error:
            raise refused(answer)
        payload = answer.json()
        if payload.get("errors"):
            raise await self._graphql_refused(answer, payload["errors"])
        data: dict[str, Any] = payload["data"]
        return data

    async def _graphql_refused(self, answer: "httpx.Response", errors: list[dict[str, Any]]) -> Refused:
        text = "; ".join(str(error.get("message", error)) for error in errors)[:1000]
        if is_limit(text) or any(error.get("type") == "RATE_LIMITED" for error in errors):
            return await self.transport.limited(answer, text)
        return Unsure(502, text) if _BROKE.search(text) else Refused(422, text)

    async def again(self, method: str, url: str, **options: Any) -> "httpx.Response":
        """Sends a repeatable request up to three times if there is no response or a 5xx. A 404 for a PATCH or POST is
        retried too: its target was read or created a moment ago, and GitHub's replicas can lag."""
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
        """Sends a request once; after a 401, which has performed nothing, the token is replaced and it is sent
        again."""
        token = await self._token.get()
        answer = await self.transport.send(method, url, f"token {token.get_secret_value()}", **options)
        if answer.status_code == 401:
            self._token.drop(token)
            token = await self._token.get()
            answer = await self.transport.send(method, url, f"token {token.get_secret_value()}", **options)
        return answer

    def _moved_to(self, answer: "httpx.Response") -> str | None:
        """Returns the target of a redirect inside the API, or None."""
        if answer.status_code not in _REDIRECTS:
            return None
        return self._inside(answer, answer.headers.get("location", ""))

    def _inside(self, answer: "httpx.Response", named: str) -> str | None:
        """Returns the URL that a response names if it is inside the API, else None: the token is sent nowhere else."""
        url = urljoin(str(answer.url), named) if named else ""
        return url if url.startswith(f"{self.transport.base_url}/") else None
