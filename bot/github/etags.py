"""What GitHub answered before, by address: asked again with its ETag, what has not changed costs no limit (GH-7)."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

MOST_ANSWERS = 200
LARGEST = 200_000  # bytes of an answer that is kept

Address = tuple[str, tuple[tuple[str, str], ...]]


class Etags:
    """Of one repository and one set of permissions: nobody reads here what their token would not show them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Address, httpx.Response] = OrderedDict()

    def kept(self, address: Address) -> "httpx.Response | None":
        """What was answered before, whose ETag is to be sent along."""
        return self._kept.get(address)

    def settled(
        self, address: Address, answer: "httpx.Response", kept: "httpx.Response | None" = None
    ) -> "httpx.Response":
        """The answer, or the one that was `kept` when it was asked for, where GitHub says that it is the same still."""
        self._kept.pop(address, None)
        if answer.status_code == 304 and kept is not None:
            answer = kept
        if answer.status_code == 200 and answer.headers.get("etag") and len(answer.content) <= LARGEST:
            self._kept[address] = answer
            while len(self._kept) > MOST_ANSWERS:
                self._kept.popitem(last=False)
        return answer


def address_of(url: str, params: Mapping[str, Any] | None) -> Address:
    """What is asked for."""
    return url, tuple(sorted((name, str(value)) for name, value in (params or {}).items()))
