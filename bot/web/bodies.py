"""A budget for the bytes of all request bodies that a process holds in memory."""

from typing import Generic, TypeVar

Holder = TypeVar("Holder")


class BudgetExceeded(Exception):
    """There is no room for this body: bodies that are no larger fill the budget."""


class BodyBudget(Generic[Holder]):
    """Each request claims the declared length of its body, or the received bytes if no length is declared. The sum of
    all claims never exceeds `limit`.

    If there is no room, the largest incomplete bodies are dropped for a smaller one. So `limit // n` bytes are always
    available to each of n connections, whatever the others claim, and large bodies never block small ones. A complete
    body keeps its claim until its response is sent.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.claimed = 0
        self.received = 0  # bytes currently held
        self.most_received = 0  # the maximum of `received`
        self._claims: dict[Holder, int] = {}
        self._received: dict[Holder, int] = {}
        self._complete: set[Holder] = set()

    def claim(self, holder: Holder, size: int) -> list[Holder]:
        """Raises the holder's claim to `size`. Returns the holders that lost theirs, which must be refused. Raises
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
        """Counts received bytes; a claim that they exceed is raised, see `claim`."""
        total = self._received.get(holder, 0) + size
        losers = self.claim(holder, total) if total > self._claims.get(holder, 0) else []
        self._received[holder] = total
        self.received += size
        self.most_received = max(self.most_received, self.received)
        return losers

    def complete(self, holder: Holder) -> None:
        """Marks the body as complete, so that it is no longer dropped for another."""
        if holder in self._claims:
            self._complete.add(holder)

    def release(self, holder: Holder) -> None:
        """Ends the claim, if there is one."""
        self.claimed -= self._claims.pop(holder, 0)
        self.received -= self._received.pop(holder, 0)
        self._complete.discard(holder)

    def _larger(self, holder: Holder, size: int, needed: int) -> list[Holder]:
        """Returns the holders to drop so that `needed` bytes become free, largest first. Raises BudgetExceeded."""
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
