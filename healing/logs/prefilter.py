"""Which lines are worth a look: one Aho-Corasick pass over a block finds everybody's literals at once."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, TypeVar

from ahocorasick_rs import BytesAhoCorasick, Implementation

Owner = TypeVar("Owner", bound=Hashable)


class Prefilter(Generic[Owner]):
    """`hints` are the literals of each owner; the automaton looks for all of them in one pass.

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
        """The ascending indices of the lines that hold an owner's literals; nothing where all owners are asleep.

        `content` has a newline before and after each line.
        """
        matches = self._automaton.find_matches_as_indexes(content, overlapping=True)
        patterns = {pattern for pattern, _, _ in matches}
        if all(asleep.issuperset(self._owners[pattern]) for pattern in patterns):
            return {}
        found: dict[Owner, list[int]] = {}
        index, at = -1, 0
        # Matches come by their ends, so a long literal may tell its line after a short one.
        for start, pattern in sorted((start + self._leads[pattern], pattern) for pattern, start, _ in matches):
            index += content.count(b"\n", at, start)
            at = start
            for owner in self._owners[pattern]:
                mine = found.setdefault(owner, [])
                if not mine or mine[-1] != index:
                    mine.append(index)
        return found
