"""Which commits two histories have in common. The youngest commits are looked at first, as git does it, so that the
work grows with how far two histories have come apart, not with their length."""

import heapq
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

KEPT = 200_000  # commits whose parents are remembered
ONE, OTHER, STALE, FOUND = 1, 2, 4, 8


class Lineage(NamedTuple):
    """A commit's time (seconds since the Epoch) and its parents."""

    time: int
    parents: tuple[str, ...]


class Ancestry:
    """Merge bases over `lineage`, which tells of one commit; what it reported is remembered."""

    def __init__(self, lineage: Callable[[str], Lineage]) -> None:
        self._lineage = lineage
        self._known: OrderedDict[str, Lineage] = OrderedDict()

    def merge_bases(self, one: str, other: str) -> tuple[str, ...]:
        """The common ancestors that are no ancestors of another common one, sorted."""
        if one == other:
            return (one,)
        found = sorted(self._common(one, other))
        if len(found) < 2:
            return tuple(found)
        # Clocks that go wrong may have let an older one through.
        return tuple(sha for sha in found if not any(self._below(sha, each) for each in found if each != sha))

    def _below(self, sha: str, other: str) -> bool:
        return self._common(sha, other) == {sha}

    def _common(self, one: str, other: str) -> set[str]:
        """Paints what each side can reach; where both colours meet is a common ancestor, what lies below it stale."""
        flags = {one: ONE, other: OTHER}
        queue = [(-self._of(sha).time, sha) for sha in flags]
        heapq.heapify(queue)
        while any(not flags[sha] & STALE for _, sha in queue):
            _, sha = heapq.heappop(queue)
            colours = flags[sha] & (ONE | OTHER | STALE)
            if colours == ONE | OTHER:
                flags[sha] |= FOUND
                colours |= STALE
            for parent in self._of(sha).parents:
                before = flags.get(parent, 0)
                if before & colours != colours:
                    flags[parent] = before | colours
                    heapq.heappush(queue, (-self._of(parent).time, parent))
        return {sha for sha, flag in flags.items() if flag & FOUND and not flag & STALE}

    def _of(self, sha: str) -> Lineage:
        known = self._known.get(sha)
        if known is None:
            known = self._known[sha] = self._lineage(sha)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return known
