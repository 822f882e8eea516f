"""Forms groups along ties, the strongest first, and never over the limits, so that a set that is too large is split
along its weakest ties."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

OPEN_GROUPS = 8  # groups of one tie tried per row; more would make a hub of 10,000 rows quadratic
WEAKEST = 5


@dataclass(frozen=True)
class ClusterLimits:
    """The most errors and files of a cluster, unless a single cause has more; with fewer than `parallel_from` errors in
    all, there is one cluster."""

    errors: int = 10
    files: int = 5
    parallel_from: int = 3


class Groupable(Protocol):
    """An item to group: its size, the files that it may need, and its ties with their strengths from 1 to 5."""

    @property
    def weight(self) -> int: ...

    @property
    def zone(self) -> Mapping[str, int]: ...

    @property
    def ties(self) -> Mapping[str, int]: ...


def grouped(rows: Sequence[Groupable], limits: ClusterLimits) -> list[list[int]]:
    """Indices of the rows, each in one group, in their order. Nearly linear: it iterates over ties, never over pairs of
    rows."""
    groups = _Groups(rows, limits)
    tied: dict[tuple[int, str], list[int]] = {}
    for index, row in enumerate(rows):
        for name, strength in row.ties.items():
            for weaker in range(strength, WEAKEST + 1):
                tied.setdefault((weaker, name), []).append(index)
    for tie in sorted(tie for tie, members in tied.items() if len(members) > 1):
        groups.join(tied[tie])
    return groups.listed()


class _Groups:
    def __init__(self, rows: Sequence[Groupable], limits: ClusterLimits) -> None:
        self.limits = limits
        self.parent = list(range(len(rows)))
        self.weight = [row.weight for row in rows]
        self.files = [set(row.zone) for row in rows]

    def find(self, index: int) -> int:
        while self.parent[index] != index:
            self.parent[index] = self.parent[self.parent[index]]
            index = self.parent[index]
        return index

    def join(self, members: Iterable[int]) -> None:
        opened: list[int] = []
        for member in members:
            root = self.find(member)
            opened = list(dict.fromkeys(self.find(other) for other in opened))
            if root in opened:
                continue
            fitting = next((other for other in opened if self._fits(other, root)), None)
            if fitting is None:
                opened = [*opened, root][-OPEN_GROUPS:]
            else:
                self._unite(fitting, root)

    def _fits(self, left: int, right: int) -> bool:
        if self.weight[left] + self.weight[right] > self.limits.errors:
            return False
        together = len(self.files[left] | self.files[right])
        # A cause whose own zone is over the limit may still be joined by causes that need no further file.
        return together <= max(self.limits.files, len(self.files[left]), len(self.files[right]))

    def _unite(self, left: int, right: int) -> None:
        kept, gone = min(left, right), max(left, right)
        self.parent[gone] = kept
        self.weight[kept] += self.weight[gone]
        self.files[kept] |= self.files[gone]

    def listed(self) -> list[list[int]]:
        by_root: dict[int, list[int]] = {}
        for index in range(len(self.parent)):
            by_root.setdefault(self.find(index), []).append(index)
        return list(by_root.values())
