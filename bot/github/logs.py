"""Fetches a log from the URL to which GitHub redirects, without our Authorization; keeps head and tail of a huge
one."""

from collections import deque
from collections.abc import AsyncIterator

from bot.github.transport import SECONDS, Unsure, certificates

HEAD = 100 * 1024 * 1024
TAIL = 100 * 1024 * 1024
_HOPS = 3  # inside the storage


async def fetch_log(url: str, head: int = HEAD, tail: int = TAIL) -> bytes | None:
    """Returns the log's bytes; of a log longer than `head` + `tail` bytes both ends, with a note in between. Returns
    None if the URL has no log (any more). Raises Unsure if the response was incomplete."""
    import httpx

    timeout = httpx.Timeout(SECONDS, connect=5)
    try:
        storage = httpx.AsyncClient(verify=certificates(), timeout=timeout, follow_redirects=True, max_redirects=_HOPS)
        async with storage as client, client.stream("GET", url) as answer:
            if answer.status_code != 200:
                return None
            return await _both_ends(answer.aiter_bytes(), head, tail)
    except (httpx.TransportError, httpx.TooManyRedirects) as error:
        raise Unsure(504, f"the job's log broke off ({type(error).__name__})") from None


async def _both_ends(chunks: AsyncIterator[bytes], head: int, tail: int) -> bytes:
    start = bytearray()
    end: deque[bytes] = deque()
    kept = cut = 0
    async for chunk in chunks:
        room = max(head - len(start), 0)
        start += chunk[:room]
        if len(chunk) > room:
            end.append(chunk[room:])
            kept += len(end[-1])
        while end and kept - len(end[0]) >= tail:
            kept -= len(end[0])
            cut += len(end.popleft())
    return _joined(bytes(start), b"".join(end), cut, tail)


def _joined(start: bytes, end: bytes, cut: int, tail: int) -> bytes:
    cut += max(len(end) - tail, 0)
    if not cut:
        return start + end
    note = f"\n##[heal] {cut} bytes of this log were left out here\n".encode()
    return start + note + end[len(end) - tail :]
