"""Posts a thing once: look for it, post it, read it back; after an answer that never came, look again first."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.github.transport import Sleep, Unsure

T = TypeVar("T")
PAUSES = (1.0, 4.0)  # before looking again after an unsure answer: GitHub's lists can lag a little


async def post_once(
    look: Callable[[], Awaitable[T | None]], post: Callable[[], Awaitable[T]], sleep: Sleep, read_back: bool = True
) -> T:
    """What `look` finds, else what `post` makes, as GitHub kept it; not `read_back`: as its answer told. Raises what
    `post` raises, and Unsure where no try gave an answer nor left a trace."""
    for pause in (*PAUSES, None):
        found = await look()
        if found is not None:
            return found
        try:
            made = await post()
        except Unsure:
            if pause is None:
                raise
            await sleep(pause)
        else:
            return (await look() if read_back else None) or made
    raise AssertionError("the last try returns or raises")
