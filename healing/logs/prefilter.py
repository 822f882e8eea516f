"""Selects the lines that readers need: one Aho-Corasick pass over a block finds the literals of all owners at once."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, TypeVar

from ahocorasick_rs import BytesAhoCorasick, Implementation

Owner = TypeVar("Owner", bound=Hashable)


class Prefilter(Generic[Owner]):
    """Finds the `hints` (literals) of all owners in one pass.

    A literal may begin with the newline before a line and end with the one after it.
    """

    def __init__(self, hints: Mapping[Owner, Sequence[str]]) -> None:
        owners: dict[str, list[Owner]] = {}
        for owner, literals in hints.items():
            for literal in literals:
                owners.setdefault(literal, []).append(owner)
        self._owners = list(owners.values())
        self._leads = [literal.startswith("\n") for literal in owners]
        self._automaton = BytesAhoCorasick([literal.encode() for literal in owners], implementation=Implementation.DFA)

    def hits(self, content: bytes, asleep: set[Owner] | frozenset[Owner] = frozenset()) -> dict[Owner, list[int]]:
        """By owner, the ascending indices of the lines that contain its literals; {} where all owners found are asleep.

        `content` has a newline before and after each line.
        """
        matches = self._automaton.find_matches_as_indexes(content, overlapping=True)
        patterns = {pattern for pattern, _, _ in matches}
        if all(asleep.issuperset(self._owners[pattern]) for pattern in patterns):
            return {}
        indices: dict[Owner, list[int]] = {}
        index, at = -1, 0
        # Matches are ordered by their ends, so they have to be sorted by their starts.
        for start, pattern in sorted((start + self._leads[pattern], pattern) for pattern, start, _ in matches):
            index += content.count(b"\n", at, start)
            at = start
            for owner in self._owners[pattern]:
                lines = indices.setdefault(owner, [])
                if not lines or lines[-1] != index:
                    lines.append(index)
        return indices
