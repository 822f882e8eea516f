"""What GitHub answered before, by address: asked again with its ETag, what has not changed costs no limit."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 16 << 20  # of all answers that one process keeps
LARGEST = 200_000  # bytes of an answer that is kept
_BESIDE = 9_000  # bytes that an answer with GitHub's thirty headers takes beside its content (measured, httpx 0.28)
_OF_THE_WAY = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})

Address = tuple[str, tuple[tuple[str, str], ...]]


class EtagCache:
    """All answers that a process keeps; those that were not asked for longest go first."""

    def __init__(self, most: int = MOST_BYTES) -> None:
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
        if (gone := self._kept.pop(key, None)) is not None:
            self._bytes -= _size(gone)


class Etags:
    """Of one `owner`, a repository with one set of permissions: nobody reads here what their token would not show."""

    def __init__(self, etag_cache: EtagCache, owner: Hashable) -> None:
        self._shelf = etag_cache
        self._owner = owner

    def kept(self, address: Address) -> "httpx.Response | None":
        """What was answered before, whose ETag is to be sent along."""
        return self._shelf.get((self._owner, address))

    def settled(
        self, address: Address, answer: "httpx.Response", kept: "httpx.Response | None" = None
    ) -> "httpx.Response":
        """The answer, or the one that was `kept` when it was asked for, where GitHub says that it is the same still."""
        if answer.status_code == 304 and kept is not None:
            answer = kept
        if answer.status_code == 200 and answer.headers.get("etag") and len(answer.content) <= LARGEST:
            self._shelf.put((self._owner, address), answer if answer is kept else _alone(answer))
        else:
            self._shelf.drop((self._owner, address))
        return answer


def address_of(url: str, params: Mapping[str, Any] | None) -> Address:
    """What is asked for."""
    return url, tuple(sorted((name, str(value)) for name, value in (params or {}).items()))


def _alone(answer: "httpx.Response") -> "httpx.Response":
    """The same without the connection that it came by, which it would keep in memory."""
    import httpx

    headers = [(name, value) for name, value in answer.headers.multi_items() if name not in _OF_THE_WAY]
    request = httpx.Request("GET", answer.request.url)
    return httpx.Response(answer.status_code, headers=headers, content=answer.content, request=request)


def _size(answer: "httpx.Response") -> int:
    return len(answer.content) + _BESIDE
