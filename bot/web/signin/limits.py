"""How often one address may begin to sign in or try a set-up token: enough for people, too little for guessing."""

from collections import OrderedDict, deque
from collections.abc import Callable

MOST_ADDRESSES = 10_000


class Limit:
    """At most `most` in any `seconds`, for each address. `now` gives Unix time in seconds."""

    def __init__(self, most: int, seconds: float, now: Callable[[], float]) -> None:
        self._most, self._seconds, self._now = most, seconds, now
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Counts one, unless it is one too many."""
        times = self._seen.setdefault(address, deque())
        self._seen.move_to_end(address)
        while len(self._seen) > MOST_ADDRESSES:
            self._seen.popitem(last=False)
        while times and times[0] <= self._now() - self._seconds:
            times.popleft()
        if len(times) >= self._most:
            return False
        times.append(self._now())
        return True
