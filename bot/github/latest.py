"""What was used last, up to a number: so that a process which serves many repositories does not grow with them."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Latest(Generic[Key, Value]):
    """At most `most` values; who was not asked for longest goes first. Whoever holds one may go on with it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of this key, made where it isn't there."""
        if key not in self._kept:
            self._kept[key] = make()
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)
