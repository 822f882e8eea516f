"""A budget for the bytes of all request bodies that a process holds at a time."""

from typing import Generic, TypeVar

Holder = TypeVar("Holder")


class BudgetExceeded(Exception):
    """There is no room for this body: bodies that are no larger fill the budget."""


class BodyBudget(Generic[Holder]):
    """Each request claims the declared length of its body, or what it has received where no length is declared. The
    sum of all claims never exceeds `limit`.

    Where there is no room, the largest incomplete bodies give way to a smaller one. So `limit // n` bytes are always
    there for each of n connections, whatever the others claim, and large bodies never keep small ones out. A complete
    body keeps its claim until it is answered.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.claimed = 0
        self.received = 0  # bytes that are really held now
        self.most_received = 0  # the highest that `received` ever was
        self._claims: dict[Holder, int] = {}
        self._received: dict[Holder, int] = {}
        self._complete: set[Holder] = set()

    def claim(self, holder: Holder, size: int) -> list[Holder]:
        """Raises the holder's claim to `size`. Gives those that lost theirs for it; they have to be refused. Raises
        BudgetExceeded; then nothing has changed."""
        size = max(size, self._claims.get(holder, 0))
        more = self.claimed - self._claims.get(holder, 0) + size - self.limit
        losers = self._larger(holder, size, more) if more > 0 else []
        for loser in losers:
            self.release(loser)
        self.claimed += size - self._claims.get(holder, 0)
        self._claims[holder] = size
        return losers

    def receive(self, holder: Holder, size: int) -> list[Holder]:
        """Counts bytes that arrived; a claim that they exceed grows with them, see `claim`."""
        total = self._received.get(holder, 0) + size
        losers = self.claim(holder, total) if total > self._claims.get(holder, 0) else []
        self._received[holder] = total
        self.received += size
        self.most_received = max(self.most_received, self.received)
        return losers

    def complete(self, holder: Holder) -> None:
        """The whole body is there: it gives way to nobody any more."""
        if holder in self._claims:
            self._complete.add(holder)

    def release(self, holder: Holder) -> None:
        """Ends the claim, if there is one."""
        self.claimed -= self._claims.pop(holder, 0)
        self.received -= self._received.pop(holder, 0)
        self._complete.discard(holder)

    def _larger(self, holder: Holder, size: int, needed: int) -> list[Holder]:
        """Those that give way so that `needed` bytes become free, the largest first. Raises BudgetExceeded."""
        larger = [
            (claim, other)
            for other, claim in self._claims.items()
            if claim > size and other != holder and other not in self._complete
        ]
        losers: list[Holder] = []
        for claim, other in sorted(larger, key=lambda one: -one[0]):
            if needed <= 0:
                break
            losers.append(other)
            needed -= claim
        if needed > 0:
            raise BudgetExceeded
        return losers
