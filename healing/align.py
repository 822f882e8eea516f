"""Which lines of two texts belong together: Myers' shortest edit script, with a bound on its work."""

from collections.abc import Sequence
from typing import NamedTuple

MAX_EDITS = 1000  # beyond, what lies between the common start and end is taken for one change


class Hunk(NamedTuple):
    """base[start:end] became side[new_start:new_end]."""

    start: int
    end: int
    new_start: int
    new_end: int


def alignments(base: Sequence[bytes], side: Sequence[bytes]) -> tuple[list[Hunk], ...]:
    """The changes in order, in several ways of equal length: where lines repeat, there is no single right one."""
    n, m = len(base), len(side)
    there, back = hunks_between(base, side), hunks_between(base[::-1], side[::-1])
    swapped, both = hunks_between(side, base), hunks_between(side[::-1], base[::-1])
    return (
        there,
        [Hunk(n - h.end, n - h.start, m - h.new_end, m - h.new_start) for h in reversed(back)],
        [Hunk(h.new_start, h.new_end, h.start, h.end) for h in swapped],
        [Hunk(n - h.new_end, n - h.new_start, m - h.end, m - h.start) for h in reversed(both)],
    )


def hunks_between(base: Sequence[bytes], side: Sequence[bytes]) -> list[Hunk]:
    """The changes, in order: what isn't in them is the same in both texts."""
    head = _common(base, side)
    tail = _common(base[head:][::-1], side[head:][::-1])
    a, b = base[head : len(base) - tail], side[head : len(side) - tail]
    if not a or not b:
        return [Hunk(head, head + len(a), head, head + len(b))] if a or b else []
    return _join(_pairs(_numbers(a, b)), len(a), len(b), head)


def _common(left: Sequence[bytes], right: Sequence[bytes]) -> int:
    for at, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return at
    return min(len(left), len(right))


def _numbers(a: Sequence[bytes], b: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """The lines as numbers, equal where the lines are: quicker to compare."""
    numbers: dict[bytes, int] = {}
    return [numbers.setdefault(line, len(numbers)) for line in a], [
        numbers.setdefault(line, len(numbers)) for line in b
    ]


def _pairs(texts: tuple[list[int], list[int]]) -> list[tuple[int, int]]:
    """Matched line numbers of a shortest edit script, ascending; none when it is longer than MAX_EDITS."""
    a, b = texts
    n, m = len(a), len(b)
    most = min(n + m, MAX_EDITS)
    ends = [0] * (2 * most + 3)  # furthest x on each diagonal k, at most + 1 + k
    trace: list[list[int]] = []  # of each round, the diagonals -d - 1 … d + 1 as they were before it
    for d in range(most + 1):
        trace.append(ends[most - d : most + d + 3])
        for k in range(-d, d + 1, 2):
            at = most + 1 + k
            x = ends[at + 1] if _down(d, k, ends[at - 1], ends[at + 1]) else ends[at - 1] + 1
            y = x - k
            while x < n and y < m and a[x] == b[y]:
                x, y = x + 1, y + 1
            ends[at] = x
            if x >= n and y >= m:
                return _backtrack(trace, n, m)
    return []


def _down(d: int, k: int, left: int, right: int) -> bool:
    """Whether the best way to diagonal k inserts a line (from the right) or deletes one (from the left)."""
    return k == -d or (k != d and left < right)


def _backtrack(trace: list[list[int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for d in range(len(trace) - 1, 0, -1):
        k = x - y
        left, right = trace[d][d + k], trace[d][d + k + 2]
        down = _down(d, k, left, right)
        px = right if down else left
        py = px - (k + 1 if down else k - 1)
        snake = x - (px if down else px + 1)
        pairs += [(x - step, y - step) for step in range(1, snake + 1)]
        x, y = px, py
    pairs += [(step, step) for step in range(x - 1, -1, -1)]
    pairs.reverse()
    return pairs


def _join(pairs: list[tuple[int, int]], n: int, m: int, offset: int) -> list[Hunk]:
    hunks: list[Hunk] = []
    x = y = 0
    for px, py in [*pairs, (n, m)]:
        if px > x or py > y:
            hunks.append(Hunk(offset + x, offset + px, offset + y, offset + py))
        x, y = px + 1, py + 1
    return hunks


def reach(base: Sequence[bytes], side: Sequence[bytes], hunk: Hunk) -> tuple[int, int]:
    """How far up and down in the base an insertion or deletion could slide and still be the same change."""
    start, end, new_start, new_end = hunk
    if start != end and new_start != new_end:
        return start, end
    text = side[new_start:new_end] if start == end else base[start:end]
    up = 0
    while start - up > 0 and base[start - up - 1] == text[-1 - up % len(text)]:
        up += 1
    down = 0
    while end + down < len(base) and base[end + down] == text[down % len(text)]:
        down += 1
    return start - up, end + down
