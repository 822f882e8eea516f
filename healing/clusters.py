"""Root causes → clusters: what may need the same files goes to one agent, within limits (CL-3, CL-4, CL-5).

Causes are joined along their ties, the strongest first, as long as the limits hold: so an oversize group falls apart
along its weakest ties. It is nearly linear: files are looked at one by one, pairs of errors never.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from healing.causes import Places, order
from healing.graph import Graph, is_test
from healing.model import Category, CIError, Cluster, RootCause, content_id

SLOW = {Category.TEST, Category.RUNTIME}
OPEN_GROUPS = 8  # of one file that are tried for a further cause; more would make a hub of 10,000 causes quadratic


@dataclass(frozen=True)
class Limits:
    """A cluster holds at most so many errors and files, unless a single cause is larger; with fewer than
    `parallel_from` errors in all there is one cluster."""

    errors: int = 10
    files: int = 5
    parallel_from: int = 3


def make_clusters(
    causes: Sequence[RootCause], errors: Sequence[CIError], graph: Graph, limits: Limits | None = None
) -> tuple[Cluster, ...]:
    """Every cause in exactly one cluster; fast clusters first, then by the place of their first error."""
    limits = limits or Limits()
    by_id = {error.id: error for error in errors}
    places = Places(None)
    rows = [_row(cause, by_id, graph, places) for cause in causes]
    rows.sort(key=lambda row: (row.slow, row.place, row.cause.fingerprint))
    if sum(row.weight for row in rows) < limits.parallel_from:
        return (_cluster(rows),) if rows else ()
    return tuple(_cluster(group) for slow in (False, True) for group in _joined(rows, slow, limits))


@dataclass(frozen=True)
class Row:
    """One cause with its edit zone: files by the strength of the tie, 1 the strongest."""

    cause: RootCause
    zone: dict[str, int]
    slow: bool
    place: tuple[str, int, int, str, str, str]

    @property
    def weight(self) -> int:
        return len(self.cause.error_ids)


def _row(cause: RootCause, by_id: dict[str, CIError], graph: Graph, places: Places) -> Row:
    errors = [by_id[error_id] for error_id in cause.error_ids if error_id in by_id]
    zone: dict[str, int] = {}
    for strength, files in enumerate(_zone(cause, errors, graph, places), start=1):
        for file in files:
            zone.setdefault(file, strength)
    place = min((order(error) for error in errors), default=("", 0, 0, "", "", ""))
    slow = cause.category in SLOW or any(error.category in SLOW for error in errors)
    return Row(cause, zone, slow, place)


def _zone(cause: RootCause, errors: list[CIError], graph: Graph, places: Places) -> list[list[str]]:
    """Files that may need an edit: the errors' own, then definitions of what they name, then subjects, then frames."""
    own = [file for file in cause.files if places.ours(file)]
    named = [file for symbol in cause.symbols for file in _definitions(symbol, graph)]
    tests = dict.fromkeys(error.file for error in errors if error.file and is_test(error.file))
    subjects = [file for test in tests for file in subject_of(test, graph)]
    frames = [file for error in errors[:20] for file, _ in places.frames(error)]
    return [own, named, subjects, frames]


def _definitions(symbol: str, graph: Graph) -> tuple[str, ...]:
    found = graph.defining(symbol.rpartition(".")[2])
    return found if len(found) <= 3 else ()  # a name that many files define, like `main`, ties nothing


def subject_of(test: str, graph: Graph) -> tuple[str, ...]:
    """The files that a test file is about: what it imports under its own name, else its only import."""
    imported = sorted(file for file in graph.imports(test) if not is_test(file))
    stem = re.sub(r"^test_|_tests?$", "", PurePosixPath(test).stem)
    same = tuple(file for file in imported if PurePosixPath(file).stem.strip("_") == stem)
    return same or (tuple(imported) if len(imported) == 1 else ())


def _joined(rows: list[Row], slow: bool, limits: Limits) -> list[list[Row]]:
    """Groups of the rows of one phase, each in order, by the place of their first row."""
    chosen = [row for row in rows if row.slow is slow]
    groups = _Groups(chosen, limits)
    ties: dict[tuple[int, str], list[int]] = {}
    for index, row in enumerate(chosen):
        for file, strength in row.zone.items():
            ties.setdefault((strength, file), []).append(index)
            for weaker in range(strength + 1, 5):
                ties.setdefault((weaker, file), []).append(index)
    for tie in sorted(ties):
        groups.join(ties[tie])
    return groups.listed()


class _Groups:
    """Disjoint groups of rows that never grow over the limits."""

    def __init__(self, rows: list[Row], limits: Limits) -> None:
        self.rows, self.limits = rows, limits
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
        # A cause whose own zone is over the limit may still take in those that need nothing beyond it.
        return together <= max(self.limits.files, len(self.files[left]), len(self.files[right]))

    def _unite(self, left: int, right: int) -> None:
        kept, gone = min(left, right), max(left, right)
        self.parent[gone] = kept
        self.weight[kept] += self.weight[gone]
        self.files[kept] |= self.files[gone]

    def listed(self) -> list[list[Row]]:
        found: dict[int, list[Row]] = {}
        for index, row in enumerate(self.rows):
            found.setdefault(self.find(index), []).append(row)
        return list(found.values())


def _cluster(rows: list[Row]) -> Cluster:
    phase: Literal["fast", "slow"] = "slow" if any(row.slow for row in rows) else "fast"
    return Cluster(
        id="C" + content_id("cluster", sorted(row.cause.fingerprint for row in rows), length=12),
        causes=tuple(row.cause for row in rows),
        error_ids=tuple(error_id for row in rows for error_id in row.cause.error_ids),
        zone=tuple(sorted({file for row in rows for file in row.zone})),
        phase=phase,
    )
