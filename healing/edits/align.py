"""Finds where two texts certainly differ: all of Myers' shortest edit scripts at once, with a bound on the work.

Which lines of two texts correspond is often ambiguous: a blank line added between two others may be any of the three.
Only pairs that every shortest script agrees on count as the same line here; what lies between is a hunk.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

MAX_EDITS = 600  # lines; texts further apart are one hunk


class Hunk(NamedTuple):
    """base[start:end] became side[new_start:new_end]."""

    start: int
    end: int
    new_start: int
    new_end: int


def hunks_between(base: Sequence[bytes], side: Sequence[bytes]) -> list[Hunk]:
    """The changes in order, each as wide as it is ambiguous. Everything outside them is the same in both texts."""
    if base == side:
        return []
    numbers: dict[bytes, int] = {}
    a, b = ([numbers.setdefault(line, len(numbers)) for line in text] for text in (base, side))
    ways = _reaches(a, b)
    hunks: list[Hunk] = []
    x = y = 0
    for px, py in [*(_certain_pairs(a, b, ways) if ways else ()), (len(a), len(b))]:
        if px > x or py > y:
            hunks.append(Hunk(x, px, y, py))
        x, y = px + 1, py + 1
    return hunks


Reaches = list[dict[int, int]]  # for each number of edits: diagonal (x - y) → furthest x


def _reaches(a: list[int], b: list[int]) -> tuple[Reaches, Reaches] | None:
    """How far each number of edits reaches on each diagonal, from the start and from the end; None beyond MAX_EDITS."""
    forward = _furthest(a, b)
    if forward is None:
        return None
    backward = _furthest(a[::-1], b[::-1])
    assert backward is not None
    return forward, backward


def _furthest(a: list[int], b: list[int]) -> Reaches | None:
    n, m = len(a), len(b)
    rounds: Reaches = []
    before: dict[int, int] = {1: 0}
    for d in range(min(n + m, MAX_EDITS) + 1):
        ends: dict[int, int] = {}
        for k in range(-d, d + 1, 2):
            x = max(before.get(k + 1, -1), before.get(k - 1, -2) + 1)
            y = x - k
            if x < 0 or x > n or y > m or y < 0:
                continue
            while x < n and y < m and a[x] == b[y]:
                x, y = x + 1, y + 1
            ends[k] = x
        rounds.append(ends)
        if ends.get(n - m) == n:
            return rounds
        before = ends
    return None


def _certain_pairs(a: list[int], b: list[int], ways: tuple[Reaches, Reaches]) -> Iterator[tuple[int, int]]:
    """Pairs of line numbers, ascending, that every shortest script matches because that is its only possible step
    there."""
    n = len(a)
    steps, diagonals = [0] * (n + 2), [0] * (n + 2)  # differences, to be summed up
    spans = _optimal(len(a), len(b), ways)
    for (k, d), (low, high) in spans.items():
        if high > low:
            _add(steps, low, high, 1)
            _add(diagonals, low, high, k)
        if (k + 1, d + 1) in spans:
            next_low, next_high = spans[k + 1, d + 1]
            _add(steps, max(low, next_low - 1), min(high, next_high - 1) + 1, 2)  # a deletion: never certain
    for x, (count, k) in enumerate(zip(accumulate(steps), accumulate(diagonals), strict=True)):
        if x < n and count == 1 and 0 <= x - k < len(b) and a[x] == b[x - k]:
            yield x, x - k


def _add(differences: list[int], start: int, end: int, amount: int) -> None:
    if start < end:
        differences[start] += amount
        differences[end] -= amount


def _optimal(n: int, m: int, ways: tuple[Reaches, Reaches]) -> dict[tuple[int, int], tuple[int, int]]:
    """For each diagonal and number of edits so far, the x (first, last) that lie on some shortest script. Distance
    never falls along a diagonal, so they are between the reach from the end and the reach from the start."""
    forward, backward = ways
    most = len(forward) - 1
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    for d, ends in enumerate(forward):
        for k, high in ends.items():
            from_end = backward[most - d].get(n - m - k)
            if from_end is not None and n - from_end <= high:
                spans[k, d] = (n - from_end, high)
    return spans
