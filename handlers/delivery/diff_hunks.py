"""The hunks of a file's patch as GitHub lists it: where a suggestion can be posted, and where it can be committed.

A comment may be on any line of the new file that a hunk shows. GitHub's API also accepts a suggestion with a deleted
line between its first and its last line, but such a suggestion can't be committed on GitHub's page.
"""

import re
from typing import NamedTuple

from handlers.model import ChangedFile
from handlers.model.plans import SuggestionPlan

_HEADER = re.compile(rb"^@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@")


class Hunk(NamedTuple):
    """Lines of the head file that one hunk shows: 1-based, inclusive. `deleted` has, for each place where the hunk
    deletes lines, the number of the head's line directly below."""

    start: int
    end: int
    deleted: frozenset[int] = frozenset()

    def shows(self, first: int, last: int) -> bool:
        """Whether a comment may be on lines `first`..`last`."""
        return self.start <= first <= last <= self.end

    def cuts(self, first: int, last: int) -> tuple[int, ...]:
        """Returns the lines of `first`..`last` that have a deleted line directly above them inside the range: a
        suggestion can only be committed if there are none."""
        return tuple(sorted(line for line in self.deleted if first < line <= last))


def read_hunks(patch: str | None) -> tuple[Hunk, ...]:
    """Returns the hunks that show any line of the new file."""
    return tuple(hunk for hunk, _ in _parts(patch) if hunk.end >= hunk.start)


def hunks_of(patch: str | None, head: bytes) -> tuple[Hunk, ...]:
    """The same for a head file whose bytes are known; returns none if the patch isn't of this head."""
    lines = head.split(b"\n")
    parts = _parts(patch)
    if any(lines[hunk.start - 1 : hunk.start - 1 + len(shown)] != shown for hunk, shown in parts if shown):
        return ()
    return tuple(hunk for hunk, _ in parts if hunk.end >= hunk.start)


def carries(files: dict[str, ChangedFile], plan: SuggestionPlan) -> bool:
    """Whether this comment can be posted on the pull request's current diff, and its suggestion committed."""
    file = files.get(plan.path)
    first, last = plan.start_line, plan.end_line
    hunks = read_hunks(file.patch) if file else ()
    return any(hunk.shows(first, last) and not hunk.cuts(first, last) for hunk in hunks)


def _parts(patch: str | None) -> list[tuple[Hunk, list[bytes]]]:
    """Returns each hunk with the lines of the new file that it shows."""
    hunks: list[tuple[int, int, list[bytes], set[int]]] = []
    for raw in (patch or "").encode("utf-8", "surrogatepass").split(b"\n"):
        header = _HEADER.match(raw)
        if header:
            start = int(header.group(1))
            length = int(header.group(2)) if header.group(2) is not None else 1
            hunks.append((start, start + length - 1, [], set()))
        elif hunks and raw[:1] in (b"+", b" "):
            hunks[-1][2].append(raw[1:])
        elif hunks and raw[:1] == b"-":
            start, _, shown, deleted = hunks[-1]
            deleted.add(start + len(shown))
    return [(Hunk(start, end, frozenset(deleted)), shown) for start, end, shown, deleted in hunks]
