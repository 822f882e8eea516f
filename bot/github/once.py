"""Posts a thing exactly once: look for it, post it, read it back; after a lost response, look for it again first."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.github.transport import Sleep, Unsure

T = TypeVar("T")
PAUSES = (1.0, 4.0)  # seconds before looking again after an unsure response: GitHub's lists can lag


async def post_once(
    look: Callable[[], Awaitable[T | None]], post: Callable[[], Awaitable[T]], sleep: Sleep, read_back: bool = True
) -> T:
    """Returns what `look` finds, else what `post` creates: as GitHub stored it, or without `read_back` as its response
    reported it. Raises what `post` raises, and Unsure if no attempt got a response or left a trace."""
    for pause in (*PAUSES, None):
        existing = await look()
        if existing is not None:
            return existing
        try:
            posted = await post()
        except Unsure:
            if pause is None:
                raise
            await sleep(pause)
        else:
            return (await look() if read_back else None) or posted
    raise AssertionError("the last try returns or raises")
