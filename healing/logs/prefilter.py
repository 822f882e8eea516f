"""Which lines are worth a look: one Aho-Corasick pass over a block finds every reader's literals at once."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, repeat
from operator import add

from ahocorasick_rs import AhoCorasick, Implementation


class Prefilter:
    """`hints[i]` are the literals of reader `i`; the automaton looks for all of them in one pass."""

    def __init__(self, hints: Sequence[Sequence[str]]) -> None:
        owners: dict[str, list[int]] = {}
        for owner, literals in enumerate(hints):
            for literal in literals:
                owners.setdefault(literal, []).append(owner)
        self._owners = list(owners.values())
        self._count = len(hints)
        self._automaton = AhoCorasick(list(owners), implementation=Implementation.DFA, store_patterns=False)

    def hits(self, text: str, lines: Sequence[str]) -> list[list[int]]:
        """For each reader the ascending indices of those `lines` (of `text`) that hold one of its literals."""
        found: list[list[int]] = [[] for _ in range(self._count)]
        matches = self._automaton.find_matches_as_indexes(text, overlapping=True)
        if not matches:
            return found
        ends = list(accumulate(map(add, map(len, lines), repeat(1))))  # in C: there may be millions of lines
        index, end = 0, ends[0]
        for pattern, start, _ in matches:
            if not ends[index - 1] * (index > 0) <= start < end:
                index = bisect_right(ends, start)
                end = ends[index]
            for owner in self._owners[pattern]:
                mine = found[owner]
                if not mine or mine[-1] != index:
                    mine.append(index)
        return [_ascending(mine) for mine in found]


def _ascending(indices: list[int]) -> list[int]:
    """Matches come by their ends, so a long literal may tell its line after a short one; a line is told once."""
    return indices if len(indices) < 2 else sorted(set(indices))
