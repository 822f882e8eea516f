"""Finds which of several things break the whole when taken together, with few looks at the whole."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
Sound = Callable[[Sequence[T]], Awaitable[bool]]


async def keep_sound(items: Sequence[T], sound: Sound[T]) -> list[T]:
    """The items, in their order, without those that break what came before them: what is given back was seen to be
    sound, unless it is empty. An item is left out only where it was seen that what is kept breaks with it.

    Each look is at what was kept so far and some of the next. n items of which k are left out take at most
    1 + k × (2 + log2 n) looks."""
    kept: list[T] = []
    left = list(items)
    while left and not await sound([*kept, *left]):
        good, bad = 0, len(left)  # with so many of the next it is sound, with so many it isn't
        while bad - good > 1:
            middle = (good + bad) // 2
            if await sound([*kept, *left[:middle]]):
                good = middle
            else:
                bad = middle
        kept += left[:good]
        left = left[bad:]
    return [*kept, *left]
