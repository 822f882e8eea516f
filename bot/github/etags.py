"""Cache of GitHub's responses by URL: a request with the ETag of an unchanged response doesn't count against the rate
limit."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 16 << 20  # of all cached responses of a process
MAX_SIZE = 200_000  # bytes of the largest response that is cached
_BESIDE = 9_000  # bytes of a response with GitHub's thirty headers, without its content (measured, httpx 0.28)
_OF_THE_WAY = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})

Address = tuple[str, tuple[tuple[str, str], ...]]


class EtagCache:
    """All cached responses of a process; the ones stored longest ago are evicted first."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._most = most
        self._bytes = 0
        self._kept: OrderedDict[tuple[Hashable, Address], httpx.Response] = OrderedDict()

    def get(self, key: tuple[Hashable, Address]) -> "httpx.Response | None":
        return self._kept.get(key)

    def put(self, key: tuple[Hashable, Address], answer: "httpx.Response") -> None:
        self.drop(key)
        self._kept[key] = answer
        self._bytes += _size(answer)
        while self._bytes > self._most:
            self._bytes -= _size(self._kept.popitem(last=False)[1])

    def drop(self, key: tuple[Hashable, Address]) -> None:
        if (dropped := self._kept.pop(key, None)) is not None:
            self._bytes -= _size(dropped)


class Etags:
    """Cached responses of one `owner`, a repository with one set of permissions, so that no client reads what its token
    would not show."""

    def __init__(self, etag_cache: EtagCache, owner: Hashable) -> None:
        self._cache = etag_cache
        self._owner = owner

    def kept(self, address: Address) -> "httpx.Response | None":
        """Returns the earlier response, whose ETag should be sent along, or None."""
        return self._cache.get((self._owner, address))

    def settled(
        self, address: Address, answer: "httpx.Response", kept: "httpx.Response | None" = None
    ) -> "httpx.Response":
        """Returns the response, or for 304 the earlier one that was `kept`, and updates the cache."""
        if answer.status_code == 304 and kept is not None:
            answer = kept
        if answer.status_code == 200 and answer.headers.get("etag") and len(answer.content) <= MAX_SIZE:
            self._cache.put((self._owner, address), answer if answer is kept else _alone(answer))
        else:
            self._cache.drop((self._owner, address))
        return answer


def address_of(url: str, params: Mapping[str, Any] | None) -> Address:
    """Returns the cache key of a request."""
    return url, tuple(sorted((name, str(value)) for name, value in (params or {}).items()))


def _alone(answer: "httpx.Response") -> "httpx.Response":
    """Returns a copy of the response without a reference to its connection, which would stay in memory."""
    import httpx

    headers = [(name, value) for name, value in answer.headers.multi_items() if name not in _OF_THE_WAY]
    request = httpx.Request("GET", answer.request.url)
    return httpx.Response(answer.status_code, headers=headers, content=answer.content, request=request)


def _size(answer: "httpx.Response") -> int:
    return len(answer.content) + _BESIDE
