"""Bytes at hand: the files that were read last, up to so many bytes of them. Thread-safe."""

import threading
from collections import OrderedDict


class Held:
    """Keeps values by key; the one that was asked for longest ago goes first. `most` are bytes of all together, none
    larger than an eighth of it is kept."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.size = 0
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> bytes | None:
        """The value, if it is still here."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keeps the value; what a key names never changes."""
        if 8 * len(value) > self.most:
            return
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self.size += len(value)
            while self.size > self.most:
                self.size -= len(self._values.popitem(last=False)[1])
