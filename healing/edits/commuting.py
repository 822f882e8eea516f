"""Decides whether fixes that were made for the same bytes can be applied in any order, with the same result.

A fix is applied by text: its old text has to occur exactly once. So two fixes that change different lines may still
conflict: one writes a second copy of the text that the other replaces, or changes a line that the other includes only
to be unique. Pure.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple, Protocol

from healing.edits.exact import EditError, locate
from healing.model import Edit

MAX_LENGTH = (
    64 << 10
)  # bytes of an old text that is searched for in every combination; a longer one counts as a conflict


class Fix(Protocol):
    """A proposal's edits, in the two forms in which they are applied."""

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The minimal edits."""
        ...

    @property
    def wide(self) -> tuple[Edit, ...]:
        """The same change with lines around it."""
        ...


class Site(NamedTuple):
    """Bytes `start:end` that one fix actually changes, to `new`."""

    start: int
    end: int
    new: bytes
    owner: int


class Needle(NamedTuple):
    """An old text that has to be found for a fix to be applied, and its position."""

    start: int
    text: bytes
    owner: int

    def touches(self, site: Site) -> bool:
        """Whether the site changes bytes within this text."""
        return site.start < self.start + len(self.text) and self.start < site.end


def commute(fix: Fix, others: Iterable[Fix], read: Callable[[str], bytes | None]) -> bool:
    """Whether `fix` and `others` can be applied to what `read` returns in every order, in both forms, always with the
    same resulting bytes."""
    fixes = [fix, *others]
    for file in sorted({edit.file for edit in fix.edits}):
        sharing = [other for other in fixes if any(edit.file == file for edit in other.edits)]
        if len(sharing) > 1 and not _commute_in(file, sharing, read(file)):
            return False
    return True


def _commute_in(file: str, fixes: Sequence[Fix], data: bytes | None) -> bool:
    if data is None:
        return False
    sites: list[Site] = []
    needles: set[Needle] = set()
    try:
        for owner, fix in enumerate(fixes):
            for edits, minimal in ((fix.edits, True), (fix.wide, False)):
                for span in locate(file, [edit for edit in edits if edit.file == file], data):
                    old = data[span.start : span.end]
                    needles.add(Needle(span.start, old, owner))
                    if minimal:
                        sites.append(_trimmed(span.start, old, span.new, owner))
    except EditError:  # a file that is created or deleted, or edits that don't apply to these bytes
        return False
    sites.sort()
    if any(_collide(first, second) for first, second in pairwise(sites)):
        return False
    for needle in sorted(needles):
        foreign = [site for site in sites if site.owner != needle.owner]
        if any(map(needle.touches, foreign)) or _found_elsewhere(needle, foreign, data):
            return False
    return True


def _trimmed(start: int, old: bytes, new: bytes, owner: int) -> Site:
    """The bytes that actually change, without the context before and after them."""
    before = _common_prefix(old, new)
    behind = _common_prefix(old[before:][::-1], new[before:][::-1])
    return Site(start + before, start + len(old) - behind, new[before : len(new) - behind], owner)


def _common_prefix(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    differing = (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


def _collide(left: Site, right: Site) -> bool:
    """Whether two neighbours overlap, or two fixes insert at the same place, where the result would depend on the
    order."""
    same_place = left.start == left.end == right.start == right.end
    return right.start < left.end or (same_place and left.owner != right.owner)


def _found_elsewhere(needle: Needle, sites: list[Site], data: bytes) -> bool:
    """Whether the text occurs in some combination of the sites, each old or new, at a position other than its own."""
    size = len(needle.text)
    if size > MAX_LENGTH:
        return bool(sites)
    cluster_number = 0  # counts the gaps that are too wide for the text to span
    numbered: list[tuple[int, Site]] = []
    for index, site in enumerate(sites):
        cluster_number += index > 0 and site.start - sites[index - 1].end >= size
        numbered.append((cluster_number, site))
    return any(
        _found_in([site for _, site in cluster], needle, data)
        for _, cluster in groupby(numbered, key=lambda pair: pair[0])
    )


def _found_in(cluster: list[Site], needle: Needle, data: bytes) -> bool:
    """The same for sites that are close together."""
    reach = len(needle.text) - 1
    first, last = cluster[0], cluster[-1]
    ahead, behind = data[max(0, first.start - reach) : first.start], data[last.end : last.end + reach]
    if len(cluster) == 1:
        return needle.text in ahead + first.new + behind
    masks: dict[int, int] = {}
    for at, byte in enumerate(needle.text):
        masks[byte] = masks.get(byte, 0) | 1 << at
    whole = 1 << reach
    own_end = needle.start + len(needle.text)

    def run(states: int, text: bytes, ends_at: int | None) -> int:
        """Advances every partial match of the text at once, one bit for each matched length; -1 if one is complete."""
        for at, byte in enumerate(text, 1):
            states = (states << 1 | 1) & masks.get(byte, 0)
            if states & whole and (ends_at is None or ends_at + at != own_end):
                return -1
        return states

    states = run(0, ahead, first.start - len(ahead))
    for at, site in enumerate(cluster):
        if states < 0:
            return True
        old, new = run(states, data[site.start : site.end], None), run(states, site.new, None)
        if old < 0 or new < 0:
            return True
        upto = cluster[at + 1].start if site is not last else last.end
        states = run(old | new, data[site.end : upto], site.end)
    return states < 0 or run(states, behind, last.end) < 0
